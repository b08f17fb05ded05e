"""Plays the commands of a page as the page shows them, and prints each difference from the page. Runs in a clean root,
as a user without rights.

    python3 typed.py CLONE PAGE
"""

import os
import pathlib
import re
import shutil
import sys
import tempfile

clone, page = pathlib.Path(sys.argv[1]), sys.argv[2]
sys.path[:0] = [str(clone / 'Tests/python'), str(clone / 'Tests/Clients')]

from session import Session
from test_transcripts import difference
from transcripts import Command, commands, shown_files

INSTALL = [command for command in commands(clone / 'README.md') if re.search(r'\.venv\b', command.text)]
# The commands of README that a reader of a page has typed before. The wheel has the blepera that `make demo` builds.
BEFORE = INSTALL
NOT_TYPED = {
    r'make .*': 'needs a compiler',
    r'export PATH=.*': 'the wheel has blepera',
    r'.* -- (python3|sh) examples/(home-assistant|theengs)/.*': 'needs gateways from PyPI: test_transcripts.py plays it',
    r'prove .*': 'needs Perl: test_transcripts.py plays it',
}


def is_typed(command: Command, others: list[Command]) -> bool:
    """Whether a command is typed here. Tests/Machine types the commands after `sudo apt install`."""
    is_of_package = any(one.text.startswith('sudo ') for one in others if one.block == command.block)
    return not is_of_package and not any(re.fullmatch(words, command.text) for words in NOT_TYPED)


class Reader(Session):
    """A reader who has a clone and Debian's Python; nothing else is on PATH until a command installs it."""

    def __init__(self):
        self.home = pathlib.Path(tempfile.mkdtemp(prefix='home-', dir='/tmp'))
        self.clone = self.folder = self.home / 'blepera'
        shutil.copytree(clone, self.clone)
        (self.home / 'run').mkdir(mode=0o700)
        self.environment = {
            'HOME': str(self.home), 'LANG': 'C.UTF-8', 'PATH': '/usr/bin:/bin', 'XDG_RUNTIME_DIR': str(self.home / 'run'),
            'PIP_NO_INDEX': '1', 'PIP_FIND_LINKS': '/srv/material/wheels'}
        self.running, self.outside = [], None

    def play(self, command: Command) -> list[str]:
        if activated := re.fullmatch(r'\. (\S+)/activate', command.text):
            self.environment['PATH'] = f'{self.clone / activated[1]}:{self.environment["PATH"]}'
            return []
        return super().play(command)


def main() -> int:
    reader, wrong, block = Reader(), [], None
    shown = commands(clone / page)
    for command in [*BEFORE, *(one for one in shown if is_typed(one, shown))]:
        if reader.outside and block != command.block:
            reader.end_programs()
        block = command.block
        for name, text in shown_files(clone / page).items():
            if name in command.text:
                (reader.folder / name).write_text(text)
        printed = reader.play(command)
        print(f'$ {command.text}', *printed, sep='\n', flush=True)
        if (line := difference(command, printed)) is not None:
            wrong.append(f'DIFFERS {command.key}: {line}')
    reader.end_programs()
    print(*wrong, sep='\n')
    return len(wrong) > 0


if __name__ == '__main__':
    os.umask(0o022)
    sys.exit(main())
