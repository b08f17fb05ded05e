"""`blepera.App`: apps in Python, in the process of a test or as programs."""

import asyncio
import contextlib
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import textwrap
import time

import pytest
from blepera import App, ATTError, Central, Lab, PhoneError, Service
from blepera.updates import Updates
from blepera_tests.paths import ROOT, profile_path
from blepera_tests.site import make_site
from bleak import BleakClient, BleakScanner
from bleak.exc import BleakGATTProtocolError
from program import TIMEOUT, Program

SERVICE, VALUE, STATE, NAME = (f'6B3D000{number}-52A1-4E7C-9A0B-8D4F1C2E3A5B' for number in range(4))


@pytest.fixture
def phone(blepera, monkeypatch):
    """A phone that suspends a woken app soon."""
    with Lab([profile_path('heart-rate')], program=blepera, wake_time=0.5) as lab:
        for name, value in lab.environment.items():
            monkeypatch.setenv(name, value)
        yield lab.phone


class Box:
    """An app with a value to be read and written, a state to be notified, and a name that does not change."""

    def __init__(self, **options):
        self.app = App('org.example.box', **options)
        self.service = Service(SERVICE)
        self.value = self.service.characteristic(VALUE, 'read', 'write', 'writeWithoutResponse')
        self.value.descriptor('2901', 'What is in the box')
        self.state = self.service.characteristic(STATE, 'notify', 'indicate')
        self.name = self.service.characteristic(NAME, 'read', value=b'box')
        self.contents = b''
        self.calls = []
        self.value.on_read(lambda central: self.contents)

        @self.value.on_write
        def write(central, value):
            if value == b'no':
                raise ATTError(0x80)
            if value == b'fail':
                raise KeyError(value)
            self.contents = value
            self.calls.append((central, value))

        self.state.on_subscribe(lambda central: self.calls.append(('subscribed', central)))
        self.state.on_unsubscribe(lambda central: self.calls.append(('unsubscribed', central)))
        self.app.on_state(self.calls.append)
        self.app.on_bluetooth(self.calls.append)
        self.app.add(self.service)
        self.app.advertise('Box')


async def central() -> BleakClient:
    device = await BleakScanner.find_device_by_filter(lambda _, seen: SERVICE.lower() in seen.service_uuids, TIMEOUT)
    return BleakClient(device)


async def until(condition) -> None:
    end = time.monotonic() + TIMEOUT
    while not condition():
        assert time.monotonic() < end, 'it has not happened'
        await asyncio.sleep(0.01)


async def refusal(work) -> int:
    with pytest.raises(BleakGATTProtocolError) as raised:
        await work
    return raised.value.code


async def test_requests_of_a_central(phone, caplog):
    box = Box()
    async with box.app, await central() as client:
        long = bytes(range(256)) * 2
        await client.write_gatt_char(VALUE, long, response=True)
        assert await client.read_gatt_char(VALUE) == long
        assert await client.read_gatt_char(NAME) == b'box'
        [description] = [one for one in client.services.get_characteristic(VALUE).descriptors if one.uuid[4:8] == '2901']
        assert await client.read_gatt_descriptor(description.handle) == b'What is in the box'
        assert await refusal(client.write_gatt_char(VALUE, b'no', response=True)) == 0x80
        assert not caplog.records
        assert await refusal(client.write_gatt_char(VALUE, b'fail', response=True)) == 0x0E
        assert 'a function that responds to a central has failed' in caplog.text and 'KeyError' in caplog.text
        assert await client.read_gatt_char(VALUE) == long
        await client.write_gatt_char(VALUE, b'now', response=False)
        await until(lambda: box.contents == b'now')
        assert isinstance(box.calls[-1][0], Central)


async def test_updates_are_in_order_and_none_is_lost(phone):
    box, received = Box(), []
    async with box.app, await central() as client:
        await box.state.update(b'before there is a subscriber')
        await client.start_notify(STATE, lambda _, value: received.append(value[0]))
        await until(lambda: box.state.subscribers)
        [subscriber] = box.state.subscribers
        await until(lambda: box.calls[-1] == ('subscribed', subscriber))
        for number in range(50):
            sent = box.state.update(bytes([number]), *([subscriber] if number % 2 else []))
        await sent
        await until(lambda: len(received) == 50)
        assert received == list(range(50))
        await client.stop_notify(STATE)
        await until(lambda: box.calls[-1] == ('unsubscribed', subscriber))
        assert box.state.subscribers == []


async def test_an_update_waits_for_the_one_before_it():
    sent = []
    updates = Updates(lambda message, **fields: sent.append(fields['value']))
    first, second, third = [updates.add({'value': [number]}) for number in range(3)]
    await asyncio.sleep(0)
    assert sent == [[0]]
    updates.answered(False, None)
    assert sent == [[0]], 'the transmit queue is full'
    updates.become_ready()
    updates.answered(True, None)
    assert first.done() and sent == [[0], [0], [1]]
    updates.answered(False, 'there is no such characteristic')
    with pytest.raises(PhoneError, match='no such characteristic'):
        await second
    updates.end()
    with pytest.raises(PhoneError, match='the app has ended'):
        await third


async def test_the_states_of_an_app_and_of_bluetooth(phone):
    box = Box()
    async with box.app:
        assert (box.app.state, box.app.bluetooth) == ('foreground', 'on')
        phone.background('org.example.box')
        await until(lambda: box.app.state == 'background')
        phone.foreground('org.example.box')
        phone.bluetooth('off')
        await until(lambda: box.app.bluetooth == 'off')
        phone.bluetooth('on')
        await until(lambda: box.app.bluetooth == 'on')
        phone.bluetooth('reset')
        await until(lambda: box.calls[-2:] == ['resetting', 'on'])
        async with await central() as client:
            assert await client.read_gatt_char(NAME) == b'box'
        assert [call for call in box.calls if call != 'inactive'] == [
            'foreground', 'on', 'background', 'foreground', 'off', 'on', 'resetting', 'on']
        phone.quit('org.example.box')
        await asyncio.wait_for(box.app.wait_closed(), TIMEOUT)
    assert box.app.state == 'notRunning'


async def test_services_and_advertisements_come_and_go(phone):
    box, other = Box(), Service('1809')
    other.characteristic('2A1C', 'indicate', encrypted=True)
    async with box.app:
        box.app.add(other)
        phone.wait_for('published', service='1809')
        box.app.advertise(services=[other])
        assert phone.wait_for('advertising', serviceUUIDs=['1809']).get('localName') is None
        box.app.remove(other)
        phone.wait_for('unpublished', service='1809')
        box.app.stop_advertising()
        phone.wait_for('advertising', serviceUUIDs=[])


async def test_an_encrypted_characteristic(phone):
    app, service = App('org.example.safe'), Service(SERVICE)
    secret = service.characteristic(VALUE, 'read', 'notify', encrypted=True)
    secret.on_read(lambda central: b'secret')
    app.add(service)
    app.advertise()
    async with app, await central() as client:
        assert await client.read_gatt_char(VALUE) == b'secret'
        phone.wait_for('paired')


async def test_functions_that_wait(phone):
    """Other requests are handled meanwhile, and the app is suspended when the function has returned."""
    box, may_respond = Box(), asyncio.Event()

    @box.value.on_read
    async def read(central):
        await may_respond.wait()
        return b'late'

    async with box.app, await central() as client:
        phone.suspend('org.example.box')
        reading = asyncio.ensure_future(client.read_gatt_char(VALUE))
        await until(lambda: box.app.state == 'background')
        await asyncio.sleep(1)
        assert box.app.state == 'background'
        may_respond.set()
        assert await reading == b'late'
        await until(lambda: box.app.state == 'suspended')


def test_without_asyncio(phone):
    """The app has a thread of its own."""
    box = Box()
    with box.app:
        box.state.update(b'\1')
        phone.wait_for('advertising', localName='Box')
        with box.app.background_task():
            phone.background('org.example.box')
            time.sleep(0.1)
        phone.quit('org.example.box')
        end = time.monotonic() + TIMEOUT
        while box.app.state != 'notRunning':
            assert time.monotonic() < end
            # The app may end before the update.
            with contextlib.suppress(PhoneError):
                box.state.update(b'\2')
    with box.app:
        phone.wait_for('advertising', localName='Box')


RESTORED = """
    import sys
    from blepera import App, Service

    app = App('org.example.changing', restore_identifier='changing')
    inner = Service('{inner}', primary=False)
    inner.characteristic('{name}', 'read', value=b'inner')
    app.add(inner)
    kept = Service('{service}', includes=(inner,))
    kept.characteristic('{name}', 'read', value=b'kept')
    app.add(kept)
    if {{flag}}:
        changed = Service('1809')
        changed.characteristic('2A1E', 'notify')
        app.add(changed)
    app.on_restore(lambda: print('restored', flush=True))
    app.advertise('Changing', [kept])
    app.run()
"""


async def test_an_app_that_is_launched_again_may_have_changed(phone, tmp_path):
    """Services that the app still has stay published, at the same handles; the others are removed."""
    def script(flag):
        path = tmp_path / f'{flag}.py'
        path.write_text(textwrap.dedent(RESTORED.format(service=SERVICE, name=NAME, inner=STATE)).format(flag=flag))
        return str(path)

    first = Program(sys.executable, '-S', script(True))
    [_, published, last] = [phone.wait_for('published', TIMEOUT, service=uuid) for uuid in (STATE, SERVICE, '1809')]
    first.process.kill()
    first.wait()
    phone.wait_for('preserved', app='org.example.changing')
    second = Program(sys.executable, '-S', script(False))
    second.line('restored')
    second.line('the restored service 1809 is removed')
    phone.wait_for('unpublished', service='1809')
    async with await central() as client:
        [kept] = client.services.get_service(SERVICE).characteristics
        assert kept.handle in range(*published['handles']) and await client.read_gatt_char(kept) == b'kept'
    assert not [one for one in phone.events[phone.events.index(last) + 1:] if one['event'] == 'published']
    assert second.end(signal.SIGINT) == 0


@pytest.mark.parametrize('name', ['lamp', 'lock'])
def test_ctrl_c_ends_an_example_without_a_traceback(phone, name):
    program = Program(sys.executable, '-S', str(ROOT / f'examples/{name}/{name}.py'))
    phone.wait_for('published', TIMEOUT, app=f'org.example.{name}')
    assert program.end(signal.SIGINT) == 0
    assert program.errors == []


def run(app: str, **environment) -> Program:
    return Program(sys.executable, '-S', str(ROOT / f'examples/{app}/{app}.py'), env={**os.environ, **environment})


@pytest.mark.parametrize('name', ['lamp', 'lock'])
async def test_an_example_without_a_phone_says_what_to_do(name, tmp_path):
    start = 'blepera system' if any(pathlib.Path('/sys/class/bluetooth').glob('hci*')) else 'blepera system --virtual'
    alone = run(name, BLEPERA_RUNTIME_DIR=str(tmp_path))
    assert alone.wait() == 1
    assert alone.errors == [f'no phone is at {tmp_path}/default.socket: No such file or directory. Start one with: {start}']
    named = run(name, BLEPERA_RUNTIME_DIR=str(tmp_path), BLEPERA_SYSTEM='kitchen')
    assert named.wait() == 1 and named.errors[0].endswith(f'{start} --system kitchen')
    with socket.socket(socket.AF_UNIX) as kitchen, socket.socket(socket.AF_UNIX) as killed:
        for phone, file in ((kitchen, 'kitchen.socket'), (killed, 'killed.socket')):
            phone.bind(str(tmp_path / file))
        kitchen.listen()
        another = run(name, BLEPERA_RUNTIME_DIR=str(tmp_path))
        assert another.wait() == 1 and another.errors[0].endswith('BLEPERA_SYSTEM chooses one of: kitchen')
    tmp_path.chmod(0o755)
    open_to_all = run(name, BLEPERA_RUNTIME_DIR=str(tmp_path))
    assert open_to_all.wait() == 1 and 'a folder that only its user can enter' in open_to_all.errors[0]
    tmp_path.chmod(0o700)

    async def refuse(reader, writer):
        await reader.readline()
        writer.write(b'{"error":"a request is a command"}\n')

    async with await asyncio.start_unix_server(refuse, tmp_path / 'default.socket'):
        refused = run(name, BLEPERA_RUNTIME_DIR=str(tmp_path))
        assert await asyncio.to_thread(refused.wait) == 1
        assert refused.errors == ['no phone that takes apps is at the socket: a request is a command']


async def test_an_app_is_on_the_phone_that_is_named(blepera, monkeypatch):
    with Lab([profile_path('heart-rate'), profile_path('smart-lock')], program=blepera) as lab:
        for name, value in lab.environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv('BLEPERA_SYSTEM', 'smart-lock')
        async with Box().app:
            lab.phones['smart-lock'].wait_for('published', service=SERVICE)
            with pytest.raises(PhoneError, match='the app org.example.box is already running'):
                async with Box().app:
                    pass


async def test_a_manager_that_is_made_while_its_app_starts_is_created_once(phone):
    app = Box().app
    starting = asyncio.ensure_future(app.__aenter__())
    while app._session is None:
        await asyncio.sleep(0)
    manager = app.add_peripheral_manager()
    await starting
    await until(lambda: manager.bluetooth == 'on')
    assert app.state == 'foreground'
    await app.__aexit__(None, None, None)


@pytest.mark.parametrize(('service', 'reason'), [('1800', 'does not publish the service 1800'), ('180', "'180' is not a UUID")])
async def test_what_cannot_be_published(phone, service, reason):
    app = App('org.example.refused')
    with pytest.raises((PhoneError, ValueError), match=reason):
        app.add(Service(service))
        async with app:
            pass


@pytest.mark.parametrize(('role', 'other'), [('central', 'peripheral'), ('peripheral', 'central')])
async def test_a_restoration_needs_the_background_mode_of_its_role(phone, role, other):
    app = App('org.example.refused', background=other)
    getattr(app, f'add_{role}_manager')('refused')
    reason = f'State restoration of CB{role.title()}Manager is only allowed for .* "bluetooth-{role}" background mode'
    with pytest.raises(PhoneError, match=reason):
        async with app:
            pass


def test_mistakes_are_found_before_a_phone_is():
    app, service = App('org.example.mistakes'), Service(SERVICE)
    value = service.characteristic(VALUE, 'read', 'write')
    with pytest.raises(ValueError, match="has no property 'notifies'; there are read, write"):
        service.characteristic(NAME, 'notifies')
    with pytest.raises(ValueError, match='is not added to an app'):
        value.update(b'')
    app.add(service)
    with pytest.raises(ValueError, match='before its service is added'):
        service.characteristic(NAME, 'read')
    with pytest.raises(ValueError, match='can read .* decorate a function with on_read'):
        app.run()
    value.on_read(lambda central: b'')
    with pytest.raises(ValueError, match='can write .* decorate a function with on_write'):
        app.run()
    with pytest.raises(ValueError, match='from 0x01 to 0xFF'):
        ATTError(0)


def test_the_page_shows_the_example():
    app, _, test = re.findall(r'^```python\n(.*?)^```$', (ROOT / 'docs/python.md').read_text(), re.MULTILINE | re.DOTALL)
    assert app == (ROOT / 'examples/lamp/lamp.py').read_text()
    assert test in (ROOT / 'examples/lamp/test_lamp.py').read_text()


def test_the_test_of_the_example_passes(blepera, tmp_path):
    for name in ('lamp.py', 'test_lamp.py'):
        shutil.copy(ROOT / 'examples/lamp' / name, tmp_path)
    (tmp_path / 'conftest.py').write_text(
        "import pytest\n\n\n@pytest.fixture\ndef blepera_options():\n    return {'keep_environment': 'PYTHONPATH'}\n")
    environment = {name: value for name, value in os.environ.items() if not name.startswith('PYTEST_')}
    environment['PYTHONPATH'] = str(make_site(tmp_path / 'site'))
    words = [sys.executable, '-m', 'pytest', '-q', '--rootdir', '.', f'--blepera-program={blepera}', 'test_lamp.py']
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and '1 passed' in done.stdout, done.stdout
