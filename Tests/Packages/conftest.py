"""The fixtures of all tests of packages: the built packages, and clean roots to install them into."""

import pathlib
import shutil

import pytest
from blepera_tests.paths import ROOT

from root import CACHE, SUITES, Root

pytest_plugins = ['blepera_tests.plugin']


def pytest_addoption(parser):
    default = ROOT / '.build/packages'
    parser.addoption('--packages', type=pathlib.Path, default=default, help='the folder of the packages under test')


def package(request, ending: str) -> pathlib.Path:
    found = list(request.config.getoption('--packages').resolve().glob(f'*{ending}'))
    if len(found) != 1:
        pytest.exit(f'there is not one {ending} but {len(found)}; build it with make packages', returncode=2)
    return found[0]


@pytest.fixture(scope='session')
def deb(request) -> pathlib.Path:
    return package(request, '.deb')


@pytest.fixture(scope='session')
def wheel(request) -> pathlib.Path:
    return package(request, '.whl')


@pytest.fixture(scope='session')
def material(tmp_path_factory, deb, wheel) -> pathlib.Path:
    """The folder that a root sees at /srv/material: the packages, examples, and the Python packages that it needs."""
    folder = tmp_path_factory.mktemp('material')
    folder.chmod(0o755)
    shutil.copy(deb, folder)
    shutil.copy(wheel, folder)
    for name in ('gateway', 'lamp'):
        shutil.copytree(ROOT / 'examples' / name, folder / name, symlinks=False)
    shutil.copytree(ROOT / 'profiles', folder / 'home/profiles')
    shutil.copytree(ROOT / 'scenarios', folder / 'home/scenarios')
    [wheels] = [path for path in CACHE.glob('wheels-*') if (path / 'complete').exists()][-1:]
    shutil.copytree(wheels, folder / 'wheels')
    return folder


@pytest.fixture(scope='module', params=SUITES)
def root(request, material):
    """A root for the tests of a file."""
    root = Root(request.param, material)
    yield root
    root.close()
