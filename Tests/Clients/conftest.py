"""What the tests have in common: the program under test, labs, profiles."""

import contextlib
import pathlib
import plistlib
import shutil

import pytest

from lab import Lab

ROOT = pathlib.Path(__file__).parents[2]


def pytest_addoption(parser):
    parser.addoption('--blepera', default=str(ROOT / '.build/release/blepera'), help='the program under test')


@pytest.fixture(scope='session')
def blepera(request) -> str:
    path = pathlib.Path(request.config.getoption('--blepera')).resolve()
    assert path.is_file(), f'there is no program {path}; make release builds it'
    return str(path)


@pytest.fixture
def lab(blepera, monkeypatch):
    """Starts a lab of the test's own, which is where the system bus is until the test ends."""
    with contextlib.ExitStack() as labs:

        def start(*profiles: str, options: tuple[str, ...] = ('--experimental',)) -> Lab:
            phones = [word for profile in profiles for word in ('--serve', str(profile_path(profile)))]
            lab = Lab(blepera, *phones, *options)
            labs.callback(lab.close)
            monkeypatch.setenv('DBUS_SYSTEM_BUS_ADDRESS', lab.bus)
            return lab

        yield start


def profile_path(name: str) -> pathlib.Path:
    shipped = ROOT / f'profiles/{name}.plist'
    return shipped if shipped.exists() else ROOT / f'Tests/RealLane/profiles/{name}.plist'


def long_value() -> bytes:
    """The cached value of 512 bytes in every-kind.plist."""
    profile = plistlib.loads(profile_path('every-kind').read_bytes())
    value = profile['BLEPeripheral']['Services'][0]['Characteristics'][0]['Value']
    assert len(value) == 512
    return value


def assert_installed(*programs: str) -> None:
    for program in programs:
        assert shutil.which(program), f'{program} is missing; Scripts/setup clients installs it'
