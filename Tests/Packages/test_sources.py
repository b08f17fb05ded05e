"""The checks that need no package: the workflows for GitHub, the types of the Python package, the manual pages."""

import re
import subprocess
import sys
import textwrap

import pytest
import yaml
from blepera_tests.paths import ROOT

SECURITY = (ROOT / 'SECURITY.md').read_text()
WORKFLOWS = [*sorted((ROOT / '.github/workflows').glob('*.yml')), ROOT / 'examples/sweep/github.yml']
READS = {'contents': 'read'}
# The other permissions of jobs.
GRANTED = {
    ('release.yml', 'release'): {'actions': 'read', 'contents': 'write'},
    ('release.yml', 'pypi'): {'actions': 'read', 'contents': 'read', 'id-token': 'write'},
    ('release.yml', 'image'): {'actions': 'read', 'contents': 'read', 'packages': 'write'},
    ('release.yml', 'images'): {'packages': 'write'},
    ('github.yml', 'merge'): {'actions': 'read', 'contents': 'read'},
}


def jobs(path) -> dict:
    return yaml.safe_load(path.read_text())['jobs']


def scripts(path) -> list[str]:
    return [step['run'] for job in jobs(path).values() for step in job['steps'] if 'run' in step]


@pytest.mark.parametrize('path', WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_fits_the_schema(path):
    command = [f'{sys.prefix}/bin/check-jsonschema', '--builtin-schema', 'vendor.github-workflows', str(path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize('path', WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_only_reads_and_jobs_may_do_what_is_listed(path):
    assert yaml.safe_load(path.read_text())['permissions'] == READS
    granted = {name: job['permissions'] for name, job in jobs(path).items() if 'permissions' in job}
    assert granted == {name: allowed for (file, name), allowed in GRANTED.items() if file == path.name}


@pytest.mark.parametrize('path', WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned_by_commit(path):
    """SECURITY.md lists them, with the tag that each commit has."""
    used = re.findall(r'^ +-? *uses: (\S+)(?: # (\S+))?$', path.read_text(), re.MULTILINE)
    steps = [step for job in jobs(path).values() for step in job['steps']]
    assert [name for name, _ in used] == [step['uses'] for step in steps if 'uses' in step]
    for name, tag in used:
        action, commit = name.split('@')
        assert re.fullmatch('[0-9a-f]{40}', commit)
        assert f'| `{action}` | {tag} | `{commit}` |' in SECURITY


def test_an_image_is_pinned_by_its_digest_or_listed():
    images = set(re.findall(r'^FROM (\S+)', (ROOT / 'Packaging/Containerfile').read_text(), re.MULTILINE))
    containers = [job['container'] for path in WORKFLOWS for job in jobs(path).values() if 'container' in job]
    images |= {container if isinstance(container, str) else container['image'] for container in containers}
    assert len(images) == 2
    for image in images:
        name, _, tag = image.rpartition(':')
        assert re.fullmatch('.*@sha256:[0-9a-f]{64}', image) or f'| `{name}` | {tag} |' in SECURITY


@pytest.mark.parametrize('path', WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_installs_nothing_by_a_name(path):
    """But the wheel whose address it is given, and what files of requirements have; files of this project have hashes."""
    text = '\n'.join(scripts(path))
    for words in re.findall(r'pip install (.*)', text):
        if re.fullmatch(r'--no-deps "\$\w+"|-r "\$\w+"', words):
            continue
        [name] = re.fullmatch(r'--require-hashes -r (\S+)', words).groups()
        file = next(folder / name for folder in (path.parent, ROOT) if (folder / name).exists())
        entries = file.read_text().replace('\\\n', '').splitlines()
        assert all('==' in entry and '--hash=sha256:' in entry for entry in entries if not entry.startswith('#'))
    for other in ('apt', 'npm', 'curl', 'wget', 'pipx'):
        assert not re.search(rf'\b{other}\b', text)


@pytest.mark.parametrize('path', WORKFLOWS, ids=lambda path: path.name)
def test_a_container_has_make_before_it_is_used(path):
    """Swift's images have none."""
    for job in jobs(path).values():
        lines = '\n'.join(step.get('run', '') for step in job['steps']).splitlines()
        makes = [number for number, line in enumerate(lines) if line.startswith('make ')]
        if 'container' in job and makes:
            assert 'Scripts/setup build' in lines[: makes[0]]


@pytest.mark.parametrize('path', WORKFLOWS, ids=lambda path: path.name)
def test_the_scripts_of_a_workflow_can_be_run(path):
    """By bash; with targets and files that are there. Values come as variables, so that none can add commands."""
    for script in scripts(path):
        assert '${{' not in script
        done = subprocess.run(['bash', '-n', '-c', script], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        for target in re.findall(r'^make (\S+)', script, re.MULTILINE):
            assert re.search(rf'^{target}:', (ROOT / 'Makefile').read_text(), re.MULTILINE), target
        for name in re.findall(r'--file (\S+)', script):
            assert (ROOT / name).exists(), name


STUB = """#!/bin/sh
echo "${0##*/} $*" >>"$CALLS"
[ "$1 $2" != "run download" ] || for name in x86-64:amd64 arm64:arm64; do
  mkdir -p artifacts/packages-${name%:*}
  touch artifacts/packages-${name%:*}/blepera_0.1.0_${name#*:}.deb artifacts/packages-${name%:*}/blepera-0.1.0-${name#*:}.whl
done
"""


@pytest.mark.parametrize(('job', 'expected'), [
    ('release', ['gh release create v0.1.0',
                 (' packages/SHA256SUMS packages/blepera-0.1.0-amd64.whl packages/blepera-0.1.0-arm64.whl '
                  'packages/blepera_0.1.0_amd64.deb packages/blepera_0.1.0_arm64.deb\n')]),
    ('pypi', [('python -m twine upload --non-interactive artifacts/packages-arm64/blepera-0.1.0-arm64.whl '
               'artifacts/packages-x86-64/blepera-0.1.0-amd64.whl\n')]),
    ('image', ['gh run download 17 --name packages-arm64', '--tag ghcr.io/owner/blepera:0.1.0-arm64 artifacts',
               'docker push ghcr.io/owner/blepera:0.1.0-arm64\n']),
    ('images', ['--tag ghcr.io/owner/blepera:0.1.0 ghcr.io/owner/blepera:0.1.0-x86-64 ghcr.io/owner/blepera:0.1.0-arm64\n']),
])
def test_a_job_of_the_release_with_stubs(tmp_path, job, expected):
    """Runs the scripts with stubs for the programs that need GitHub, PyPI or Docker."""
    for name in ('gh', 'docker', 'python'):
        (tmp_path / name).write_text(STUB)
        (tmp_path / name).chmod(0o755)
    environment = {
        'PATH': f'{tmp_path}:/usr/bin:/bin', 'CALLS': str(tmp_path / 'calls'), 'GITHUB_REPOSITORY': 'Owner/blepera',
        'GITHUB_REF_NAME': 'v0.1.0', 'GITHUB_RUN_ID': '17', 'GITHUB_ACTOR': 'owner', 'GH_TOKEN': 'x', 'ARCHITECTURE': 'arm64'}
    for step in jobs(ROOT / '.github/workflows/release.yml')[job]['steps']:
        if 'run' in step:
            subprocess.run(['bash', '-e', '-c', step['run']], cwd=tmp_path, env=environment, check=True)
    calls = (tmp_path / 'calls').read_text()
    assert [words for words in expected if words not in calls] == [], calls


def test_the_inputs_of_the_reusable_workflow():
    workflow = yaml.safe_load((ROOT / '.github/workflows/with-blepera.yml').read_text())
    assert set(workflow[True]['workflow_call']['inputs']) == {  # YAML reads the key `on` as true
        'blepera', 'command', 'folder', 'python-version', 'requirements'}


# pytest 9 has no syntax of 3.9, so that the package is checked without pytest for it.
TYPES = {
    'strict': ('--strict', '--disable-error-code', 'maybe-unrecognized-str-typeform'),  # mypy 1.20 on pytest's `addini`
    'Python 3.9': ('--python-version', '3.9', '--no-site-packages', '--ignore-missing-imports'),
}


@pytest.mark.parametrize('options', TYPES.values(), ids=TYPES)
def test_the_types_of_the_python_package_agree(options, tmp_path):
    command = [sys.executable, '-m', 'mypy', *options, '--cache-dir', str(tmp_path), 'Packaging/python/blepera']
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


USE = """
    from blepera import App, ATTError, Central, Service

    app = App('org.example.typed', restore_identifier='typed')
    service = Service('180D')
    rate = service.characteristic('2A37', 'read', 'write', 'notify')


    @rate.on_read
    async def read(central: Central) -> bytes:
        await rate.update(b'1', central)
        return b'1'


    @rate.on_write
    def write(central: Central, value: bytes) -> None:
        raise ATTError(0x80)


    @app.on_state
    def state_changed(state: str) -> None:
        print(state, [central.id for central in rate.subscribers])


    app.add(service)
    app.advertise('Typed', [service])
    app.run()
"""
MISTAKES = {
    "'notify')": ("'notifies')", 'arg-type'),
    'def write(central: Central, value: bytes)': ('def write(value: bytes)', 'type-var'),
    "app.advertise('Typed', [service])": ('app.advertise([service])', 'arg-type'),
}


def test_mypy_finds_the_mistakes_of_an_app(tmp_path):
    def check(text: str) -> str:
        (tmp_path / 'use.py').write_text(textwrap.dedent(text))
        command = [
            sys.executable, '-m', 'mypy', '--strict', '--python-version', '3.9', '--no-site-packages', '--ignore-missing-imports',
            '--cache-dir', str(tmp_path), 'use.py']
        environment = {'MYPYPATH': str(ROOT / 'Packaging/python')}
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True).stdout

    assert check(USE).startswith('Success')
    for right, (wrong, code) in MISTAKES.items():
        shown = check(USE.replace(right, wrong))
        assert f'[{code}]' in shown, f'{wrong}: {shown}'


def test_the_manual_has_a_page_for_each_command_and_topic(blepera, tmp_path):
    subprocess.run([ROOT / 'Packaging/manual', blepera, tmp_path], check=True)
    commands = re.findall(r'^  (\w+)  +\w', subprocess.run(
        [blepera, '--help'], check=True, capture_output=True, text=True).stdout.partition('SUBCOMMANDS:')[2], re.MULTILINE)
    pages = {path.name for path in tmp_path.rglob('*.?')}
    assert len(commands) > 25
    assert {f'blepera-{command}.1' for command in commands} <= pages
    assert {
        'blepera.1', 'blepera-scenario-run.1', 'blepera-profile.5', 'blepera-accessory.5', 'blepera-scenario.5',
        'blepera-rules.7', 'blepera-overflow.7'} <= pages
    for path in tmp_path.rglob('*.?'):
        text = path.read_text()
        assert text.count('.nf') == text.count('.fi') and text.count('.RS') == text.count('.RE'), path.name
        assert '@SHARE@' not in text or path.name == 'blepera.1'
