"""The micro-VM and its bluetoothd as fixtures, and what a failed test leaves behind.

    [BLUEZ=RELEASE] Scripts/python-of lane -m pytest Tests/RealLane [-k WORDS] [--lf] [--junitxml FILE]
"""

import asyncio
import functools
import inspect
import os
import pathlib
import shutil

import pytest
from blepera_tests.paths import ROOT
from blepera_tests.programs import program
from bumble.core import BaseBumbleError

pytest_plugins = ['blepera_tests.plugin']
pytest.register_assert_rewrite('rig', 'cases')

from rig.bluez import Settings
from rig.errors import Failure, RigError
from rig.stage import Stage
from rig.vm import VM

LIMIT = 90  # seconds a test, where it has no marker `limit`
FAILED = pytest.StashKey[bool]()


def pytest_addoption(parser):
    build = ROOT / '.build'
    parser.addoption(
        '--contract', type=pathlib.Path, default=build / 'demo/release/blepera-contract', help='the program of the contract'
    )
    logs = 'the folder for logs; emptied first'
    parser.addoption('--logs', type=pathlib.Path, default=build / 'lane', help=logs)


def settings_of(item) -> Settings:
    marker = item.get_closest_marker('bluetoothd')
    return Settings(**marker.kwargs) if marker else Settings()


def limit_of(item) -> float:
    marker = item.get_closest_marker('limit')
    return marker.args[0] if marker else LIMIT


def pytest_collection_modifyitems(items):
    """The tests that may take longest come first, so that no process has one of these left when the others end. Tests for
    which bluetoothd runs in the same way come one after the other."""
    items.sort(key=limit_of, reverse=True)
    settings = list(dict.fromkeys(map(settings_of, items)))
    items.sort(key=lambda item: settings.index(settings_of(item)))
    for item in items:
        if inspect.iscoroutinefunction(item.obj):
            item.obj = limited(item.obj, limit_of(item))


def limited(test, seconds: float):
    """The test with a time limit; it fails, too, when bluetoothd ended by itself."""

    @functools.wraps(test)
    async def run(**fixtures):
        try:
            async with asyncio.timeout(seconds) as limit:
                await test(**fixtures)
        except TimeoutError:
            if limit.expired():
                raise Failure(f'the test took more than {seconds:g} s') from None
            raise
        except asyncio.CancelledError as error:
            if asyncio.current_task().cancelling():
                raise  # Ctrl-C
            raise BaseBumbleError('the connection was lost') from error
        if stage := fixtures.get('stage'):
            assert not stage.bluez.crash, stage.bluez.crash

    return run


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.failed:
        item.stash[FAILED] = True
        if stage := getattr(item, 'funcargs', {}).get('stage'):
            report.sections += [(f'blepera {number}', str(one)) for number, one in enumerate(stage.served, start=1)]
            report.sections.append(('logs', f'{log_folder(item)}'))
    return report


def pytest_terminal_summary(terminalreporter):
    """Prints the measurements of the tests."""
    for report in terminalreporter.stats.get('passed', []):
        for name, value in report.user_properties:
            terminalreporter.write_line(f'{name}: {value}')


def logs(config) -> pathlib.Path:
    """The folder for logs; of each of several processes (--numprocesses) one in it."""
    return config.getoption('--logs').resolve() / os.environ.get('PYTEST_XDIST_WORKER', '')


def give_up(reason: str) -> None:
    """Ends the run; one of several processes cannot, and fails each of its cases."""
    if 'PYTEST_XDIST_WORKER' in os.environ:
        pytest.fail(reason, pytrace=False)
    pytest.exit(reason, returncode=3)


def log_folder(item) -> pathlib.Path:
    return logs(item.config) / item.name.replace('/', '-')


@pytest.fixture(scope='session')
def contract(request) -> str:
    return program(request, '--contract')


@pytest.fixture(scope='session')
async def machine(request, blepera):
    """The micro-VM, which boots once, with its bluetoothd."""
    folder = logs(request.config)
    shutil.rmtree(folder, ignore_errors=True)
    try:
        async with VM(folder) as vm:
            stage = Stage(vm, pathlib.Path(blepera))
            await stage.set_up()
            yield stage
    except RigError as error:
        give_up(f'{error}')


@pytest.fixture
def exact(request) -> bool:
    """Whether the phones of the test have --exact; for `parametrize` with `indirect`, see cases.phone."""
    return getattr(request, 'param', False)


@pytest.fixture
async def stage(request, machine, exact):
    """The machine as the test's marker `bluetoothd` wants it; afterwards everything of the test is ended."""
    if machine.vm.has_ended:
        give_up('the micro-VM ended')
    await machine.prepare(settings_of(request.node))
    machine.exact = exact
    yield machine
    failed = request.node.stash.get(FAILED, False)
    if failed:
        machine.write_logs(log_folder(request.node))
    await machine.clear(everything=failed)
