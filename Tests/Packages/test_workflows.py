"""The workflows for GitHub: they fit its schema, and their commands are those of the documentation."""

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
