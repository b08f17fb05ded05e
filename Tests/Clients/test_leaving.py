"""However a lab ends, no process, socket or folder of it is left."""

import os
import pathlib
import signal
import tempfile
import time
import uuid

import pexpect
import pytest
from program import PATIENCE

VARIABLE = 'BLEPERA_TEST_MARK'


class Mark:
    """An environment by which the processes of a lab are known, whoever their parent is by then."""

    def __init__(self, folder: pathlib.Path):
        self.folder = folder
        self.value = uuid.uuid4().hex
        self.environment = {**os.environ, VARIABLE: self.value, 'XDG_RUNTIME_DIR': str(folder)}

    def processes(self) -> list[int]:
        found = []
        for process in pathlib.Path('/proc').glob('[0-9]*'):
            try:
                if f'{VARIABLE}={self.value}'.encode() in (process / 'environ').read_bytes().split(b'\0'):
                    found.append(int(process.name))
            except OSError:  # it has just ended, or is another user's
                pass
        return found

    def left(self) -> list:
        return [*self.processes(), *self.folder.iterdir()]


@pytest.fixture
def mark():
    # A short name: where paths of sockets would be too long the lab goes elsewhere.
    with tempfile.TemporaryDirectory(prefix='lab') as folder:
        yield Mark(pathlib.Path(folder))


def start(blepera: str, mark: Mark, *command: str) -> pexpect.spawn:
    profile = pathlib.Path(__file__).parents[2] / 'profiles/heart-rate.plist'
    return pexpect.spawn(
        blepera, ['lab', '--serve', str(profile), '--', *command], env=mark.environment, timeout=PATIENCE
    )


def end(lab: pexpect.spawn) -> None:
    lab.expect(pexpect.EOF)
    lab.close()


def test_ctrl_c_in_a_terminal(blepera, mark):
    lab = start(blepera, mark, 'sh', '-c', 'echo is up; exec sleep 600')
    lab.expect('is up')
    # The lab, its shell and dbus-daemon; the command is just becoming sleep and may have no environment to read.
    assert len(mark.processes()) >= 3 and list(mark.folder.iterdir())
    lab.sendintr()
    end(lab)
    assert lab.exitstatus == 128 + signal.SIGINT
    assert mark.left() == []


@pytest.mark.parametrize('status', [0, 1, 42])
def test_a_command_that_ends(blepera, mark, status):
    lab = start(blepera, mark, 'sh', '-c', f'exit {status}')
    end(lab)
    assert lab.exitstatus == status
    assert mark.left() == []


def test_a_command_that_is_not_there(blepera, mark):
    lab = start(blepera, mark, 'blepera-has-no-such-command')
    lab.expect('command not found')
    end(lab)
    assert lab.exitstatus == 127
    assert mark.left() == []


@pytest.mark.parametrize('name', ['SIGKILL', 'SIGTERM', 'SIGHUP'])
def test_a_signal_to_the_lab(blepera, mark, name):
    lab = start(blepera, mark, 'sh', '-c', 'echo is up; exec sleep 600')
    lab.expect('is up')
    lab.kill(signal.Signals[name])
    end(lab)
    # Of a lab that was killed the shell that cleans up may outlive it; nobody tells of its end.
    deadline = time.monotonic() + PATIENCE
    while mark.left() and name == 'SIGKILL' and time.monotonic() < deadline:
        time.sleep(0.02)
    assert mark.left() == []
