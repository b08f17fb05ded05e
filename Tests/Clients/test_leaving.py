"""However a lab ends, no process, socket or folder of it is left."""

import os
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
        '--app',
        f'trap "" TERM; setsid sleep 600 & {sys.executable} -S {ROOT}/examples/lamp/lamp.py & while true; do sleep 1; done'),
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
    # The lab, its supervisor and dbus-daemon; the command is just becoming sleep and may have no environment to read.
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
    if name == 'SIGKILL':
        # The supervisor outlives the lab.
        wait_until(lambda: not mark.left())
    assert mark.left() == []


def wait_until(is_over) -> None:
    """For what no event reports."""
    deadline = time.monotonic() + TIMEOUT
    while not is_over() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert is_over()


@pytest.mark.parametrize('phone', PHONES)
@pytest.mark.parametrize('killed', ['lab', 'supervisor', 'daemon', 'supervisor daemon', 'lab supervisor'])
def test_processes_that_are_killed(blepera, mark, killed, phone):
    lab = start(blepera, mark, 'sh', '-c', 'echo is up; exec sleep 600', phone=phone)
    lab.expect('is up')
    found = {'lab': [lab.pid], 'supervisor': mark.processes('supervise-lab'), 'daemon': mark.processes('dbus-daemon')}
    processes = [process for name in killed.split() for process in found[name]]
    assert len(processes) == len(killed.split())
    for number in signal.SIGSTOP, signal.SIGKILL:  # none sees the end of another
        for process in processes:
            os.kill(process, number)
    if 'lab' in killed:
        lab.wait()
    else:
        lab.expect('the message bus has ended')
        end(lab)
        assert lab.exitstatus == 1
    if killed == 'lab supervisor':
        # Processes that a shell of an app has started elsewhere stay until the next lab, as the folder does.
        wait_until(lambda: mark.processes() == mark.processes('sleep\x00600'))
        assert list(mark.folder.iterdir())
        end(start(blepera, mark, 'true'))
    wait_until(lambda: not mark.left())


def test_a_command_that_ignores_that_the_bus_has_ended(blepera, mark):
    lab = start(blepera, mark, 'sh', '-c', 'trap "" HUP; echo is up; exec sleep 600')
    lab.expect('is up')
    os.kill(*mark.processes('dbus-daemon'), signal.SIGKILL)
    lab.expect('the message bus has ended')
    end(lab)
    assert lab.exitstatus == 1
    assert mark.left() == []
