"""Phones for tests: each test starts its own, on a radio that nobody else hears."""

import contextlib
import pathlib
import shlex
import signal
import subprocess

import pytest

PROFILE = pathlib.Path(__file__).with_name('heart-rate.plist')


@contextlib.contextmanager
def lab(*options):
    """The address of a system bus with a phone on its radio."""
    # --experimental for an iPhone's advertising intervals; bluetoothd 5.66 has one of 1.28 s without it.
    words = ['blepera', 'lab', '--quiet', '--experimental', '--serve', str(PROFILE), *options]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        try:
            line = process.stdout.readline()  # export DBUS_SYSTEM_BUS_ADDRESS=...
            assert line, 'blepera lab has not started; it says above why'
            yield shlex.split(line)[1].partition('=')[2]
        finally:
            process.send_signal(signal.SIGINT)


@pytest.fixture
def phone(monkeypatch):
    """Starts a phone: phone(), phone('--background'), phone('--rssi', '-90')."""
    with contextlib.ExitStack() as labs:

        def start(*options):
            monkeypatch.setenv('DBUS_SYSTEM_BUS_ADDRESS', labs.enter_context(lab(*options)))

        yield start
