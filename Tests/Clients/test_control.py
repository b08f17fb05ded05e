"""Who may control a running phone, and how: the keys of serve's terminal, and the socket that the commands use."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import termios
import time

import pexpect
import pytest
from blepera_tests.paths import profile_path
from program import TIMEOUT, Program

NOBODY = ('setpriv', '--reuid=65534', '--regid=65534', '--clear-groups')
CONNECT = 'import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])'


@pytest.fixture
def folder():
    """The phone's folder; with a short name, as the path of a socket is limited."""
    with tempfile.TemporaryDirectory(prefix='blepera-') as folder:
        yield pathlib.Path(folder)


@pytest.fixture
def environment(folder) -> dict[str, str]:
    return {**os.environ, 'XDG_RUNTIME_DIR': str(folder), 'XDG_STATE_HOME': str(folder), 'TERM': 'dumb'}


def serve(profile: str) -> tuple[str, ...]:
    return ('serve', '--virtual', str(profile_path(profile)))


def test_keys(blepera, environment):
    """b, f, s and l act as the commands do, ? lists the keys, q ends serve; then the terminal is as before."""
    # The shell outlives blepera on the same terminal.
    shell = ('sh', ['-c', '"$@"; echo "status $?"; stty -a; sleep 20', 'sh', blepera, *serve('heart-rate')])
    terminal = pexpect.spawn(*shell, env=environment, encoding='utf-8', timeout=TIMEOUT, dimensions=(50, 200))

    def wait_for_state(wanted: str) -> None:
        until = time.monotonic() + TIMEOUT
        while True:
            done = subprocess.run([blepera, 'status', '--json'], env=environment, capture_output=True, text=True)
            apps = json.loads(done.stdout)['apps'] if done.returncode == 0 else []
            state = apps[0]['state'] if apps else done.stderr or 'unknown, as no app has started yet'
            if state == wanted:
                return
            assert time.monotonic() < until, f'the state is {state}, not {wanted}'
            time.sleep(0.05)

    wait_for_state('foreground')
    before = termios.tcgetattr(terminal.child_fd)[3]
    assert not before & termios.ECHO, 'the terminal echoes the keys'
    for key, state in (
        ('b', 'background'), ('f', 'foreground'), ('l', 'background'), ('l', 'foreground'), ('s', 'suspended'),
        ('f', 'foreground'),
    ):
        terminal.send(key)
        wait_for_state(state)
    terminal.send('?')
    missing = set('fbslq?')
    while missing:
        terminal.expect(r'\n {1,4}(\S) +\w+')
        missing.discard(terminal.match.group(1))
    terminal.send('q')
    terminal.expect('status 0')
    terminal.expect('tostop')
    after = termios.tcgetattr(terminal.child_fd)[3]
    assert after & termios.ECHO and after & termios.ICANON, 'the terminal does not echo, or does not read lines'
    terminal.close(force=True)


@pytest.mark.skipif(os.geteuid() != 0, reason='needs another user, and root to become that user')
def test_another_user(blepera, folder, environment):
    """Another user can neither ask the phone nor connect to its socket; its own user can."""
    folder.chmod(0o755)
    program = shutil.copy(blepera, folder / 'blepera-of-all')
    phone = Program(blepera, *serve('heart-rate'), env=environment)
    phone.wait_for(lambda: (folder / 'blepera/default.socket').exists() or None, 'socket')
    assert (folder / 'blepera').stat().st_mode & 0o777 == 0o700, 'the mode of the folder of the socket'
    for command in ('status', 'background'):
        theirs = subprocess.run([*NOBODY, program, command], env=environment, capture_output=True, text=True)
        assert theirs.returncode == 1 and 'another user' in theirs.stderr, theirs.stderr
    words = [*NOBODY, '/usr/bin/python3', '-IS', '-c', CONNECT, f'{folder}/blepera/default.socket']
    direct = subprocess.run(words, capture_output=True, text=True)
    assert 'PermissionError' in direct.stderr, direct.stderr or 'a connection'
    for command in ('status', 'background'):
        assert subprocess.run([program, command], env=environment).returncode == 0, command
    assert phone.end(signal.SIGINT) == 0
