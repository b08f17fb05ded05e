"""The machine as a fixture: a disk of its own for each file of tests, with the Debian package beside it."""

import logging
import pathlib
import shutil

import pytest
from blepera_tests.paths import ROOT

pytest_plugins = ['blepera_tests.plugin']
pytest.register_assert_rewrite('rig')

from disk import folder
from machine import Disks


def pytest_addoption(parser):
    build = ROOT / '.build'
    parser.addoption('--packages', type=pathlib.Path, default=build / 'packages', help='the folder of the package under test')
    parser.addoption('--logs', type=pathlib.Path, default=build / 'machine', help='the folder for logs; emptied first')


@pytest.fixture(scope='session')
def disks(request, tmp_path_factory):
    """Disks that machines boot from, one after the other."""
    found = list(request.config.getoption('--packages').resolve().glob('*.deb'))
    if len(found) != 1 or not folder().exists():
        pytest.exit('make packages builds the package, Scripts/setup packages-test the disk', returncode=2)
    logs = request.config.getoption('--logs').resolve()
    shutil.rmtree(logs, ignore_errors=True)
    logs.mkdir(parents=True)
    logging.basicConfig(filename=logs / 'bumble.txt', level=logging.WARNING)
    disks = Disks(tmp_path_factory.mktemp('disks'), found[0], logs)
    yield disks
    disks.remove()
