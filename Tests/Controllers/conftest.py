"""The phone on controllers that blepera did not write, and at the HCI door of a lab, with Bumble's centrals.

    Scripts/python-of lane -m pytest Tests/Controllers [-k WORDS]
"""

import functools
import inspect

import pytest
from bumble.core import BaseBumbleError

pytest_plugins = ['blepera_tests.plugin']
pytest.register_assert_rewrite('stage', 'rig')

import asyncio

from controllers import BumbleControllers, LabDoors, RootCanal
from rig.errors import Failure
from stage import stage_at

LIMIT = 90  # seconds a test, where it has no marker `limit`
MAKERS = {'rootcanal': lambda *_: RootCanal(), 'bumble': lambda *_: BumbleControllers(), 'lab': LabDoors}


@pytest.fixture
async def stage(request, blepera):
    async with stage_at(blepera, MAKERS[request.param]) as stage:
        yield stage


def pytest_collection_modifyitems(items):
    for item in items:
        if inspect.iscoroutinefunction(item.obj):
            marker = item.get_closest_marker('limit')
            item.obj = limited(item.obj, marker.args[0] if marker else LIMIT)


def limited(test, seconds: float):
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

    return run


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.failed and (stage := getattr(item, 'funcargs', {}).get('stage')):
        report.sections += [(f'blepera {number}', str(one)) for number, one in enumerate(stage.phones, start=1)]
    return report
