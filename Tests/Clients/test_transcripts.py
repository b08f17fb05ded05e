"""Plays each command that a page shows, and compares the output with the page.

Parts that differ from run to run are not compared: times, private addresses, keys, the values of a sine. A line `...`
stands for any number of lines, and `...` at the end of a line for the rest of the line. If a command prints the same
lines each time, the page has to show all of them.
"""

import contextlib
import re
import sys

import pytest
from session import Session
from transcripts import PAGES, Command, commands, page_name, shown_files

# The reasons that commands are not played; see test_named.py for their checks.
NOT_PLAYED = {
    r'make (demo|demo-bluez|check|test|install|packages)\b.*': 'builds; CI runs `make test`, and make itself checks the rest',
    r'Scripts/.*': 'needs the lane or a failure of the fuzzer',
    r'swift (test|run) .*': '`make stories` builds and tests the examples',
    r'sudo .*': 'changes the machine',
    r'export PATH=.*': 'the tests have the release binary',
    r'podman .*': 'needs an image of Python',
    r'.*wireshark.*': 'a program with windows',
    r'.* -- bluetoothctl': 'test_bluetoothctl.py plays it',
    r'\.venv/bin/pytest -q': 'test_gateway.py plays it',
    r'.*lab\.html -- python3 gateway\.py': 'test_report.py plays it',
    r'python3 -m venv .*|\.venv/bin/pip install .*|\. \.venv/.*': 'the environment of the tests has the packages',
    r'python3 examples/lamp/lamp.py': 'test_python_apps.py plays it',
    r'.* -- python3 examples/web/drive.py': 'needs Playwright; test_web.py shows the page to Chromium without it',
}
# Commands that have the same output each time.
EXACT = re.compile(r'blepera (overflow|explain|check|rules|init|predict|scenario (run|check))\b(?!.*--bluez)')
# Commands that have the same lines each time, except for times and the like.
COMPLETE = re.compile(rf'{EXACT.pattern}|tshark|prove|blepera (report|status)|.* -- blepera (clone|status)|.* find\.py')
PAGES_WITH_COMMANDS = [page for page in PAGES if commands(page)]


def reason_not_to_play(command: Command) -> str | None:
    return next((reason for words, reason in NOT_PLAYED.items() if re.fullmatch(words, command.text)), None)


VARYING = [
    (r'\d\d:\d\d:\d\d\.\d{3}', 'TIME'),
    (r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ', 'TIME'),
    (r'\b(?!00:AA:01:00:00)([0-9A-F]{2}:){5}[0-9A-F]{2}\b', 'ADDRESS'),
    (r'IRK [0-9A-F]{32}', 'IRK'),
    (r'\d+\.\d+ s( left)?\b', 'SECONDS'),
    (r'in \d+\.\d+s', 'in SECONDS'),
    (r'\d+ events', 'EVENTS'),
    (r'jsonl:\d+', 'jsonl:LINE'),
    (r'^-? *\d+ +TIME', 'LINE TIME'),
    (r'^\d+ beats', 'BEATS'),
    (r'^(ok|FAILED) +\d+\.\d+', r'\1 SECONDS'),
    (r'process \d+', 'PROCESS'),
]


def normal(line: str) -> str:
    for pattern, name in VARYING:
        line = re.sub(pattern, name, line)
    return re.sub(r'\s+', ' ', line).strip()


def agrees(shown: str, printed: str, is_exact: bool) -> bool:
    if not is_exact:
        shown, printed = normal(shown), normal(printed)
    return printed.startswith(shown.removesuffix('...').rstrip()) if shown.endswith('...') else printed == shown


def difference(command: Command, printed: list[str]) -> str | None:
    """The first difference: a line of the page that is not printed there, or a printed line that the page leaves out."""
    shown = [line for line in command.output if line.strip() and line != '^C']
    is_exact = bool(EXACT.match(command.text))
    rest = [line for line in printed if line.strip() and not line.startswith('Running as user')]  # tshark, to root
    may_skip = not COMPLETE.match(command.text)
    for line in shown:
        if line.strip() == '...':
            may_skip = True
            continue
        found = next((index for index, other in enumerate(rest) if agrees(line, other, is_exact)), None)
        if found is None:
            return f'not printed: {line}'
        if found and not may_skip:
            return f'left out: {rest[0]}'
        rest = rest[found + 1 :]
        may_skip = not COMPLETE.match(command.text)
    return f'left out: {rest[0]}' if shown and rest and not may_skip else None


def prepare(session: Session, page) -> None:
    for name, text in shown_files(page).items():
        for folder in (session.folder, session.home / 'gateway'):
            if folder.exists():
                (folder / name).write_text(text)
    if (session.home / 'gateway').exists() and not (session.home / 'gateway/.venv').exists():
        (session.home / 'gateway/.venv').symlink_to(sys.prefix)


def differences(session: Session, page) -> list[str]:
    wrong = []
    block = None
    for command in commands(page):
        if reason_not_to_play(command):
            continue
        if session.outside and block != command.block:
            session.end_programs()
        block = command.block
        prepare(session, page)
        printed = session.play(command)
        if (line := difference(command, printed)) is not None:
            wrong.append(f'{command.key}\n  {line}\n' + '\n'.join(f'    {each}' for each in printed))
    return wrong


@pytest.mark.parametrize('page', PAGES_WITH_COMMANDS, ids=page_name)
def test_the_page_shows_what_happens(blepera, page):
    """A page that differs is played a second time: the central of `serve --virtual` connects at any time, and wakes or
    relaunches the app if that is between two commands."""
    for _ in range(2):
        with contextlib.closing(Session(blepera)) as session:
            if not (wrong := differences(session, page)):
                return
    pytest.fail('\n\n'.join(wrong), pytrace=False)


def test_no_exception_is_left_over():
    texts = [command.text for page in PAGES for command in commands(page)]
    assert [words for words in NOT_PLAYED if not any(re.fullmatch(words, text) for text in texts)] == []
