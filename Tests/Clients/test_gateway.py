"""docs/testing-a-gateway.md shows the files of examples/gateway unchanged, and the page's claims about them hold."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import textwrap

import pytest
import yaml
from blepera_tests.paths import ROOT
from blepera_tests.site import make_site
from program import Program

EXAMPLE = ROOT / 'examples/gateway'
PAGE = (ROOT / 'docs/testing-a-gateway.md').read_text()
SHOWN = ['gateway.py', 'test_gateway.py']


@pytest.mark.parametrize('name', SHOWN)
def test_the_page_shows_the_file(name):
    blocks = re.findall(r'^```\w+\n(.*?)^```$', PAGE, re.MULTILINE | re.DOTALL)
    assert f'`{name}`' in PAGE
    assert (EXAMPLE / name).read_text() in blocks
    assert len(blocks) == len(SHOWN) + 1  # a test that fails, which the reader writes


def test_the_page_shows_the_settings_of_pytest():
    shown = re.search(r'^    \[pytest\]\n(    .*\n)+', PAGE, re.MULTILINE)
    assert shown and textwrap.dedent(shown[0]) == (EXAMPLE / 'pytest.ini').read_text()


def test_nothing_else_is_there():
    others = {'heart-rate.plist', 'pytest.ini', 'requirements.txt', 'pinned.txt', '__pycache__', '.pytest_cache', '.venv'}
    assert {path.name for path in EXAMPLE.iterdir()} - others == set(SHOWN)


@pytest.fixture
def gateway(blepera, tmp_path) -> tuple[pathlib.Path, dict[str, str]]:
    """A copy as the page's reader makes it, and the environment with blepera installed in it."""
    folder = tmp_path / 'gateway'
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns('.venv', '__pycache__', '.pytest_cache'))
    (folder / '.venv').symlink_to(pathlib.Path(sys.prefix))
    (folder / 'blepera/bin').mkdir(parents=True)
    (folder / 'blepera/bin/blepera').symlink_to(blepera)
    environment = {name: value for name, value in os.environ.items() if not name.startswith('PYTEST_')}
    path = f'{folder}/blepera/bin:{folder}/.venv/bin:{os.environ["PATH"]}'
    return folder, {**environment, 'PATH': path, 'PYTHONPATH': str(make_site(tmp_path / 'site'))}


@pytest.mark.parametrize('options', [(), ('--background',)])
def test_the_gateway_runs_beside_a_phone(gateway, options):
    folder, environment = gateway
    lab = ['blepera', 'lab', '--quiet', *options, '--serve', 'heart-rate.plist']
    program = Program(*lab, '--', '.venv/bin/python', 'gateway.py', env=environment, folder=folder)
    assert 60 <= int(program.line('beats per minute').split()[0]) <= 100
    # The signal is Ctrl-C's, which a terminal sends to both; here the lab passes it on.
    assert program.end(signal.SIGINT) == 0


def test_the_job_passes(gateway):
    folder, environment = gateway
    workflow = yaml.safe_load((ROOT / '.github/workflows/with-blepera.yml').read_text())
    environment['COMMAND'] = workflow[True]['workflow_call']['inputs']['command']['default']
    script = next(step['run'] for step in workflow['jobs']['test']['steps'] if step.get('name') == 'Test')
    done = subprocess.run(['bash', '-e', '-c', script], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.findall(r'(\d+) passed', done.stdout) == ['7'], done.stdout


def test_what_is_installed_is_what_the_page_asks_for():
    asked = re.findall(r'^([\w-]+)>=(\d+)$', (EXAMPLE / 'requirements.txt').read_text(), re.MULTILINE)
    assert len(asked) == 3
    for path in (ROOT / 'Tests/Clients/requirements.txt', EXAMPLE / 'pinned.txt'):
        pinned = dict(re.findall(r'^([\w-]+)==(\d+)', path.read_text(), re.MULTILINE))
        for name, version in asked:
            assert int(pinned[name]) >= int(version)
