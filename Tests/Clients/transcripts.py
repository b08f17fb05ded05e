"""The shell blocks of README.md and docs, as commands with the output that the page shows."""

import pathlib
import re
from dataclasses import dataclass, field

from blepera_tests.paths import ROOT

FOLDERS = ('.', 'docs', 'Benchmarks', 'examples/*', 'findings', 'Sources/*')
PAGES = sorted(page for folder in FOLDERS for page in ROOT.glob(f'{folder}/*.md'))
# The beginnings of lines that are commands in a block without `$`.
PROGRAMS = ('make ', 'swift ', 'Scripts/', 'cp ', 'cd ', 'python3 ', '.venv/', 'export ', 'systemctl ', 'podman ', 'sudo ')
FENCE = re.compile(r'^```(\w*)\n(.*?)^```$', re.MULTILINE | re.DOTALL)


@dataclass
class Command:
    page: str
    block: int
    text: str
    output: list[str] = field(default_factory=list)

    @property
    def key(self) -> str:
        return f'{self.page}: {self.text}'


def page_name(page: pathlib.Path) -> str:
    return str(page.relative_to(ROOT))


def commands(page: pathlib.Path) -> list[Command]:
    """The commands in the order of the page, without comments and without the backslashes that continue a line."""
    found: list[Command] = []
    for number, block in enumerate(blocks(FENCE.sub('', page.read_text()))):
        shown = any(line.startswith('$ ') for line in block)
        lines = iter(block)
        for line in lines:
            is_command = line.startswith('$ ') if shown else line.startswith(PROGRAMS)
            if is_command:
                words = re.sub(r' {2,}# .*', '', line.removeprefix('$ '))
                while words.endswith('\\'):
                    words = words[:-1] + next(lines).strip()
                found.append(Command(page_name(page), number, words.strip()))
            elif shown and found and found[-1].block == number:
                found[-1].output.append(line)
    return found


def blocks(text: str) -> list[list[str]]:
    """The indented blocks; indented lines below an item of a list belong to the item."""
    found: list[list[str]] = [[]]
    is_in_list = False
    for line in text.split('\n'):
        if line.startswith('    ') and not is_in_list:
            found[-1].append(line[4:])
        elif not line.strip() and found[-1]:
            found[-1].append('')
        elif line.strip():
            found.append([])
            is_in_list = bool(re.match(r'\s*([-*]|\d+\.) ', line)) or is_in_list and line.startswith('  ')
    return [block for block in found if any(block)]


def shown_files(page: pathlib.Path) -> dict[str, str]:
    """The files that a page shows: each name, such as "`test_trouble.py`:", and the fenced block after the name."""
    text = page.read_text()
    return {
        match[1]: match[2]
        for match in re.finditer(r'`([\w.-]+\.\w+)`:\n\n```\w*\n(.*?)^```$', text, re.MULTILINE | re.DOTALL)
    }
