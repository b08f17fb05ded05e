"""The fixtures of all tests with clients: the program under test, labs, profiles."""

import contextlib
import plistlib
import shutil

import pytest
from blepera_tests.paths import profile_path

from lab import Lab

pytest_plugins = ['blepera_tests.plugin']


def pytest_addoption(parser):
    parser.addoption('--write-pages', action='store_true', help='write the tables of pages that tests otherwise compare')


def pytest_collection_modifyitems(items):
    """The longest first: two take a minute, which would otherwise be one process's at the end."""
    items.sort(key=lambda item: item.path.name not in ('test_transcripts.py', 'test_which_clients.py'))


@pytest.fixture(autouse=True)
def own_state(monkeypatch, tmp_path_factory):
    """Each test has phones that are new: the phone of the user may have its screen off."""
    monkeypatch.setenv('XDG_STATE_HOME', str(tmp_path_factory.mktemp('state')))


@pytest.fixture
def lab(blepera, monkeypatch):
    """Starts a lab of the test's own, which is where the system bus is until the test ends."""
    with contextlib.ExitStack() as labs:

        def start(*profiles: str, options: tuple[str, ...] = ('--experimental',), is_private: bool = False) -> Lab:
            paths = [profile if '/' in profile else str(profile_path(profile)) for profile in profiles]
            phones = [word for path in paths for word in ('--serve', path)]
            lab = Lab(blepera, *([] if is_private else ['--public-address']), *phones, *options)
            labs.callback(lab.close)
            for name, value in lab.settings.items():
                monkeypatch.setenv(name, value)
            return lab

        yield start


@pytest.fixture
def captured_lab(lab, tmp_path):
    """A lab whose capture tshark dissects without a fault after the test."""
    file = tmp_path / 'air.pcap'

    def start(*profiles: str, options: tuple[str, ...]) -> Lab:
        return lab(*profiles, options=(*options, '--pcap', str(file)), is_private=True)

    yield start
    from test_captures import Capture

    assert Capture(file).packets


def long_value() -> bytes:
    """The cached value of 512 bytes in every-kind.plist."""
    profile = plistlib.loads(profile_path('every-kind').read_bytes())
    value = profile['BLEPeripheral']['Services'][0]['Characteristics'][0]['Value']
    assert len(value) == 512
    return value


def assert_installed(*programs: str) -> None:
    for program in programs:
        assert shutil.which(program), f'{program} is missing; Scripts/setup clients installs it'
