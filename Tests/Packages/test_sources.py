"""What needs no package to be built: the workflows for GitHub, the types of the Python package, the manual pages."""

import re
import subprocess
import sys

import pytest
import yaml
from blepera_tests.paths import ROOT

WORKFLOWS = [*sorted((ROOT / '.github/workflows').glob('*.yml')), ROOT / 'examples/gateway/ci.yml']


@pytest.mark.parametrize('path', WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_fits_the_schema(path):
    command = [f'{sys.prefix}/bin/check-jsonschema', '--builtin-schema', 'vendor.github-workflows', str(path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_input_of_the_reusable_workflow_is_part_of_a_script():
    """A script gets inputs as variables, so that a value cannot add commands."""
    workflow = yaml.safe_load((ROOT / '.github/workflows/with-blepera.yml').read_text())
    [job] = workflow['jobs'].values()
    for step in job['steps']:
        assert '${{' not in step.get('run', '')
    assert set(workflow[True]['workflow_call']['inputs']) == {  # YAML reads the key `on` as true
        'blepera', 'command', 'folder', 'python-version', 'requirements'}


def test_the_types_of_the_python_package_agree(tmp_path):
    command = [sys.executable, '-m', 'mypy', '--strict', '--cache-dir', str(tmp_path), 'Packaging/python/blepera']
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_manual_has_a_page_for_each_command_and_topic(blepera, tmp_path):
    subprocess.run([ROOT / 'Packaging/manual', blepera, tmp_path], check=True)
    commands = re.findall(r'^  (\w+)  +\w', subprocess.run(
        [blepera, '--help'], check=True, capture_output=True, text=True).stdout.partition('SUBCOMMANDS:')[2], re.MULTILINE)
    pages = {path.name for path in tmp_path.rglob('*.?')}
    assert len(commands) > 25
    assert {f'blepera-{command}.1' for command in commands} <= pages
    assert {'blepera.1', 'blepera-scenario-run.1', 'blepera-profile.5', 'blepera-rules.7', 'blepera-overflow.7'} <= pages
    for path in tmp_path.rglob('*.?'):
        text = path.read_text()
        assert text.count('.nf') == text.count('.fi') and text.count('.RS') == text.count('.RE'), path.name
        assert '@SHARE@' not in text or path.name == 'blepera.1'
