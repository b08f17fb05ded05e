"""The wheel in a clean root: nothing of D-Bus or GLib, no compiler, no network."""

import email
import pathlib
import platform
import re
import subprocess
import sys
import textwrap
import zipfile

import pytest
from blepera_tests.paths import ROOT

PIP = 'pip install -q --no-index --find-links /srv/material/wheels'
# Fails, for its report.
FAILING = """
import pytest

@pytest.mark.blepera(profile='heart-rate', ios=14, loss=10, seed=7)
def test_that_fails(blepera_phone):
    blepera_phone.background()
    assert blepera_phone.on_air.overflow_uuids == (), 'the service is a bit of the overflow area'
"""
# Each method and property once.
EVERYTHING = """
import pytest
from blepera import PhoneError

APP = 'org.blepera.heart-rate'


@pytest.mark.blepera(profile='heart-rate')
def test_a_user_and_his_phone(blepera_phone):
    assert blepera_phone.states == {APP: 'foreground'}
    assert blepera_phone.on_air.interval == 181.25
    assert b'Heart Rate' in blepera_phone.on_air.advertisements[0].advertising_data
    blepera_phone.background()
    assert blepera_phone.wait_for('state', state='background')['app'] == APP
    assert blepera_phone.on_air.overflow_uuids == ('180D',)
    blepera_phone.suspend()
    assert blepera_phone.states == {APP: 'suspended'}
    blepera_phone.foreground()
    blepera_phone.lock()
    assert blepera_phone.states == {APP: 'background'}
    blepera_phone.unlock()
    assert blepera_phone.states == {APP: 'foreground'}
    blepera_phone.terminate()
    assert blepera_phone.states == {APP: 'notRunning'}
    blepera_phone.launch()
    blepera_phone.wait_for('state', reason='launched')
    blepera_phone.bluetooth('off')
    assert blepera_phone.on_air.advertisements == () and blepera_phone.on_air.interval is None
    blepera_phone.bluetooth('on')
    blepera_phone.bluetooth('off', method='airplane-mode')
    blepera_phone.bluetooth('on')
    blepera_phone.quit(APP)
    assert blepera_phone.on_air.advertisements == ()
    blepera_phone.reboot()
    with pytest.raises(PhoneError, match='no such app'):
        blepera_phone.background(app='x')
    with pytest.raises(TimeoutError, match='no event nothing'):
        blepera_phone.wait_for('nothing', timeout=0.1)


@pytest.fixture(scope='module')
def phone(blepera_lab_factory):
    with blepera_lab_factory(profile='smart-lock', background=True) as lab:
        yield lab.phone


def test_a_phone_of_the_module(phone):
    assert phone.states == {'org.blepera.smart-lock': 'background'}


@pytest.mark.blepera(profile=['heart-rate', 'smart-lock'])
def test_two_phones(blepera_lab, blepera_phone):
    assert list(blepera_lab.phones) == ['heart-rate', 'smart-lock']
    assert blepera_phone is blepera_lab.phones['heart-rate']
    assert blepera_phone.address != blepera_lab.phones['smart-lock'].address
    assert {event['phone'] for event in blepera_phone.events} == {'heart-rate'}


@pytest.mark.blepera(profile='heart-rate')
async def test_a_subscriber(blepera_phone):
    from bleak import BleakClient, BleakScanner
    async with BleakClient(await BleakScanner.find_device_by_name('Heart Rate')) as client:
        await client.start_notify('2a37', lambda *_: None)
        blepera_phone.wait_for('subscribed', characteristic='2A37')
        [subscriber] = blepera_phone.subscribers
        assert (subscriber.app, subscriber.service, subscriber.characteristic) == (APP, '180D', '2A37')
        blepera_phone.notify('2A37', bytes([6, 200]))
        blepera_phone.wait_for('notified', value='06C8')


@pytest.mark.blepera(profile='heart-rate')
class TestMarkers:
    @pytest.mark.blepera(ios=12)
    def test_of_a_test_and_its_class(self, blepera_phone):
        assert blepera_phone.status()['ios'] == 12

    @pytest.mark.parametrize('blepera_options', [{'ios': 11}, {'ios': 18}], ids=str)
    def test_of_a_parameter(self, blepera_phone, blepera_options):
        assert blepera_phone.status()['ios'] == blepera_options['ios']
"""


def written(name: str, text: str) -> str:
    return f'cat >{name} <<"END"\n{text}\nEND\n'


@pytest.fixture(scope='module')
def installed(root, wheel):
    root.run('! command -v cc gcc clang swift dbus-daemon')
    root.run('! find /usr -name "libglib-2.0.so*" -o -name "libdbus-1.so*" | grep .')
    root.run(f'python3 -m venv /venv && /venv/bin/{PIP} /srv/material/{wheel.name}')
    return root


@pytest.fixture(scope='module')
def with_pytest(installed):
    """The environment of the example."""
    installed.run(f'/venv/bin/{PIP} -r /srv/material/gateway/requirements.txt')
    return installed


def test_the_platform_is_the_oldest_that_the_symbols_allow(wheel):
    done = subprocess.run([f'{sys.prefix}/bin/auditwheel', 'show', str(wheel)], capture_output=True, text=True)
    [tag] = re.findall(r'consistent with\s+the following platform tag:\s+"(\w+)"', done.stdout)
    assert f'-{tag}.whl' in wheel.name
    assert tag == f'manylinux_2_34_{platform.machine()}', 'Ubuntu 22.04 has glibc 2.35'


def test_dask_is_required_by_an_extra_alone(wheel):
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith('.dist-info/METADATA')]
        metadata = email.message_from_bytes(archive.read(name))
    assert metadata.get_all('Provides-Extra') == ['sweep']
    assert [one.partition('; ')[2] for one in metadata.get_all('Requires-Dist')] == ['extra == "sweep"']


def test_the_package_is_typed(wheel, tmp_path):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / 'site')
    (tmp_path / 'use.py').write_text(textwrap.dedent("""
        from blepera import App, Lab, Phone


        def background(phone: Phone) -> float | None:
            phone.background()
            return phone.on_air.interval


        with Lab(['heart-rate.plist'], ios=14) as lab:
            background(lab.phone)
        App('org.example.typed').run()
    """))
    command = [sys.executable, '-m', 'mypy', '--strict', '--cache-dir', str(tmp_path), 'use.py']
    done = subprocess.run(command, cwd=tmp_path, env={'MYPYPATH': 'site'}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_program_needs_glibc_alone(installed):
    libraries = installed.run('ldd /venv/bin/blepera /venv/libexec/blepera/dbus-daemon')
    names = set(re.findall(r'(\S+)\.so', libraries))
    assert 'not found' not in libraries
    loaders = {'ld-linux-x86-64', 'ld-linux-aarch64'}
    assert {pathlib.Path(name).name for name in names} - loaders <= {'linux-vdso', 'libc', 'libm', 'libgcc_s'}
    installed.run('/venv/bin/blepera lab -- true')


def test_the_tests_of_the_example_pass(with_pytest):
    output = with_pytest.run('cp -r /srv/material/gateway /gateway && cd /gateway && PATH=/venv/bin:$PATH pytest -q')
    assert re.search(r'^7 passed', output, re.MULTILINE), output


def test_the_fixtures_do_what_the_documentation_says(with_pytest):
    with_pytest.run('mkdir -p /use && cd /use && ' + written('test_use.py', EVERYTHING) + written(
        'pytest.ini', '[pytest]\nasyncio_mode = auto\naddopts = --strict-markers'))
    output = with_pytest.run('cd /use && PATH=/venv/bin:$PATH pytest -q')
    assert re.search(r'^7 passed', output, re.MULTILINE), output
    assert with_pytest.run('ls /use/blepera-reports 2>/dev/null || echo none') == 'none\n'


def test_an_app_in_python_is_suspended_killed_and_restored(with_pytest):
    output = with_pytest.run('cp -r /srv/material/lamp /lamp && cd /lamp && PATH=/venv/bin:$PATH pytest -q')
    assert re.search(r'^1 passed', output, re.MULTILINE), output


def test_a_test_that_fails_keeps_its_report(with_pytest):
    with_pytest.run('mkdir -p /fail && cd /fail && ' + written('test_fail.py', FAILING))
    output = with_pytest.run('cd /fail && PATH=/venv/bin:$PATH pytest -q --junitxml junit.xml', status=1)
    report = 'blepera-reports/test_fail.py-test_that_fails.html'
    assert f'report: {report}\n' in output
    assert 'overflowServiceUUIDs=180D' in output
    page = with_pytest.run(f'cat /fail/{report}')
    assert page.startswith('<!') and '14FF4C000100000000000000200000000000000000' in page
    assert f'name="blepera_report" value="/fail/{report}"' in with_pytest.run('cat /fail/junit.xml')


def test_what_cannot_be_done_is_said(with_pytest):
    tests = "import pytest\n@pytest.mark.blepera({})\ndef test_it(blepera_phone): pass\n"
    for arguments, said in (
        ("profile='nope'", 'there is no profile /said/nope'), ("profile='heart-rate', lost=1", "Unknown option '--lost'"),
        ('', 'no phone: name a profile'),
    ):
        with_pytest.run('mkdir -p /said && cd /said && ' + written('test_said.py', tests.format(arguments)))
        assert said in with_pytest.run('cd /said && PATH=/venv/bin:$PATH pytest -q', status=1)


def test_the_container_needs_no_network(root, wheel):
    """The instructions of the Containerfile, in a root with a Python as the base image has it."""
    lines = (ROOT / 'Packaging/Containerfile').read_text().replace('\\\n', ' ').splitlines()
    instructions = [line.split(' ', 1) for line in lines if line and not line.startswith('#')]
    assert {name for name, _ in instructions} == {'FROM', 'COPY', 'RUN', 'USER', 'ENTRYPOINT'}
    root.run('rm -rf /image && python3 -m venv /image')
    for name, rest in instructions:
        if name == 'COPY':
            assert rest == 'blepera-*.whl /tmp/'
        if name == 'RUN':
            root.run(f'cp /srv/material/{wheel.name} /tmp/ && PATH=/image/bin:$PATH && {rest} && ! ls /tmp/*.whl')
        if name == 'USER':
            user = f'setpriv --reuid {rest} --regid {rest} --clear-groups'
    assert root.run(f'chmod 1777 /tmp && {user} /image/bin/blepera lab -- echo in the lab') == 'in the lab\n'
