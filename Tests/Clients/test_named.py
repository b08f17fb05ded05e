"""The names in README.md, the guides and docs: each command, option, make target and file exists."""

import functools
import re
import shlex
import subprocess

import pytest
from blepera_tests.paths import ROOT
from transcripts import FENCE, PAGES, commands, page_name

PROGRAMS = {
    'blepera', 'make', 'swift', 'cp', 'cd', 'sed', 'python3', 'prove', 'tshark', 'export', 'systemctl', '.venv/bin/pytest',
    '.venv/bin/pip', '.', 'podman', 'sudo', 'Scripts/setup', 'Scripts/python-of', 'Scripts/fuzz',
}
TOPICS = {'profile', 'accessory', 'scenario', 'rules', 'overflow'}
FOLDERS = r'(?:docs|Sources|Tests|Scripts|profiles|scenarios|examples|findings|Packaging|Benchmarks|Fuzz)'
PATH = re.compile(rf'(?<![\w/~.])(?:{FOLDERS}/[\w./+*-]*\w|{FOLDERS}/)')
# Files that a reader or a build makes.
MADE = re.compile(r'scenarios/(report-17|mine|typo)\..*|Fuzz/corpus/.*|examples/stories/\.build.*')
INLINE = re.compile(r'`([^`\n]+)`')


def inline(page) -> list[str]:
    text = re.sub(r'^    .*$', '', FENCE.sub('', page.read_text()), flags=re.MULTILINE)
    return INLINE.findall(re.sub(r'\n *', ' ', text))


@functools.cache
def help_of(blepera: str, *words: str) -> str:
    done = subprocess.run([blepera, *words, '--help-hidden'], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, f'{words}: {done.stderr}'
    return done.stdout


@functools.cache
def subcommands(blepera: str, *words: str) -> set[str]:
    text = help_of(blepera, *words).partition('SUBCOMMANDS:')[2]
    return set(re.findall(r'^  (\w[\w-]*)(?: |$)', text, re.MULTILINE)) - {'See'}


@functools.cache
def options(blepera: str, *words: str) -> set[str]:
    return set(re.findall(r'(?<![\w-])(--?[a-z][\w-]*)', help_of(blepera, *words))) | {'-h', '--help', '--version'}


def fault(blepera: str, text: str) -> str | None:
    """The fault of a blepera command in the form of a page: `blepera scan --services 180D`; None if there is none."""
    words = shlex.split(re.sub(r'[|>&].*', '', text.replace('...', '').replace('[', '').replace(']', '')))[1:]
    if words[:1] == ['help']:
        words = words[1:]
        if words and words[0] in TOPICS | {'TOPIC'}:
            return None
    path: list[str] = []
    while words and subcommands(blepera, *path):
        if words[0].startswith('-') or words[0].isupper():
            break
        if words[0] not in subcommands(blepera, *path):
            return f'there is no command {words[0]}'
        path.append(words.pop(0))
    for word in words:
        if word == '--':
            rest = shlex.join(words[words.index('--') + 1 :])
            return fault(blepera, rest) if rest.startswith('blepera ') else None
        if word.startswith('-') and not re.fullmatch(r'-\d*', word) and word.partition('=')[0] not in options(blepera, *path):
            return f'{" ".join(path)} has no option {word}'
    return None


@pytest.mark.parametrize('page', PAGES, ids=page_name)
def test_the_commands_of_a_page_are_there(blepera, page):
    shown = [command.text for command in commands(page)]
    named = [text for text in inline(page) if text.startswith(('blepera ', 'make ')) and '`' not in text]
    targets = set(re.findall(r'^([a-z-]+):', (ROOT / 'Makefile').read_text(), re.MULTILINE))
    faults = []
    for text in shown + named:
        program = text.split()[0]
        if program == 'blepera':
            found = fault(blepera, text)
        elif program == 'make':
            wanted = [word for word in shlex.split(text)[1:] if '=' not in word and not word.startswith('-')]
            found = next((f'there is no target {word}' for word in wanted if word not in targets), None)
        else:
            found = None if program in PROGRAMS else f'{program} is not known here'
        if found:
            faults.append(f'{text}: {found}')
    assert faults == []


@pytest.mark.parametrize('page', PAGES, ids=page_name)
def test_the_files_that_a_page_names_are_there(page):
    texts = [command.text for command in commands(page)] + inline(page)
    paths = {path for text in texts for path in PATH.findall(text) if not MADE.fullmatch(path)}
    missing = {path for path in paths if not list(ROOT.glob(path.rstrip('/').replace('...', '*')))}
    # A name without its end stands for files that begin so: `Tests/Command/CLITests/EventSample`.
    assert {path for path in missing if not list(ROOT.glob(f'{path}*'))} == set()


def test_each_command_is_in_the_list(blepera):
    text = (ROOT / 'docs/commands.md').read_text()
    rows = ' '.join(line for line in text.split('\n') if line.startswith('| '))
    assert {name for name in subcommands(blepera) - {'help'} if not re.search(rf'`(blepera )?{name}\b', rows)} == set()


def test_the_table_of_options_names_those_of_serve(blepera):
    rows = [line.split(' | ')[0] for line in (ROOT / 'docs/commands.md').read_text().split('\n') if line.startswith('| `--')]
    listed = {option for row in rows for option in re.findall(r'--[a-z][\w-]*', row)}
    assert len(listed) > 10 and listed - options(blepera, 'serve') == set()


def test_the_path_of_a_read_names_functions_that_are_there():
    page = (ROOT / 'ARCHITECTURE.md').read_text().partition('## One path to follow')[2].partition('\n## ')[0]
    steps = re.findall(r'^\d+\. \[`(\w+)\.(\w+)`\]\(([^)]+)\)', page, re.MULTILINE)
    assert len(steps) == 10
    missing = []
    for owner, name, file in steps:
        text = (ROOT / file).read_text()
        if not re.search(rf'\b(?:struct|class|actor|enum|extension) {owner}\b', text) or not re.search(rf'\bfunc {name}\(', text):
            missing.append(f'{owner}.{name}')
    assert missing == []
