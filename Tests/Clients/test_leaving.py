"""However a lab ends, no process, socket or folder of it is left."""

import pathlib
import shlex
import signal
import sys
import tempfile
import time

import pexpect
import pytest
from marked import Mark
from program import TIMEOUT


@pytest.fixture
def mark():
    # A short name: where paths of sockets would be too long the lab goes elsewhere.
    with tempfile.TemporaryDirectory(prefix='lab') as folder:
        yield Mark(pathlib.Path(folder))


ROOT = pathlib.Path(__file__).parents[2]
PHONES = {
    'a profile': ('--serve', str(ROOT / 'profiles/heart-rate.plist')),
    'an app': ('--app', shlex.join([sys.executable, '-S', str(ROOT / 'examples/lamp/lamp.py')])),
    # The second process is in a session of its own.
    'an app that ignores signals': (
        '--app', f'trap "" TERM; setsid sleep 600 & {sys.executable} -S {ROOT}/examples/lamp/lamp.py & while true; do sleep 1; done'),
}


def start(blepera: str, mark: Mark, *command: str, phone: str = 'a profile') -> pexpect.spawn:
    return pexpect.spawn(
        blepera, ['lab', *PHONES[phone], '--', *command], env=mark.environment, timeout=TIMEOUT
    )


def end(lab: pexpect.spawn) -> None:
    lab.expect(pexpect.EOF)
    lab.close()


@pytest.mark.parametrize('phone', PHONES)
def test_ctrl_c_in_a_terminal(blepera, mark, phone):
    lab = start(blepera, mark, 'sh', '-c', 'echo is up; exec sleep 600', phone=phone)
    lab.expect('is up')
    # The lab, its shell and dbus-daemon; the command is just becoming sleep and may have no environment to read.
    assert len(mark.processes()) >= 3 and list(mark.folder.iterdir())
    lab.sendintr()
    end(lab)
    assert lab.exitstatus == 128 + signal.SIGINT
    assert mark.left() == []


@pytest.mark.parametrize('phone', PHONES)
@pytest.mark.parametrize('status', [0, 1, 42])
def test_a_command_that_ends(blepera, mark, status, phone):
    lab = start(blepera, mark, 'sh', '-c', f'exit {status}', phone=phone)
    end(lab)
    assert lab.exitstatus == status
    assert mark.left() == []


def test_a_command_that_is_not_there(blepera, mark):
    lab = start(blepera, mark, 'blepera-has-no-such-command')
    lab.expect('command not found')
    end(lab)
    assert lab.exitstatus == 127
    assert mark.left() == []


@pytest.mark.parametrize('phone', PHONES)
@pytest.mark.parametrize('name', ['SIGKILL', 'SIGTERM', 'SIGHUP'])
def test_a_signal_to_the_lab(blepera, mark, name, phone):
    lab = start(blepera, mark, 'sh', '-c', 'echo is up; exec sleep 600', phone=phone)
    lab.expect('is up')
    lab.kill(signal.Signals[name])
    end(lab)
    # Of a lab that was killed the shell that cleans up may outlive it; no event reports its end.
    deadline = time.monotonic() + TIMEOUT
    while mark.left() and name == 'SIGKILL' and time.monotonic() < deadline:
        time.sleep(0.02)
    assert mark.left() == []
