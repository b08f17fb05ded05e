"""Output that nobody reads or that cannot be written: phones answer, signals end commands, errors are reported."""

import contextlib
import json
import os
import pathlib
import resource
import signal
import subprocess
import time

import pytest
from blepera_tests.paths import ROOT
from program import TIMEOUT, Program, flood

HEART_RATE = str(ROOT / 'profiles/heart-rate.plist')
SCENARIO = str(ROOT / 'scenarios/whole-mask.plist')


@pytest.fixture
def environment(tmp_path) -> dict[str, str]:
    (tmp_path / 'run').mkdir(mode=0o700)
    return {
        **os.environ, 'XDG_RUNTIME_DIR': str(tmp_path / 'run'), 'BLEPERA_RUNTIME_DIR': '',
        'BLEPERA_STATE_DIR': str(tmp_path / 'state'),
    }


def until(is_true, what: str) -> None:
    deadline = time.monotonic() + TIMEOUT
    while not is_true():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


def handles_signals(process: subprocess.Popen) -> bool:
    """Whether the command would end a session at Ctrl-C: it has a handler of SIGINT."""
    assert process.poll() is None, process.returncode
    status = pathlib.Path(f'/proc/{process.pid}/status').read_text()
    caught = next(line for line in status.splitlines() if line.startswith('SigCgt'))
    return bool(int(caught.split()[1], 16) >> (signal.SIGINT - 1) & 1)


@contextlib.contextmanager
def full_pipe():
    """The end of a pipe that is full, and that nobody reads."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(writer, bytes(1024))
    os.set_blocking(writer, True)
    try:
        yield writer
    finally:
        os.close(reader)
        os.close(writer)


@contextlib.contextmanager
def running(*words: str, env, **options):
    # A shell's background jobs ignore SIGINT, and so do the programs that they start.
    options = {'preexec_fn': lambda: signal.signal(signal.SIGINT, signal.SIG_DFL), **options}
    process = subprocess.Popen(words, env=env, stdin=subprocess.DEVNULL, **options)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@contextlib.contextmanager
def place(blepera, environment, command: str):
    """The words and the environment of a command: `events` needs a phone, `scan` a bus."""
    with contextlib.ExitStack() as stack:
        if command == 'events':
            phone = Program(blepera, 'system', '--virtual', env=environment)
            stack.callback(phone.end, signal.SIGINT)
            phone.line('powered on')
            yield [blepera, 'events', '--json'], environment
        elif command in ('scan', 'clone'):
            lab = Program(blepera, 'lab', '--quiet', '--public-address', '--serve', HEART_RATE, env=environment)
            stack.callback(lab.end, signal.SIGINT)
            words = lab.line('export ').removeprefix('export ').replace("'", '').split(' ')
            inside = {**environment, **dict(word.split('=', 1) for word in words)}
            yield [blepera, *{'scan': ['scan'], 'clone': ['clone', '00:00:00:00:00:01']}[command]], inside
        else:
            yield [blepera, *COMMANDS[command]], environment


COMMANDS = {
    'serve': ['serve', '--virtual', HEART_RATE],
    'serve json': ['serve', '--virtual', '--json', HEART_RATE],
    'system': ['system', '--virtual', '--json'],
    'lab': ['lab', '--serve', HEART_RATE],
    'lab with a command': ['lab', '--json', '--serve', HEART_RATE, '--', 'sleep', '600'],
    'scenario run': ['scenario', 'run', *[SCENARIO] * 100],
}
HANDLE_SIGNALS = ['serve', 'serve json', 'system', 'lab', 'lab with a command', 'events', 'scan', 'clone']


@pytest.mark.parametrize('command', [*HANDLE_SIGNALS, 'scenario run'])
def test_a_signal_ends_a_command_whose_output_stands_still(blepera, environment, command):
    """Standard output and standard error are one pipe, which is full before the command begins."""
    with full_pipe() as pipe, place(blepera, environment, command) as (words, inside):
        with running(*words, env=inside, stdout=pipe, stderr=pipe) as process:
            if command in HANDLE_SIGNALS:
                until(lambda: handles_signals(process), 'no handler of SIGINT')
            time.sleep(0.5)
            process.send_signal(signal.SIGINT)
            process.wait(TIMEOUT)


@pytest.mark.parametrize('words', [COMMANDS['serve'], COMMANDS['system']])
def test_a_phone_answers_though_its_output_and_errors_stand_still(blepera, environment, words):
    """The output of a program that is started with `stdout=PIPE, stderr=STDOUT` and that nobody reads."""
    path = pathlib.Path(environment['XDG_RUNTIME_DIR'], 'blepera/default.socket')
    reader, writer = os.pipe()
    with running(blepera, *words, env=environment, stdout=writer, stderr=writer) as process:
        os.close(writer)
        until(path.exists, 'no socket')
        flood(path, 3000)
        process.send_signal(signal.SIGINT)
        assert process.wait(TIMEOUT) == 0
    with os.fdopen(reader, 'rb') as pipe:
        pipe.read()


LIMIT = 1 << 14


def limit_files() -> None:
    """A command that does not handle SIGXFSZ would be ended by it."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, resource.RLIM_INFINITY))


@pytest.mark.parametrize('command', ['serve', 'serve json', 'system', 'events', 'scan'])
def test_output_on_a_full_disk(blepera, environment, command):
    """The command says so and ends, as after Ctrl-C but with status 1."""
    with place(blepera, environment, command) as (words, inside), open('/dev/full', 'wb') as full:
        with running(*words, env=inside, stdout=full, stderr=subprocess.PIPE, text=True) as process, process.stderr:
            errors = process.stderr.read()
            assert process.wait(TIMEOUT) == 1
    assert errors.count('error: cannot write to standard output: No space left on device\n') == 1


@pytest.mark.parametrize('command', ['serve json', 'system', 'events'])
def test_output_beyond_the_limit_of_a_file(blepera, environment, tmp_path, command):
    output = tmp_path / 'output'
    with place(blepera, environment, command) as (words, inside), open(output, 'wb') as file:
        with running(
            *words, env=inside, stdout=file, stderr=subprocess.PIPE, text=True, preexec_fn=limit_files
        ) as process, process.stderr:
            until(lambda: handles_signals(process), 'no handler of SIGINT')
            path = pathlib.Path(environment['XDG_RUNTIME_DIR'], 'blepera/default.socket')
            until(path.exists, 'no socket')
            # A phone that ends refuses the request, or closes the connection.
            with contextlib.suppress(AssertionError, json.JSONDecodeError, ConnectionError):
                flood(path, 1000)
            errors = process.stderr.read()
            assert process.wait(TIMEOUT) == 1
    assert errors.count('error: cannot write to standard output: File too large\n') == 1
    assert output.stat().st_size == LIMIT


def test_log_is_written_again_after_a_full_disk(blepera, environment, tmp_path):
    """Lines that could not be written are counted in the next that can be."""
    log = tmp_path / 'log'
    path = pathlib.Path(environment['XDG_RUNTIME_DIR'], 'blepera/default.socket')
    with open(log, 'ab') as output:
        words = [blepera, *COMMANDS['serve json']]
        # Standard output and standard error are one file: a log, for which the phone does not end.
        with running(*words, env=environment, stdout=output, stderr=output, preexec_fn=limit_files) as process:
            until(path.exists, 'no socket')
            flood(path, 200)
            assert log.stat().st_size == LIMIT
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            flood(path, 2)
            process.send_signal(signal.SIGINT)
            assert process.wait(TIMEOUT) == 0
    lines = log.read_bytes()[LIMIT:].splitlines()
    omitted = [json.loads(line) for line in lines if b'eventsOmitted' in line]
    # The cut line ends, and the number of omitted events is on its own line.
    assert lines[0] == b'' and len(omitted) == 1 and omitted[0]['count'] > 100
    assert json.loads(lines[1]) == omitted[0] and any(b'commandReceived' in line for line in lines[2:])


def start_with(limits: str, environment, *words: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        ['/bin/sh', '-c', f'{limits}; exec "$0" "$@"', *words], env=environment, capture_output=True, text=True,
        timeout=TIMEOUT)


ANY = pytest.mark.parametrize(
    'words', [['check', HEART_RATE], ['rules'], ['status'], COMMANDS['serve'], COMMANDS['lab']])


@ANY
@pytest.mark.parametrize('limit', [4, 5, 6, 7, 8, 12, 16, 24, 31])
def test_too_few_descriptors(blepera, environment, words, limit):
    done = start_with(f'ulimit -n {limit}', environment, blepera, *words)
    assert (done.returncode, done.stdout) == (1, '')
    assert done.stderr == (
        f'error: only {limit - 3} more files can be opened, and blepera needs 32; set a higher limit with '
        "'ulimit -n 1024'\n")


@ANY
@pytest.mark.parametrize('limit', [30_000, 60_000, 100_000, 150_000, 200_000, 250_000])
def test_too_little_address_space(blepera, environment, words, limit):
    done = start_with(f'ulimit -v {limit}', environment, blepera, *words)
    if done.returncode == 127:
        # The limit is already reached by the libraries of a debug build.
        assert limit < 100_000 and 'error while loading shared libraries' in done.stderr
        return
    assert (done.returncode, done.stdout) == (1, '')
    assert done.stderr == (
        "error: blepera needs 256 MiB of address space; set a higher limit with 'ulimit -v unlimited'\n")


@ANY
def test_too_large_stacks(blepera, environment, words):
    done = start_with('ulimit -s 1000000; ulimit -v 3000000', environment, blepera, *words)
    assert (done.returncode, done.stdout) == (1, '')
    assert done.stderr.startswith('error: blepera needs 4 threads: Resource temporarily unavailable; ')
