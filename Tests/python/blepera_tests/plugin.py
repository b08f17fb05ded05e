"""The pytest option and fixture for the program under test; a conftest.py loads them with `pytest_plugins`."""

import pathlib

import pytest

from .paths import ROOT
from .programs import program


def pytest_addoption(parser):
    default = ROOT / '.build/release/blepera'
    parser.addoption('--blepera', type=pathlib.Path, default=default, help='the program under test')


@pytest.fixture(scope='session')
def blepera(request) -> str:
    return program(request, '--blepera')
