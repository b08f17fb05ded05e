"""Exit statuses and the form of errors, of every command that reads a file."""

import os
import re
import subprocess

import pytest
from blepera_tests.paths import ROOT, profile_path

HEART_RATE = str(profile_path('heart-rate'))
SCENARIO = str(ROOT / 'scenarios/whole-mask.plist')


def run(blepera: str, *words: str, **options) -> subprocess.CompletedProcess:
    return subprocess.run([blepera, *words], capture_output=True, text=True, **options)


@pytest.mark.parametrize(
    'words',
    [
        ['check', 'FILE'],
        ['explain', 'FILE'],
        ['serve', '--virtual', 'FILE'],
        ['serve', 'FILE'],
        ['lab', '--serve', 'FILE', '--', 'true'],
        ['scenario', 'check', 'FILE'],
        ['scenario', 'run', 'FILE'],
        ['report', 'FILE'],
        ['convert', 'FILE'],
    ],
)
@pytest.mark.parametrize('content', [None, '{ a = '])
def test_faulty_input(blepera, tmp_path, words, content):
    file = tmp_path / 'faulty.plist'
    if content is not None:
        file.write_text(content)
    done = run(blepera, *[str(file) if word == 'FILE' else word for word in words])
    assert (done.returncode, done.stdout) == (2, ''), done.stderr
    assert done.stderr.startswith(f'{file}:') and ' error: ' in done.stderr


@pytest.mark.parametrize(
    'words, begins',
    [
        (['serve'], "error: Missing expected argument '<file> ...'\n"),
        (['serve', '--ios', '5', HEART_RATE], "error: The value '5' is invalid for '--ios <version>'"),
        (['nosuch'], "error: there is no command 'nosuch'"),
        (['lab', '--adapters', '0'], "error: '--adapters' is a number from 1 to 99, or names"),
        (['scenario', 'run', '--adapters', 'hci1', SCENARIO], "error: '--adapters' requires '--bluez'.\n"),
    ],
)
def test_usage(blepera, words, begins):
    done = run(blepera, *words)
    assert (done.returncode, done.stdout) == (64, '')
    assert done.stderr.startswith(begins), done.stderr


@pytest.mark.parametrize(
    'words',
    [
        ['explain', HEART_RATE],
        ['check', '--json', HEART_RATE],
        ['rules'],
        ['convert', HEART_RATE],
        ['--help'],
        ['help', 'serve'],
        ['lab', '--help'],
        ['--version'],
        ['--generate-completion-script', 'bash'],
    ],
)
def test_an_output_that_cannot_be_written(blepera, words):
    with open('/dev/full', 'w') as full:
        done = subprocess.run([blepera, *words], stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (1, 'error: cannot write to standard output: No space left on device\n')


def test_a_lab_is_no_case_for_the_doctor(blepera):
    done = run(blepera, 'lab', '--quiet', '--', blepera, 'doctor')
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith('ok    lab') and 'note' not in done.stdout and 'Limitations' not in done.stdout


@pytest.mark.parametrize('locale, is_ascii', [('C', True), ('de_DE.ISO-8859-1', True), ('C.UTF-8', False)])
def test_a_locale_without_utf_8(blepera, locale, is_ascii):
    environment = {**os.environ, 'LC_ALL': locale, 'COLUMNS': '120'}
    assert run(blepera, 'explain', HEART_RATE, env=environment).stdout.isascii() == is_ascii


def table() -> list[str]:
    """The first column of the page's table."""
    page = (ROOT / 'docs/commands.md').read_text()
    rows = re.findall(r'^\| (.*?) \|', page[page.index('## Exit statuses') :], re.MULTILINE)
    return [row for row in rows[: rows.index('what')] if row != 'status']


PLAYED = {
    '0': [(['check', HEART_RATE], 0), (['lab', '-q', '--', 'true'], 0)],
    '1': [(['scenario', 'run', '--ios', '13', str(ROOT / 'scenarios/ios-14-rule.plist')], 1),
          (['lab', '--record', '/no/x', '--', 'true'], 1)],
    '2': [(['check', '/no/such.plist'], 2)],
    '64': [(['serve'], 64)],
    '126, 127': [(['lab', '-q', '--', '/etc/passwd'], 126), (['lab', '-q', '--', 'no-such-program'], 127)],
    '128 + *n*': [(['lab', '-q', '--', 'sh', '-c', 'kill -TERM $$'], 143)],
}


def test_the_table_has_the_statuses_that_are_played():
    assert table() == list(PLAYED)


@pytest.mark.parametrize('words, status', [case for cases in PLAYED.values() for case in cases])
def test_a_status_of_the_table(blepera, words, status):
    assert run(blepera, *words).returncode == status


def test_a_lab_has_the_status_of_its_command(blepera):
    assert run(blepera, 'lab', '-q', '--', 'sh', '-c', 'exit 7').returncode == 7
