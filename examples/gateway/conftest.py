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
    """What to set in the environment to be where a phone is on the radio, and to command it."""
    # --experimental for an iPhone's advertising intervals; bluetoothd 5.66 has one of 1.28 s without it.
    words = ['blepera', 'lab', '--quiet', '--experimental', '--serve', str(PROFILE), *options]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        try:
            line = process.stdout.readline()  # export DBUS_SYSTEM_BUS_ADDRESS='...' and more of the kind
            assert line, 'blepera lab has not started; it says above why'
            yield dict(word.split('=', 1) for word in shlex.split(line)[1:])
        finally:
            process.send_signal(signal.SIGINT)


@pytest.fixture
def phone(monkeypatch):
    """Starts a phone: phone(), phone('--background'), phone('--rssi', '-90')."""
    with contextlib.ExitStack() as labs:

        def start(*options):
            for name, value in labs.enter_context(lab(*options)).items():
                monkeypatch.setenv(name, value)

        yield start
