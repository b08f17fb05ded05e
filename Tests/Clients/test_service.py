"""A phone that a service manager runs, and `serve` beside it: Bluetooth that is on later, a phone that is killed."""

import contextlib
import os
import signal
import socket
import subprocess

import pytest
from blepera_tests.paths import profile_path

from program import TIMEOUT, Program

PROFILE = str(profile_path('heart-rate'))


class Manager:
    """The part of systemd that receives states."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(path))
        self.socket.settimeout(TIMEOUT)
        self.variables = {**os.environ, 'NOTIFY_SOCKET': str(path), 'WATCHDOG_USEC': '200000'}

    def next(self) -> str:
        return self.socket.recv(64).decode()

    def until(self, state: str) -> None:
        while self.next() != state:
            pass


@pytest.fixture
def manager(lab, tmp_path):
    lab()
    manager = Manager(tmp_path / 'notify')
    yield manager
    manager.socket.close()


@pytest.fixture
def start(blepera):
    """Starts programs, which have ended when the test has."""
    with contextlib.ExitStack() as programs:

        def start(*words: str, env: dict[str, str] | None = None) -> Program:
            program = Program(blepera, *words, env=env)
            programs.callback(program.end, signal.SIGKILL)
            return program

        yield start


def set_power(is_on: bool) -> None:
    set = ['busctl', '--address', os.environ['DBUS_SYSTEM_BUS_ADDRESS'], 'set-property', 'org.bluez', '/org/bluez/hci0']
    subprocess.run([*set, 'org.bluez.Adapter1', 'Powered', 'b', str(is_on).lower()], check=True)


def test_a_phone_that_is_killed(start, manager):
    """`serve` starts none of its own, and serves on the one that is started in its place."""
    phone = start('system', env=manager.variables)
    assert [manager.next() for _ in range(3)] == ['READY=1', 'WATCHDOG=1', 'WATCHDOG=1']
    app = start('serve', PROFILE)
    app.line('advertising')
    assert phone.end(signal.SIGKILL) == -signal.SIGKILL
    app.line('waiting until it is started again')
    late = start('serve', str(profile_path('smart-lock')))
    late.line('waiting until it is started again')
    again = start('system', env=manager.variables)
    manager.until('READY=1')
    late.line('advertising')
    app.wait_for(lambda: sum('advertising' in line for line in app.output) > 1, 'advertisement on the second phone')
    assert not [line for one in (app, late) for line in one.errors if 'has started' in line]
    for one in (app, late):
        assert one.end(signal.SIGINT) == 0
    assert again.end(signal.SIGTERM) == 143
    manager.until('STOPPING=1')


def test_bluetooth_that_is_on_later(start, manager):
    """The app is launched, ready, and on the air when Bluetooth is."""
    set_power(False)
    phone = start('system', env=manager.variables)
    manager.until('READY=1')
    app = start('serve', PROFILE, env=manager.variables)
    app.line('waiting until it is on')
    manager.until('READY=1')
    assert not [line for line in app.output if 'advertising' in line]
    set_power(True)
    app.line('advertising')
    assert app.end(signal.SIGINT) == 0
    assert phone.end(signal.SIGTERM) == 143


def test_an_app_that_is_terminated_by_its_user(blepera, start, manager):
    """A termination by the user is not a failure, so a unit does not launch the app again."""
    phone = start('system')
    phone.line('powered on')
    app = start('serve', PROFILE)
    app.line('advertising')
    subprocess.run([blepera, 'terminate'], check=True)
    assert app.wait() == 0
    assert app.errors[-1] == 'The phone has terminated org.blepera.heart-rate: memory pressure.'
    assert phone.end(signal.SIGTERM) == 143
