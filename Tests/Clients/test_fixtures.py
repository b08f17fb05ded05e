"""The pytest plugin keeps the reports of tests, whatever their names are and whatever the disk does."""

import os
import pathlib
import re
import subprocess
import sys

import pytest
from blepera_tests.paths import ROOT
from blepera_tests.site import make_site

sys.path.insert(0, str(ROOT / 'Packaging/python'))
from blepera.plugin import LONGEST_NAME, report_name  # noqa: E402

TESTS = """
import pytest

pytestmark = pytest.mark.blepera(profile='heart-rate')


@pytest.mark.parametrize('kind', ['x' * 300])
def test_that_fails(phone, kind):
    assert not phone.states


def test_that_passes(phone):
    assert phone.states
"""


def play(blepera, folder: pathlib.Path, *options: str) -> str:
    """What pytest prints for the tests, with the plugin where an environment with the wheel has it."""
    folder.mkdir(exist_ok=True)
    (folder / 'test_it.py').write_text(TESTS)
    environment = {name: value for name, value in os.environ.items() if not name.startswith('PYTEST_')}
    environment['PYTHONPATH'] = str(make_site(folder / 'site'))
    words = [
        sys.executable, '-m', 'pytest', '-q', '-p', 'no:asyncio', '--rootdir', '.', f'--blepera-program={blepera}', *options,
        'test_it.py']
    (folder / 'heart-rate').write_bytes((ROOT / 'profiles/heart-rate.plist').read_bytes())
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout


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
