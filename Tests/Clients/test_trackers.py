"""Trackers of presence find a locked phone without an app by its identity resolving key, under each of its addresses."""

import asyncio
import json
import os
import pathlib
import subprocess
import sys
import types

import pytest
from bleak import BleakScanner
from blepera_tests.paths import ROOT
from bluetooth_data_tools import get_cipher_for_irk, resolve_private_address
from bumble.hci import Address
from bumble.smp import AddressResolver
from home_assistant import Manager, home_assistant
from scanning import until
from TheengsGateway.ble_gateway import Gateway
from TheengsGateway.config import DEFAULT_CONFIG

PHONES = ('heart-rate', 'smart-lock')


@pytest.fixture
def run(blepera):
    """Runs a command for a phone."""

    def run(phone: str, *words: str) -> str:
        return subprocess.run([blepera, *words, '--system', phone], check=True, capture_output=True, text=True).stdout

    return run


@pytest.fixture
def blepera_in_lab(lab, run):
    """Runs a command for a phone. The phones of the lab are locked, and have no app."""
    lab(*PHONES, options=(), is_private=True)
    for phone in PHONES:
        run(phone, 'quit')
        run(phone, 'lock')
    return run


def address_of(run, phone: str) -> dict:
    return json.loads(run(phone, 'status', '--json'))['address']


def reversed_key(address: dict) -> bytes:
    return bytes.fromhex(address['irk'])[::-1]


async def on_three_addresses(run, phone: str):
    """The phone's address, three times: it has another one after Bluetooth was off."""
    seen = set()
    for _ in range(3):
        address = address_of(run, phone)
        assert address['current'] not in seen and address['current'] != address['identity']
        seen.add(address['current'])
        yield address
        await asyncio.to_thread(run, phone, 'bluetooth', 'off')
        await asyncio.to_thread(run, phone, 'bluetooth', 'on')


def newest(manager: Manager, irk: bytes):
    """Finds a device by its key, as private_ble_device does in async_last_service_info."""
    cipher = get_cipher_for_irk(irk)
    infos = [one for one in manager.async_discovered_service_info(False) if resolve_private_address(cipher, one.address)]
    return max(infos, key=lambda info: info.time, default=None)


@pytest.mark.parametrize('phone', PHONES)
async def test_home_assistant(blepera_in_lab, phone):
    async with home_assistant() as manager:
        async for address in on_three_addresses(blepera_in_lab, phone):
            irk = bytes.fromhex(address['irk'])

            def is_newest(irk=irk, address=address['current']):
                return (found := newest(manager, irk)) is not None and found.address == address

            await until(is_newest, 'the phone under its address')
            assert newest(manager, irk).manufacturer_data[0x004C][0] == 0x10
            assert newest(manager, irk[::-1]) is None


class Theengs(Gateway):
    """The gateway, whose broker is a list of the identities that it has published."""

    def __init__(self, identities: dict[str, str]):
        super().__init__({
            **DEFAULT_CONFIG, 'discovery': 0, 'publish_all': 0, 'gateway_id': 'lab', 'identities': identities,
        })
        self.client = types.SimpleNamespace(is_connected=lambda: True)
        self.published: list[dict] = []

    def publish(self, msg, pub_topic=None, retain=False) -> None:
        if pub_topic != self.configuration['trackersync_topic']:
            self.published.append(json.loads(msg))


@pytest.mark.parametrize('phone', PHONES)
async def test_theengs_gateway(blepera_in_lab, phone):
    addresses = {name: address_of(blepera_in_lab, name) for name in PHONES}
    gateway = Theengs({one['identity']: reversed_key(one).hex() for one in addresses.values()})
    identity = addresses[phone]['identity']
    scan = asyncio.ensure_future(gateway.ble_scan_loop())
    try:
        async for _ in on_three_addresses(blepera_in_lab, phone):
            gateway.published.clear()

            def published():
                return next((one for one in gateway.published if one['id'] == identity), None)

            message = await until(published, 'a message of the phone')
            assert message['model_id'] == 'APPLEDEVICE'
        assert {one['id'] for one in gateway.published} <= {one['identity'] for one in addresses.values()}
    finally:
        gateway.stopped = True
        scan.cancel()
        await asyncio.gather(scan, return_exceptions=True)


@pytest.mark.parametrize('is_advertised', [True, False], ids=['an app in the background', 'no app'])
async def test_an_app_in_the_background_hides_a_phone(lab, run, is_advertised):
    """BlueZ has one value of a company, that of the scan response: the overflow area, which both trackers leave out."""
    lab('heart-rate', options=('--background',), is_private=True)
    if not is_advertised:
        run('heart-rate', 'quit')
    address = address_of(run, 'heart-rate')
    gateway = Theengs({address['identity']: reversed_key(address).hex()})
    kinds: set[int] = set()

    def detected(device, seen) -> None:
        if device.address == address['current']:
            kinds.add(seen.manufacturer_data[0x004C][0])
            gateway.detection_callback(device, seen)

    async with BleakScanner(detected):
        await until(lambda: kinds, 'the phone under its address')
        await asyncio.sleep(1)
    assert kinds == {0x01 if is_advertised else 0x10}
    assert (gateway.published == []) == is_advertised
    async with home_assistant() as manager:
        irk = bytes.fromhex(address['irk'])
        if is_advertised:
            await asyncio.sleep(2)
            assert newest(manager, irk) is None
        else:
            await until(lambda: newest(manager, irk), 'the phone for Home Assistant')


async def test_home_assistant_keeps_what_it_has_of_a_phone_that_it_drops(lab, run):
    """What findings/habluetooth-keeps-hidden-phones.sh shows without a phone."""
    lab('heart-rate', options=(), is_private=True)
    address = address_of(run, 'heart-rate')
    irk, current = bytes.fromhex(address['irk']), address['current']
    run('heart-rate', 'quit')
    async with home_assistant() as manager:
        await until(lambda: newest(manager, irk), 'the phone without an app')

        def has_overflow_area():
            received = manager.async_scanner_devices_by_address(current, False)
            return any(one.advertisement.manufacturer_data.get(0x004C, b'').startswith(b'\x01') for one in received)

        await asyncio.to_thread(run, 'heart-rate', 'launch')
        await asyncio.to_thread(run, 'heart-rate', 'background')
        await until(has_overflow_area, 'the overflow area')
        kept = newest(manager, irk)
        await asyncio.sleep(2)
        manager._async_check_unavailable()
        assert kept.manufacturer_data[0x004C][0] == 0x10
        assert newest(manager, irk).time == kept.time


APPLE = '{} bytes of Apple, 4C00 {}'
NEARBY, OVERFLOW, HANDOFF = (11, '1007'), (19, '01' + '00' * 7 + '20' + '00' * 8), (26, '0C0E')
STATES = {
    'no app': ('foreground-only', (), (), NEARBY, NEARBY),
    'an app': ('heart-rate', (), (), None, OVERFLOW),
    'Handoff': ('foreground-only', ('--apple-items', 'handoff'), (), None, HANDOFF),
    'an app, passive': ('heart-rate', (), ('passive',), NEARBY, NEARBY),
    'Handoff and an app, passive': ('heart-rate', ('--apple-items', 'handoff'), ('passive',), None, HANDOFF),
}


@pytest.mark.parametrize(('profile', 'options', 'words', 'kept', 'received'), STATES.values(), ids=STATES)
def test_presence(lab, blepera, profile, options, words, kept, received):
    """What Home Assistant's manager keeps of a phone in a pocket, and what its scanner has, which Bermuda reads."""
    lab(profile, options=('--background', '--experimental', *options), is_private=True)
    program = [sys.executable, ROOT / 'examples/home-assistant/presence.py', *words]
    environment = {**os.environ, 'PATH': f'{pathlib.Path(blepera).parent}:{os.environ["PATH"]}'}
    done = subprocess.run(program, env=environment, check=True, capture_output=True, text=True, timeout=60)
    lines = [line.split('  ', 1) for line in done.stdout.splitlines()]
    assert [tracker for tracker, _ in lines] == ['Home Assistant', 'Bermuda']
    for (_, shown), expected in zip(lines, (kept, received), strict=True):
        assert shown.strip().startswith(APPLE.format(*expected) if expected else 'nothing'), shown
        assert ('no TX power' in shown) == (expected == HANDOFF), shown


@pytest.mark.parametrize('phone', PHONES)
async def test_bumble(blepera_in_lab, phone):
    addresses = {name: address_of(blepera_in_lab, name) for name in PHONES}
    keys = [(reversed_key(one), Address(one['identity'], Address.PUBLIC_DEVICE_ADDRESS)) for one in addresses.values()]
    resolver, found = AddressResolver(keys), {}

    def detected(device, _) -> None:
        if resolved := resolver.resolve(Address(device.address)):
            found[device.address] = resolved.to_string(False)

    async with BleakScanner(detected):
        async for address in on_three_addresses(blepera_in_lab, phone):
            resolved = await until(lambda current=address['current']: found.get(current), 'the phone under its address')
            assert resolved == address['identity']


async def test_find_my(lab, blepera):
    """Find My is sent beside Nearby Info, under its own address, which the phone's key does not resolve."""
    lab('heart-rate', options=('--apple-items', 'nearby-info,find-my'), is_private=True)
    subprocess.run([blepera, 'quit'], check=True, capture_output=True)
    status = json.loads(subprocess.run([blepera, 'status', '--json'], check=True, capture_output=True).stdout)
    found = {}

    def add(device, advertisement):
        for data in advertisement.manufacturer_data.values():
            found[data[0]] = (device.address, data)

    async with BleakScanner(add):
        await until(lambda: {0x10, 0x12} <= found.keys(), 'Nearby Info and Find My')
    resolver = AddressResolver([(reversed_key(status['address']), Address(status['address']['identity']))])
    (near, _), (away, data) = found[0x10], found[0x12]
    assert data == bytes.fromhex('12020002')
    assert away != near
    assert resolver.resolve(Address(near)) and not resolver.resolve(Address(away))
