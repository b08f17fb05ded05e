"""The pytest plugin keeps the reports of tests, whatever their names are and whatever the disk does."""

import os
import pathlib
import re
import subprocess
import sys

import pytest
from blepera.plugin import LONGEST_NAME, report_name
from blepera_tests.paths import ROOT
from blepera_tests.site import make_site

TESTS = """
import pytest

pytestmark = pytest.mark.blepera(profile='heart-rate')


@pytest.mark.parametrize('kind', ['x' * 300])
def test_that_fails(blepera_phone, kind):
    assert not blepera_phone.states


def test_that_passes(blepera_phone):
    assert blepera_phone.states
"""


def play(blepera, folder: pathlib.Path, *options: str, tests: str = TESTS, status: int = 1) -> str:
    """The output of pytest for the tests, with the plugin in the same place as in an environment with the wheel."""
    folder.mkdir(exist_ok=True)
    (folder / 'test_it.py').write_text(tests)
    environment = {name: value for name, value in os.environ.items() if not name.startswith('PYTEST_')}
    environment['PYTHONPATH'] = str(make_site(folder / 'site'))
    words = [
        sys.executable, '-m', 'pytest', '-q', '-p', 'no:asyncio', '--rootdir', '.', f'--blepera-program={blepera}', *options,
        'test_it.py']
    (folder / 'heart-rate').write_bytes((ROOT / 'profiles/heart-rate.plist').read_bytes())
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


SHARED = """
import os

import pytest


@pytest.fixture(scope='SCOPE')
def phone(blepera_lab_factory):
    with blepera_lab_factory(profile='heart-rate') as lab:
        yield lab.phone


class TestShared:
    def test_first(self, phone):
        phone.background()
        phone.wait_for('state', state='background')

    def test_that_fails(self, phone):
        assert phone.states == {'org.blepera.heart-rate': 'background'}
        phone.foreground()
        phone.wait_for('state', state='background', timeout=0.1)

    @pytest.mark.blepera(profile='heart-rate')
    def test_with_a_phone_of_its_own(self, phone, blepera_phone):
        assert phone.states == {'org.blepera.heart-rate': 'foreground'}
        blepera_phone.background()
        assert phone.states == {'org.blepera.heart-rate': 'foreground'}
        assert os.environ['DBUS_SYSTEM_BUS_ADDRESS'] == blepera_phone._environment['DBUS_SYSTEM_BUS_ADDRESS']

    def test_last(self, phone):
        assert os.environ['DBUS_SYSTEM_BUS_ADDRESS'] == phone._environment['DBUS_SYSTEM_BUS_ADDRESS']


def test_without():
    assert 'BLEPERA_PHONES' not in os.environ
"""


@pytest.mark.parametrize(
    ('scope', 'options'), [('class', ()), ('module', ('--deselect', 'test_it.py::test_without')), ('session', ('-k', 'Shared'))],
    ids=['class', 'module', 'session'])
def test_tests_share_a_phone(blepera, tmp_path, scope, options):
    """A failure names the report; outside of the scope the environment is as it was."""
    shown = play(blepera, tmp_path, *options, tests=SHARED.replace('SCOPE', scope))
    assert re.search(r'1 failed, \d passed', shown), shown
    assert 'an earlier one is there, which since=0 finds' in shown
    [report] = (tmp_path / 'blepera-reports').iterdir()
    assert report.name == 'test_it.py-TestShared-test_that_fails.shared.html'
    assert f'report: blepera-reports/{report.name}\n' in shown
    assert report.read_text().startswith('<!')


LIKE = """
import pytest


@pytest.mark.blepera(profile='heart-rate', like='my.plist')
def test_it(blepera_phone):
    event = blepera_phone.wait_for('advertising', since=0)
    assert event['interval'] == {'minimum': 417.5, 'maximum': 417.5}
"""


def test_a_phone_that_was_measured(blepera, tmp_path):
    (tmp_path / 'my.plist').write_text('{ Phone = test; foregroundInterval = 417.5; }')
    assert '1 passed' in play(blepera, tmp_path, tests=LIKE, status=0)


NAMES = """
import pytest


@pytest.mark.blepera(profile=['heart-rate', 'heart-rate'], device_name=["Ada's iPhone", 'iPad'])
def test_it(blepera_lab):
    options = [phone.status()['options'] for phone in blepera_lab.phones.values()]
    names = [[option for option in each if option.startswith('--device-name')] for each in options]
    assert names == [["--device-name Ada's iPhone"], ['--device-name iPad']]
"""


def test_phones_with_names(blepera, tmp_path):
    assert '1 passed' in play(blepera, tmp_path, tests=NAMES, status=0)


SHIPPED = """
import pytest


@pytest.mark.blepera(profile='NAME')
def test_it(blepera_phone):
    assert list(blepera_phone.states) == ['org.blepera.smart-lock']
"""


@pytest.mark.parametrize(
    ('name', 'status', 'shown'),
    [('smart-lock', 0, '1 passed'), ('tea', 1, "/tea, and none of blepera's own has that name: challenge-lock, ")])
def test_the_plugin_of_a_clone_has_the_profiles_of_the_clone(blepera, tmp_path, name, status, shown):
    """Without the wheel, in the way that docs/pytest.md shows."""
    assert 'PYTHONPATH=Packaging/python pytest -p blepera.plugin' in (ROOT / 'docs/pytest.md').read_text()
    (tmp_path / 'test_it.py').write_text(SHIPPED.replace('NAME', name))
    environment = {key: value for key, value in os.environ.items() if not key.startswith('PYTEST_')}
    words = [
        sys.executable, '-m', 'pytest', '-q', '-p', 'blepera.plugin', f'--blepera-program={blepera}', '--rootdir', tmp_path,
        tmp_path]
    done = subprocess.run(
        words, cwd=ROOT, env={**environment, 'PYTHONPATH': 'Packaging/python'}, capture_output=True, text=True)
    assert (done.returncode, shown in done.stdout) == (status, True), done.stdout + done.stderr


def test_a_package_without_profiles_names_none(blepera, tmp_path):
    shown = play(blepera, tmp_path, tests=SHIPPED.replace('NAME', 'smart-lock'))
    sentence = r'there is no profile \S+/smart-lock, and the Python package in \S+ has no profiles of its own\n'
    assert re.search(sentence, shown), shown


HOST = """
import asyncio
import os

import pytest
from bumble.core import AdvertisingData
from bumble.device import Device
from bumble.hci import Address
from bumble.transport import open_transport


async def scan():
    async with await open_transport(os.environ['BLEPERA_HCI']) as (source, sink):
        device = Device.with_hci('scanner', Address('F0:F1:F2:F3:F4:F5'), source, sink)
        seen = asyncio.Queue()
        device.on('advertisement', seen.put_nowait)
        await device.power_on()
        await device.start_scanning()
        return (await asyncio.wait_for(seen.get(), 60)).data.get(AdvertisingData.COMPLETE_LOCAL_NAME)


@pytest.mark.blepera(profile='heart-rate', hci='tcp:0')
def test_it(blepera_lab):
    assert asyncio.run(scan()) == 'Heart Rate'
    assert blepera_lab.wait_for('hostAttached', since=0)['host'] == os.environ['BLEPERA_HCI']
"""


def test_a_host_attaches_to_the_lab_of_a_test(blepera, tmp_path):
    assert '1 passed' in play(blepera, tmp_path, tests=HOST, status=0)


PARALLEL = """
import pytest

pytestmark = pytest.mark.blepera(profile='heart-rate')


@pytest.mark.parametrize('number', range(12))
def test_it(blepera_phone, number):
    blepera_phone.background()
    assert blepera_phone.wait_for('state', state='background')['app'] == 'org.blepera.heart-rate'
    assert len(blepera_phone.events) < 20
"""


def test_four_workers(blepera, tmp_path):
    shown = play(blepera, tmp_path, '-p', 'xdist', '--numprocesses', '4', tests=PARALLEL, status=0)
    assert '12 passed' in shown


def test_a_long_name_is_cut(blepera, tmp_path):
    shown = play(blepera, tmp_path)
    assert '1 failed, 1 passed' in shown
    [report] = (tmp_path / 'blepera-reports').iterdir()
    assert len(report.name.encode()) < 200
    assert f'report: blepera-reports/{report.name}\n' in shown
    assert report.read_text().startswith('<!')
    assert report.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize('options', [(), ('-W', 'error')], ids=['usual', 'warnings are errors'])
def test_a_report_that_cannot_be_kept_is_a_warning(blepera, tmp_path, options):
    (tmp_path / 'file').write_text('')
    shown = play(blepera, tmp_path, '--blepera-reports=file/reports', *options)
    assert re.search(r'1 failed, 1 passed, 1 warning', shown), shown
    assert 'cannot be kept: Not a directory' in shown and 'INTERNALERROR' not in shown


def test_a_report_is_replaced_as_a_whole(blepera, tmp_path):
    """An older report stays where the new one cannot take its place, and nothing else is left."""
    play(blepera, tmp_path)
    [report] = (tmp_path / 'blepera-reports').iterdir()
    report.unlink()
    (report / 'older').mkdir(parents=True)
    shown = play(blepera, tmp_path / 'again', f'--blepera-reports={tmp_path}/blepera-reports')
    assert 'cannot be kept: Is a directory' in shown
    assert [path.name for path in (tmp_path / 'blepera-reports').iterdir()] == [report.name]


@pytest.mark.parametrize(
    ('node', 'name'),
    [
        ('tests/test_a.py::test_b', 'tests-test_a.py-test_b'),
        ('test_a.py::TestB::test_c', 'test_a.py-TestB-test_c'),
        ('../test_a.py::test_b', '..-test_a.py-test_b'),
    ])
def test_an_ordinary_name_is_readable(node, name):
    assert report_name(node) == name


def test_no_two_tests_have_one_name():
    nodes = [
        'a/b.py::c', 'a-b.py::c', 'a/b.py::c-', 'a/b.py::[c]', 'a/b.py::c[1]', 'a/b.py::c[-1]', 'a/b.py::c[ 1]', 'a.py/b.py::c',
        'a.py::b.py::c', 'a.txt::b.txt', '', '\udc80', *('a.py::' + 'é' * LONGEST_NAME + end for end in 'xyz')]
    names = [report_name(node) for node in nodes]
    assert len(set(names)) == len(nodes)
    assert all(len(name.encode()) <= LONGEST_NAME + 13 and '/' not in name for name in names)
