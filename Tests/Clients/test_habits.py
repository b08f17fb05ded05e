"""The habits of every command: standard input, folders, colors, full disks, signals, and repeated commands."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest
from blepera_tests.paths import ROOT, profile_path
from program import TIMEOUT

HEART_RATE = profile_path('heart-rate')
SCENARIO = ROOT / 'scenarios/whole-mask.plist'


def run(blepera: str, *words: object, **options) -> subprocess.CompletedProcess:
    return subprocess.run([blepera, *map(str, words)], capture_output=True, text=True, **options)


@pytest.mark.parametrize('words', [['check'], ['explain'], ['convert'], ['scenario', 'check'], ['scenario', 'run']])
def test_standard_input(blepera, words):
    file = SCENARIO if words[0] == 'scenario' else HEART_RATE
    done = run(blepera, *words, '-', input=file.read_text(), cwd=file.parent)
    assert done.returncode == 0, done.stderr
    assert done.stdout.replace('-:', f'{file}:') == run(blepera, *words, file, cwd=file.parent).stdout or words[-1] == 'run'


def test_faulty_standard_input(blepera):
    done = run(blepera, 'check', '-', input='{ a = ')
    assert (done.returncode, done.stdout) == (2, '') and done.stderr.startswith('-:1:7: error: ')


def test_folders(blepera):
    check = run(blepera, 'check', ROOT / 'profiles')
    assert check.returncode == 0 and len(check.stdout.splitlines()) == len(list((ROOT / 'profiles').glob('*.plist')))
    quiet = run(blepera, 'scenario', 'run', '-q', ROOT / 'scenarios')
    assert quiet.returncode == 0 and len(quiet.stdout.splitlines()) == 1
    assert run(blepera, 'check', '-q', ROOT / 'profiles').stdout == ''


def test_annotations(blepera, tmp_path):
    (tmp_path / 'a.plist').write_text('{ a = ')
    done = run(blepera, 'check', '--output-format', 'github', tmp_path)
    assert done.returncode == 2 and done.stderr == ''
    assert done.stdout.startswith(f'::error file={tmp_path}/a.plist,line=1,col=7::')


def test_watching(blepera, tmp_path):
    file = tmp_path / 'a.plist'
    file.write_text('{ a = ')
    words = [blepera, 'check', '--watch', tmp_path]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as watch:
        assert ':1:7: error: ' in watch.stderr.readline()
        shutil.copy(HEART_RATE, file)
        assert watch.stdout.readline().startswith(f'{file}: no errors: ')
        watch.send_signal(signal.SIGINT)
        assert watch.wait(5) == 0


@pytest.mark.parametrize('color, is_colored', [('always', True), ('never', False), ('auto', False)])
def test_colors(blepera, color, is_colored):
    done = run(blepera, 'explain', '--color', color, HEART_RATE)
    assert done.returncode == 0 and ('\x1b[' in done.stdout) == is_colored


@pytest.mark.parametrize('words', [['init', 'heart-rate', '-o', 'FILE'], ['convert', HEART_RATE, '-o', 'FILE']])
def test_a_limit_of_file_sizes_leaves_no_file(blepera, tmp_path, words):
    file = tmp_path / 'new.plist'
    done = subprocess.run(
        ['sh', '-c', 'ulimit -f 1; exec "$@"', 'sh', blepera, *[str(file) if word == 'FILE' else str(word) for word in words]],
        capture_output=True, text=True,
    )
    assert done.returncode == 1 and 'cannot write' in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_recording_that_cannot_be_written(blepera):
    done = run(blepera, 'scenario', 'run', '-q', '--pcap', '/dev/full', SCENARIO)
    assert done.returncode == 1 and 'incomplete: No space left on device' in done.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason='root may write everywhere')
def test_a_folder_without_rights(blepera, tmp_path):
    tmp_path.chmod(0o500)
    done = run(blepera, 'lab', '--record', tmp_path / 'x.jsonl', '--', 'true')
    assert done.returncode == 1 and 'Permission denied' in done.stderr


@pytest.mark.parametrize('words', [['serve', '--virtual', HEART_RATE], ['system', '--virtual'], ['lab', '--serve', HEART_RATE]])
@pytest.mark.parametrize('number, status', [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 0)])
def test_signals(blepera, tmp_path, words, number, status):
    environment = {**os.environ, 'BLEPERA_RUNTIME_DIR': str(tmp_path / 'run'), 'BLEPERA_STATE_DIR': str(tmp_path / 'state')}
    with subprocess.Popen(
        [blepera, *map(str, words)], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as running:
        for line in running.stdout:
            if 'export' in line:
                break
        running.send_signal(number)
        running.communicate(timeout=TIMEOUT)
        assert running.returncode == status


def test_an_ignored_hangup_stays_ignored(blepera, tmp_path):
    environment = {**os.environ, 'BLEPERA_RUNTIME_DIR': str(tmp_path / 'run'), 'BLEPERA_STATE_DIR': str(tmp_path / 'state')}
    command = ['sh', '-c', 'trap "" HUP; exec "$@"', 'sh', blepera, 'system', '--virtual']
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as running:
        assert 'export' in running.stderr.readline()
        running.send_signal(signal.SIGHUP)
        time.sleep(0.3)
        assert run(blepera, 'status', env=environment).returncode == 0
        running.terminate()
        running.communicate(timeout=TIMEOUT)
        assert running.returncode == 143


REPEATED = """
import json, os, signal, subprocess, sys
blepera, profile = sys.argv[1:]
options = ['--adapter', 'hci0', '--ios', '26.1', '--linger', '10', '--pairing', 'just-works']


def serve(*options):
    words = [blepera, 'serve', '--json', *options, profile]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def is_on_air(running):
    return any(json.loads(line)['event'] == 'advertising' for line in running.stdout)


for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGTERM):
    running = serve(*options)
    assert is_on_air(running), running.stderr.read()
    running.send_signal(number)
    running.wait(10)
for different in (['--ios', '13'], ['--adapter', 'hci1'], ['--exact'], ['--linger', '5']):
    running = serve(*different)
    assert running.wait(10) == 1
    assert f'so {different[0]} cannot be changed' in running.stderr.read(), different
subprocess.run([blepera, 'shutdown'], check=True)
"""


def test_a_repeated_command(blepera):
    """A supervisor that starts `serve` again with the options that the phone has."""
    done = subprocess.run(
        [blepera, 'lab', '--quiet', '--adapters', '2', '--', sys.executable, '-c', REPEATED, blepera, str(HEART_RATE)],
        capture_output=True, text=True, timeout=60,
    )
    assert done.returncode == 0, done.stderr


def test_the_options_of_a_phone(blepera):
    done = run(blepera, 'lab', '--quiet', '--ios', '18', '--serve', HEART_RATE, '--', blepera, 'status', '--json')
    options = json.loads(done.stdout)['options']
    assert '--ios 18' in options and '--apple-items nearby-info' in options and '--pairing just-works' in options
