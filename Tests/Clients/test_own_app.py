"""An app of one's own in a lab: `lab --app`, the mark of the plugin, and the tests of examples/ios-app and two-apps."""

import os
import pathlib
import shlex
import shutil
import subprocess
import sys

import pytest
from blepera_tests.paths import ROOT
from blepera_tests.site import make_site
from marked import Mark
from scanning import find

LAMP = f'{shlex.quote(sys.executable)} -S {shlex.quote(str(ROOT / "examples/lamp/lamp.py"))}'
LAMP_SERVICE = 'b7e10001-6f0a-4e0c-9a55-3c1d7e8b9f20'


def copy_of(example: str, app: str, folder: pathlib.Path) -> pathlib.Path:
    """A copy of the example as its page's reader has it, with the app built."""
    program = ROOT / '.build/release' / app
    if not program.exists():
        pytest.fail('make example-apps', pytrace=False)
    (folder / '.build/debug').mkdir(parents=True)
    (folder / '.build/debug' / app).symlink_to(program)
    for path in (ROOT / 'examples' / example).glob('*.*'):
        if path.suffix in ('.py', '.ini', '.plist'):
            shutil.copy(path, folder)
    return folder


@pytest.fixture
def door_key(tmp_path) -> pathlib.Path:
    return copy_of('ios-app', 'door-key', tmp_path)


def play(blepera: str, folder: pathlib.Path, *options: str, env: dict[str, str] | None = None) -> str:
    """The output of pytest for the folder, with the plugin in the same place as in an environment with the wheel."""
    environment = {name: value for name, value in (env or os.environ).items() if not name.startswith('PYTEST_')}
    environment['PYTHONPATH'] = str(make_site(folder / 'site'))
    words = [sys.executable, '-m', 'pytest', '-q', '--rootdir', '.', f'--blepera-program={blepera}', *options]
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True).stdout


@pytest.mark.parametrize(('example', 'app'), [('ios-app', 'door-key'), ('two-apps', 'phrase-listener')])
def test_an_example_passes_and_nothing_of_it_is_left(blepera, tmp_path, example, app):
    """Tests of each end with a process that the phone has launched again."""
    folder = copy_of(example, app, tmp_path)
    mark = Mark(folder)
    shown = play(blepera, folder, env=mark.environment)
    assert '2 passed' in shown, shown
    assert mark.processes() == []


def test_a_failed_test_shows_what_the_app_has_printed(blepera, door_key):
    (door_key / 'test_door.py').write_text(
        'import pytest\n\n\n'
        "@pytest.mark.blepera(app=['.build/debug/door-key'])\n"
        "def test_that_fails(blepera_phone):\n    assert blepera_phone.states == {'door-key': 'background'}\n")
    shown = play(blepera, door_key)
    assert "{'door-key': 'foreground'}" in shown and '\npowered on\nadvertising\n' in shown, shown


@pytest.mark.parametrize(
    ('mark', 'reason'),
    [
        ("app=['./nowhere/door-key']", 'door-key: command not found: {folder}/nowhere/door-key'),
        ("app=['sh', '-c', 'echo why >&2; exit 3']", 'why\nerror: sh: the app ended with status 3 before it advertised'),
        ('app=[]', 'the app of the marker blepera has no words'),
    ],
)
def test_an_app_that_cannot_be_started(blepera, tmp_path, mark, reason):
    (tmp_path / 'test_it.py').write_text(
        f'import pytest\n\n\n@pytest.mark.blepera({mark})\ndef test_it(blepera_phone):\n    pass\n')
    shown = play(blepera, tmp_path)
    assert '1 error' in shown and reason.format(folder=tmp_path) in shown, shown


@pytest.mark.parametrize('options', [(), ('--background',)], ids=['foreground', 'background'])
async def test_an_app_in_another_language_is_on_the_air_before_the_command(lab, options):
    running = lab(options=('--app', LAMP, *options))
    assert running.settings['BLEPERA_PHONES'] == pathlib.Path(sys.executable).name
    _, seen = await find('00:AA:01:00:00:01')
    assert seen.service_uuids == ([] if options else [LAMP_SERVICE])
    assert list(seen.manufacturer_data) == ([0x004C] if options else [])
    running.event('state', app='org.example.lamp', state='background' if options else 'foreground')
