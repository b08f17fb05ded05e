"""No text of a file, an app or a device does anything but be shown, on any way out."""

import asyncio
import contextlib
import importlib
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import time
import zlib

import pytest
from bleak import BleakClient
from bleak.backends.bluezdbus.manager import get_global_bluez_manager
from blepera import App
from blepera_tests.paths import ROOT
from bumble.core import UUID, AdvertisingData
from bumble.device import AdvertisingParameters
from bumble.gatt import Characteristic, Descriptor
from bumble.gatt import Service as BumbleService
from bumble.hci import Address
from program import TIMEOUT, Program
from scanning import find, until
from test_hci import attached

HEART_RATE = str(ROOT / 'profiles/heart-rate.plist')
# A title for the terminal's window, in both forms of the escape sequence (ECMA-48), and a line that would be forged.
POISON = '\x1b]0;pwn\x07\x9d0;pwn\x9c\rpwn\x7f\npwn'
# A terminal of another encoding takes the bytes of C1 too, but in a text they are within other characters.
CONTROL = re.compile('[\x00-\x08\x0b-\x1f\x7f-\x9f]')
STYLE = re.compile('\x1b\\[[0-9]+m')


def assert_clean(text: str) -> None:
    found = CONTROL.search(text)
    assert not found, f'a control character is printed: {text[max(0, found.start() - 80):found.end() + 20]!r}'
    assert not re.search('^pwn', text, re.MULTILINE), f'a forged line is printed: {text!r}'


def run(blepera: str, *words: str, env: dict[str, str] | None = None, color: bool = False):
    """Runs a command, whose output must have no control characters except for color."""
    environment = {**(env or os.environ), 'CLICOLOR_FORCE': '1' if color else '0'}
    done = subprocess.run([blepera, *words], capture_output=True, env=environment, timeout=TIMEOUT)
    for printed in (done.stdout.decode(), done.stderr.decode()):
        assert_clean(STYLE.sub('', printed) if color else printed)
    return done


def strings(value, path=()):
    """The place of every string."""
    if isinstance(value, str):
        yield path
    elif isinstance(value, (dict, list)):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from strings(part, (*path, key))


def poisoned(value, path: tuple):
    if not path:
        return POISON
    copy = value.copy()
    copy[path[0]] = poisoned(value[path[0]], path[1:])
    return copy


@pytest.fixture
def environment(tmp_path) -> dict[str, str]:
    for name in ('run', 'state'):
        (tmp_path / name).mkdir(mode=0o700)
    return {
        **os.environ, 'XDG_RUNTIME_DIR': str(tmp_path / 'run'), 'BLEPERA_STATE_DIR': str(tmp_path / 'state'),
        'BLEPERA_RUNTIME_DIR': '',
    }


def test_trace(blepera, environment, tmp_path):
    trace = tmp_path / 'trace.jsonl'
    serve = Program(blepera, 'serve', '--virtual', '--record', str(trace), HEART_RATE, env=environment)
    serve.line('received')
    assert serve.end(signal.SIGINT) == 0
    lines = [json.loads(line) for line in trace.read_text().splitlines()]
    page = str(tmp_path / 'report.html')
    assert run(blepera, 'report', str(trace), '-o', page).returncode == 0
    seen = set()
    for number, line in enumerate(lines):
        for path in strings(line):
            if (line.get('event'), line.get('side'), path) in seen:
                continue
            seen.add((line.get('event'), line.get('side'), path))
            changed = [*lines[:number], poisoned(line, path), *lines[number + 1:]]
            trace.write_text(''.join(json.dumps(one) + '\n' for one in changed))
            run(blepera, 'report', str(trace), '-o', page, color=len(seen) % 4 == 0)
    assert len(seen) > 30


@contextlib.contextmanager
def app(path: pathlib.Path, name: str, text: str):
    """An app whose every name is the text."""
    with socket.socket(socket.AF_UNIX) as link:
        link.settimeout(TIMEOUT)
        link.connect(str(path))
        uuid = 'B7E10001-6F0A-4E0C-9A55-3C1D7E8B9F20'
        characteristic = {
            'uuid': '2A37', 'properties': ['read'], 'permissions': ['readable'], 'value': [1], 'descriptors': []}
        process = {'arguments': [sys.executable, text], 'folder': f'/{text}', 'environment': {'PATH': text}}
        messages = [
            {'hello': {'version': 1, 'process': process, 'app': {
                'bundleIdentifier': f'{name}{text}', 'name': text, 'backgroundModes': ['bluetooth-peripheral']}}},
            {'create': {'id': text, 'role': 'peripheral'}},
            {'create': {'id': f'second{text}', 'role': 'peripheral'}},
        ] + [{'peripheral': {'id': text, 'call': call}} for call in (
            {'addService': {'id': 0, 'service': {
                'uuid': uuid, 'isPrimary': True, 'includedServices': [], 'characteristics': [characteristic]}}},
            {'startAdvertising': {'advertisement': {'localName': text, 'serviceUUIDs': [uuid]}}},
        )]
        for message in messages:
            link.sendall(json.dumps(message).encode() + b'\n')
        received = link.makefile()
        while 'didStartAdvertising' not in (line := received.readline()):
            assert line and 'refused' not in line, line
        yield


def test_app_and_device(blepera, environment, tmp_path):
    """The name and advertisement of an app, in the phone's own lines and in lines of clients and of a central."""
    lab = Program(blepera, 'lab', '--public-address', env=environment)
    words = lab.line('export ').removeprefix('export ').replace("'", '').split(' ')
    inside = {**environment, **dict(word.split('=', 1) for word in words)}
    system = Program(blepera, 'system', '--system', 'poisoned', env={**inside, 'CLICOLOR_FORCE': '1'})
    watch = None
    try:
        system.line('powered on')
        watch = Program(blepera, 'events', '--system', 'poisoned', env=inside)
        path = pathlib.Path(inside['BLEPERA_RUNTIME_DIR'], 'poisoned.socket')
        with app(path, 'org.example.', POISON), app(path, 'org.other.', POISON):
            watch.line('advertising')
            for words in (
                ['status'], ['status', '--json'], ['preserved', 'list'], ['preserved', 'show', 'nobody'],
                ['preserved', 'show', f'org.example.{POISON}'], ['quit', 'nobody'],
                ['notify', '--app', 'nobody', '2A37', '00'], ['foreground', POISON], ['background'],
                ['status'], ['suspend'], ['status'], ['foreground'],
            ):
                run(blepera, *words, '--system', 'poisoned', env=inside)
                run(blepera, *words, '--system', 'poisoned', env=inside, color=True)
        assert lab.process.poll() is None and system.process.poll() is None
        run(blepera, 'status', '--system', 'poisoned', env=inside)
        run(blepera, 'preserved', 'list', '--system', 'poisoned', env=inside)
    finally:
        for program in filter(None, (watch, system, lab)):
            program.end(signal.SIGINT)
    for program in (system, watch, lab):
        assert_clean(STYLE.sub('', '\n'.join(program.output + program.errors)))


def test_device(blepera, environment, tmp_path):
    """A device whose name and values are escapes, as `scan` and `clone` print it."""
    lab = Program(blepera, 'lab', '--public-address', '--serve', HEART_RATE, env=environment)
    words = lab.line('export ').removeprefix('export ').replace("'", '').split(' ')
    inside = {**environment, **dict(word.split('=', 1) for word in words)}
    try:
        with app(pathlib.Path(inside['BLEPERA_RUNTIME_DIR'], 'heart-rate.socket'), 'org.example.', POISON[:9]):
            assert run(blepera, 'foreground', f'org.example.{POISON[:9]}', env=inside).returncode == 0
            seen = run(blepera, 'scan', '--seconds', '1', env=inside)
            assert b'pwn' in seen.stdout
            assert run(blepera, 'clone', '00:AA:01:00:00:01', env=inside).returncode == 0
    finally:
        lab.end(signal.SIGINT)
    assert_clean('\n'.join(lab.output + lab.errors))


# A name of a peer, what it is as an advertised name (None for none), and as the Device Name.
NAMES = {
    'a zero byte': (b'A\0B', 'A', 'A'),
    'a byte that is not UTF-8': (b'A\xffB', None, 'A\ufffdB'),
    '248 bytes': ('\xe9'.encode() * 124, '\xe9' * 13, '\xe9' * 124),
    'escapes': (POISON.encode(), POISON, POISON),
    'markup': (b'</script><b>&amp;"', '</script><b>&amp;"', '</script><b>&amp;"'),
}
PEER = 'C0:00:00:00:00:01'


async def become_peer(device, name: bytes) -> None:
    """Every text of the device is the name; what is advertised is its beginning, in whole characters."""
    properties, permissions = Characteristic.Properties, Characteristic.Permissions
    for one in device.gatt_server.attributes:
        if isinstance(one, Characteristic) and one.uuid == UUID.from_16_bits(0x2A00):
            one.value = name
    description = Descriptor(UUID.from_16_bits(0x2901), permissions.READABLE, name)
    device.add_service(BumbleService(UUID.from_16_bits(0x180A), [
        Characteristic(UUID.from_16_bits(0x2A29), properties.READ, permissions.READABLE, name, [description])]))
    data = AdvertisingData([
        (AdvertisingData.FLAGS, b'\6'), (AdvertisingData.COMPLETE_LOCAL_NAME, name if len(name) < 248 else name[:26])])
    interval = AdvertisingParameters(primary_advertising_interval_min=20, primary_advertising_interval_max=20)
    await device.create_advertising_set(
        interval, advertising_data=bytes(data), random_address=Address(PEER), auto_restart=True)


async def use_as_central(app: App, advertised: str | None, named: str, value: bytes) -> None:
    """Reads the texts of the device in an app in Python."""
    async for discovery in app.central.scan():
        if discovery.local_name == advertised and not discovery.services:
            break
    peripheral = await app.central.connect(discovery.peripheral)
    assert (await (await peripheral.characteristic('180A', '2A29')).read(), peripheral.name) == (value, named)
    [description] = await (await peripheral.characteristic('180A', '2A29')).descriptors()
    assert (description.uuid, await description.read()) == ('2901', value)
    await peripheral.disconnect()


@pytest.mark.parametrize(('value', 'advertised', 'named'), NAMES.values(), ids=NAMES)
async def test_a_peer(blepera, lab, tmp_path, monkeypatch, value, advertised, named):
    """The names and descriptions of a device: on the bus, for an app, in each command, in a trace and its page."""
    trace, page = tmp_path / 'trace.jsonl', tmp_path / 'report.html'
    phone = lab('heart-rate', options=('--hci', 'tcp:0', '--record', str(trace)))
    monkeypatch.setenv('BLEPERA_SYSTEM', 'heart-rate')
    async with attached(phone.settings['BLEPERA_HCI']) as device:
        await become_peer(device, value)
        _, seen = await find(PEER)
        assert seen.local_name == advertised
        await find('00:AA:01:00:00:01')
        # A program that starts now gets all objects, and the phone among them.
        listed = await asyncio.to_thread(subprocess.run, ['bluetoothctl', 'devices'], capture_output=True, timeout=TIMEOUT)
        assert PEER in listed.stdout.decode() and 'Heart Rate' in listed.stdout.decode()
        scanned, _ = await asyncio.gather(*(
            asyncio.to_thread(run, blepera, 'scan', '--seconds', '1', *words) for words in (['--json'], [])))
        found = [one for one in map(json.loads, scanned.stdout.splitlines()) if one.get('peripheral') == PEER]
        assert {central.get('name') for central in found[0]['centrals']} == {advertised}
        app = App('org.example.watch')
        _ = app.central  # the role
        async with app:
            await asyncio.wait_for(use_as_central(app, advertised, named, value), 2 * TIMEOUT)
            for words in (['status'], ['status', '--json']):
                await asyncio.to_thread(run, blepera, *words)
        found, _ = await find(PEER)
        async with BleakClient(found, timeout=TIMEOUT) as client:
            assert await client.read_gatt_char('2A29') == value
            [description] = client.services.get_characteristic('2A29').descriptors
            assert await client.read_gatt_descriptor(description.handle) == value
            bus = await get_global_bluez_manager()
            await until(lambda: bus.get_device_name(found.details['path']) == named, 'Device Name')
        cloned = await asyncio.to_thread(run, blepera, 'clone', PEER)
        assert cloned.returncode == 0
        (tmp_path / 'clone.plist').write_bytes(cloned.stdout)
        assert run(blepera, 'check', str(tmp_path / 'clone.plist')).returncode == 0
    lines = trace.read_text().splitlines()
    assert_clean('\n'.join(phone.errors + phone.output))
    assert {json.loads(line).get('localName') for line in lines} >= {advertised}
    assert run(blepera, 'report', str(trace), '-o', str(page)).returncode == 0
    data = page.read_text().partition('id="data">')[2].partition('</script>')[0]
    assert '<' not in data and json.loads(data)


def test_state(blepera, environment):
    """Every string of a state file, with the right checksum."""
    system = Program(blepera, 'system', '--virtual', env=environment)
    try:
        system.line('powered on')
        folder = pathlib.Path(json.loads(run(blepera, 'status', '--json', env=environment).stdout)['stateFolder'])
        path = pathlib.Path(environment['XDG_RUNTIME_DIR'], 'blepera/default.socket')
        with app(path, 'org.example.app', ''):
            pass
        deadline = time.monotonic() + TIMEOUT
        while b'org.example.app' not in (state := (folder / 'state.json').read_bytes()):
            assert time.monotonic() < deadline
            time.sleep(0.02)
    finally:
        system.end(signal.SIGINT)
    copy = pathlib.Path(environment['BLEPERA_STATE_DIR'], 'blepera/default')
    for made in (copy.parent, copy):
        made.mkdir(mode=0o700, exist_ok=True)
    (copy / 'state.json').write_bytes(state)
    assert b'org.example.app' in run(blepera, 'preserved', 'list', env=environment).stdout
    body = json.loads(state.splitlines()[0])
    places = list(strings(body))
    assert len(places) > 8
    for place in places:
        line = json.dumps(poisoned(body, place)).encode() + b'\n'
        (copy / 'state.json').write_bytes(line + b'{"crc32":"%08X"}\n' % zlib.crc32(line))
        for words in (['list'], ['show', 'nobody'], ['show', 'org.example.app'], ['forget', 'nobody']):
            run(blepera, 'preserved', *words, env=environment)


def test_events_of_a_failed_test(monkeypatch):
    """The events in the output of the pytest plugin."""
    monkeypatch.syspath_prepend(ROOT / 'Packaging/python')
    plugin = importlib.import_module('blepera.plugin')
    assert_clean(plugin._line({'time': f'2026-11-24T{POISON}', 'event': POISON, 'app': POISON, 'centrals': [POISON]}))
