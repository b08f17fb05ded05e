"""The Debian package in a clean root: no compiler, no network."""

import subprocess

import pytest

FIND = """
import asyncio
from bleak import BleakScanner

async def main():
    found = await BleakScanner.discover(timeout=3, return_adv=True)
    for device, seen in found.values():
        print(seen.local_name, seen.service_uuids)

asyncio.run(main())
"""
PROFILES = '/usr/share/blepera/profiles'


@pytest.fixture(scope='module')
def installed(root, deb):
    """A root where the package is installed, with what it depends on and nothing else."""
    root.run('! command -v cc gcc clang swift swiftc && ! command -v dbus-daemon')
    root.run(f'apt-get -q -y --no-install-recommends install /srv/material/{deb.name}')
    return root


def test_lintian_finds_nothing(deb):
    done = subprocess.run(
        ['lintian', '--allow-root', '--fail-on', 'error,warning', str(deb)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_package_has_its_documents(installed):
    listed = installed.run('dpkg -L blepera').split()
    for path in (
        '/usr/lib/systemd/user/blepera.service', '/usr/lib/systemd/system/blepera-system.service',
        '/usr/lib/systemd/system/blepera-controller.service', '/usr/lib/systemd/system/blepera@.service',
        '/usr/lib/sysusers.d/blepera.conf', '/usr/share/doc/blepera/copyright', '/usr/share/man/man1/blepera.1.gz',
        f'{PROFILES}/heart-rate.plist', f'{PROFILES}/accessories/heart-strap.plist',
        '/usr/share/blepera/scenarios/killed-overnight.plist',
    ):
        assert path in listed
    assert 'ExecStart=/usr/bin/blepera system' in installed.run('cat /usr/lib/systemd/user/blepera.service')
    assert 'ExecStart=/usr/bin/blepera serve $' in installed.run('cat /usr/lib/systemd/system/blepera@.service')
    assert 'ExecStart=/usr/bin/blepera system $' in installed.run('cat /usr/lib/systemd/system/blepera-system.service')


def test_everything_that_is_shipped_is_valid(installed):
    installed.run(f'blepera check {PROFILES}/*.plist')
    assert 'FAILED' not in installed.run('blepera scenario run /usr/share/blepera/scenarios/*.plist')


def test_a_script_with_bleak_finds_the_phone(installed):
    installed.run('python3 -m venv /bleak && /bleak/bin/pip install -q --no-index --find-links /srv/material/wheels bleak')
    installed.run(f'cat >/find.py <<"END"\n{FIND}\nEND')
    lab = f'blepera lab --quiet --serve {PROFILES}/heart-rate.plist'
    assert 'Heart Rate' in installed.run(f'{lab} -- /bleak/bin/python /find.py')
    assert installed.run(f'{lab} --background -- /bleak/bin/python /find.py') == 'None []\n'


def test_each_command_has_a_manual_page(installed):
    pages = installed.run('ls /usr/share/man/man[157]/blepera*').split()
    assert len(pages) > 40
    for page in pages:
        assert installed.run(f'MANWIDTH=80 man --warnings {page} 2>&1 >/dev/null') == '', page
    text = installed.run('MANWIDTH=80 man blepera-lab')
    assert '--loss percent' in text and 'blepera lab [options] [-- command ...]' in text
    assert 'RestoreIdentifier' in installed.run('man 5 blepera-profile')
    assert '14FF4C000100000000000000200000000000000000' in installed.run('man 7 blepera-overflow')


@pytest.mark.parametrize(
    ('typed', 'shown'),
    [
        ('blepera serve profiles/hea', 'profiles/heart-rate.plist'),
        ('blepera lab --serve profiles/hea', 'profiles/heart-rate.plist'),
        ('blepera scenario run scenarios/kil', 'scenarios/killed-overnight.plist'),
        ('blepera serve --backg', 'serve --background'),
    ])
@pytest.mark.parametrize('shell', ['bash', 'zsh', 'fish'])
def test_shells_complete_commands_options_and_files(installed, shell, typed, shown):
    if shell == 'fish':
        proposals = installed.run(f"cd /srv/material/home && fish --private -c 'complete --do-complete \"{typed}\"'")
        assert shown.split()[-1] in proposals.split()
        return
    start = {
        'bash': 'bash --rcfile /usr/share/bash-completion/bash_completion -i', 'zsh': 'zsh -f',
    }[shell]
    prepare = {'bash': '', 'zsh': 'autoload -U compinit; compinit -u -D; '}[shell]
    assert shown in installed.type(start, [f'{prepare}cd /srv/material/home; clear\n', typed, '\t'], shown)


def test_help_explains_topics(installed):
    assert 'RestoreIdentifier' in installed.run('blepera help profile')
    assert 'R19' in installed.run('blepera help rules')
    assert 'overflow find 61' in installed.run('blepera help overflow')


def test_nothing_stays_when_it_is_removed(installed):
    """The last test of the file."""
    installed.run('apt-get -q -y purge blepera')
    assert installed.run('find / -xdev -iname "*blepera*" -not -path "/srv/*" -not -path "/var/cache/man/*"') == ''


