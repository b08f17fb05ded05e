"""Bleak, unmodified, in a lab: what a gateway written in Python does."""

import asyncio
import json
import subprocess

import pytest
from attributes import (
    COMMAND, COUNTER, DESCRIBED, ECHO, EVERY_KIND, HEART_RATE, INDICATED, LOCATION, LONG_READ, NOTIFY_ONLY, REFUSED,
    SECRET, WRITE_ONLY,
)
from blepera_tests.paths import profile_path
from bleak import BleakClient, BleakScanner
from bleak.exc import BleakGATTProtocolError, BleakGATTProtocolErrorCode
from conftest import long_value
from program import TIMEOUT
from scanning import find, has_name

PHONE = '00:AA:01:00:00:01'

VERSIONS = [('--bluez-version', '5.66', '--experimental'), ('--bluez-version', '5.82')]


async def listen(client: BleakClient, characteristic: str, **options) -> asyncio.Queue:
    values = asyncio.Queue()
    await client.start_notify(characteristic, lambda _, value: values.put_nowait(bytes(value)), **options)
    return values


async def value(values: asyncio.Queue) -> bytes:
    return await asyncio.wait_for(values.get(), TIMEOUT)


@pytest.mark.parametrize('options', VERSIONS, ids=['5.66', '5.82'])
async def test_scan(lab, options):
    lab('heart-rate', 'smart-lock', options=(*options, '--rssi', '-71'))
    first, seen = await find(PHONE)
    assert (first.name, seen.local_name, seen.service_uuids) == ('Heart Rate', 'Heart Rate', [HEART_RATE])
    assert (seen.rssi, seen.manufacturer_data) == (-71, {})
    second, seen = await find('00:AA:01:00:00:02', has_name)
    assert (second.name, seen.service_uuids) == ('Lock', ['c8b6f0b5-7a37-4b4e-9f0c-6b2b5d1e8a01'])


async def test_scan_for_a_service(lab):
    lab('heart-rate', 'smart-lock')
    device = await BleakScanner.find_device_by_filter(
        lambda device, seen: HEART_RATE in seen.service_uuids, timeout=TIMEOUT, service_uuids=[HEART_RATE]
    )
    assert device.address == PHONE


@pytest.mark.parametrize(('release', 'is_repeated'), [('5.66', True), ('5.82', True), ('next', False)])
async def test_a_phone_that_does_not_move_is_reported_with_each_packet_up_to_5_87(lab, release, is_repeated):
    lab('heart-rate', options=('--bluez-version', release))
    strengths = []
    async with BleakScanner(lambda device, seen: strengths.append(seen.rssi), service_uuids=[HEART_RATE]):
        await asyncio.sleep(5)
    assert set(strengths) == {-50}
    # What else changes is signaled: the data of the scan response come after those of the advertisement.
    assert len(strengths) >= 8 if is_repeated else len(strengths) <= 3, strengths


@pytest.mark.parametrize('options', VERSIONS, ids=['5.66', '5.82'])
async def test_a_phone_in_the_background_has_neither_name_nor_services(lab, blepera, options):
    lab('heart-rate', options=(*options, '--background'))
    _, seen = await find(PHONE)
    assert (seen.local_name, seen.service_uuids, seen.service_data) == (None, [], {})
    assert list(seen.manufacturer_data) == [0x004C]
    words = [blepera, 'overflow', 'encode', '--json', '180D']
    overflow = json.loads(subprocess.run(words, check=True, capture_output=True).stdout)
    assert seen.manufacturer_data[0x004C] == bytes.fromhex('01' + overflow['mask'])
    assert overflow['ad'] == '14FF4C00' + seen.manufacturer_data[0x004C].hex().upper()
    words = [blepera, 'explain', '--json', str(profile_path('heart-rate'))]
    explained = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    assert seen.manufacturer_data[0x004C].hex().upper() in explained


@pytest.mark.parametrize('options', VERSIONS, ids=['5.66', '5.82'])
async def test_connect_read_notify_disconnect(lab, options):
    phone = lab('heart-rate', options=options)
    disconnected = asyncio.Event()
    device, _ = await find(PHONE)
    client = BleakClient(device, disconnected_callback=lambda _: disconnected.set())
    await client.connect()
    assert client.is_connected and HEART_RATE in [service.uuid for service in client.services]
    phone.event('connected', central='00:AA:01:00:00:00')
    assert await client.read_gatt_char(LOCATION) == b'\x01'
    assert phone.event('read', characteristic='2A38')['cached']
    for uses_start_notify in (True, False):  # or AcquireNotify
        beats = await listen(client, '2a37', bluez={'use_start_notify': uses_start_notify})
        for _ in range(2):
            flags, beat = await value(beats)
            assert flags == 6 and 60 <= beat <= 100
        await client.stop_notify('2a37')
    phone.wait_for(
        lambda: sum(event['event'] == 'unsubscribed' for event in phone.events) == 2, 'second end of a subscription'
    )
    await client.disconnect()
    await asyncio.wait_for(disconnected.wait(), TIMEOUT)
    assert not client.is_connected
    phone.event('disconnected', central='00:AA:01:00:00:00')


@pytest.mark.parametrize('options', VERSIONS, ids=['5.66', '5.82'])
async def test_values(lab, options):
    phone = lab('every-kind', options=options)
    device, _ = await find(PHONE)
    async with BleakClient(device) as client:
        assert EVERY_KIND in [service.uuid for service in client.services]
        assert await client.read_gatt_char(LONG_READ) == long_value()

        await client.write_gatt_char(ECHO, b'hello', response=True)
        assert await client.read_gatt_char(ECHO) == b'hello'
        assert phone.event('write', characteristic=ECHO.upper())['value'] == b'hello'.hex().upper()

        # The value is as long as bluetoothd 5.66 allows.
        longest = bytes(number % 251 for number in range(508))
        await client.write_gatt_char(ECHO, longest, response=True)
        assert await client.read_gatt_char(ECHO) == longest

        echoes = await listen(client, COMMAND)
        await client.write_gatt_char(COMMAND, b'command', response=False)
        assert await value(echoes) == b'command'

        indications = await listen(client, INDICATED)
        await client.write_gatt_char(INDICATED, b'indicated', response=True)
        assert await value(indications) == b'indicated'
        phone.event('confirmed', characteristic=INDICATED.upper())

        numbers = await listen(client, COUNTER)
        counted = [int.from_bytes(await value(numbers), 'little') for _ in range(3)]
        assert counted == [counted[0], counted[0] + 1, counted[0] + 2]

        values = await listen(client, NOTIFY_ONLY)
        await client.write_gatt_char(WRITE_ONLY, b'across', response=True)
        assert await value(values) == b'across'

        described = client.services.get_characteristic(DESCRIBED)
        texts = {descriptor.uuid[4:8]: descriptor for descriptor in described.descriptors}
        assert await client.read_gatt_descriptor(texts['2901']) == b'An old name'


async def test_a_refusal_has_its_att_error(lab):
    lab('every-kind')
    device, _ = await find(PHONE)
    async with BleakClient(device) as client:
        with pytest.raises(BleakGATTProtocolError) as refusal:
            await client.read_gatt_char(REFUSED)
        assert refusal.value.code == BleakGATTProtocolErrorCode.READ_NOT_PERMITTED
        with pytest.raises(BleakGATTProtocolError) as refusal:
            await client.write_gatt_char(REFUSED, b'no', response=True)
        assert refusal.value.code == BleakGATTProtocolErrorCode.WRITE_NOT_PERMITTED


async def test_an_encrypted_characteristic_is_read_after_pairing(lab):
    phone = lab('every-kind')
    device, _ = await find(PHONE)
    async with BleakClient(device) as client:
        await client.pair()
        phone.event('paired', central='00:AA:01:00:00:00')
        assert await client.read_gatt_char(SECRET) == b'secret'


async def test_an_iphones_address_is_private_until_the_phone_is_paired(lab, blepera):
    phone = lab('every-kind', is_private=True)
    status = json.loads(subprocess.run([blepera, 'status', '--json'], check=True, capture_output=True).stdout)
    assert status['address']['identity'] == PHONE
    device, _ = await find(status['address']['current'])
    assert device.details['props']['AddressType'] == 'random'
    async with BleakClient(device) as client:
        await client.pair()
        phone.event('paired', central='00:AA:01:00:00:00')
        assert await client.read_gatt_char(SECRET) == b'secret'
    device, _ = await find(PHONE)
    assert device.details['props']['AddressType'] == 'public'


async def test_the_disconnect_callback_is_called_when_the_phone_has_ended(lab, blepera):
    lab('heart-rate')
    disconnected = asyncio.Event()
    device, _ = await find(PHONE)
    async with BleakClient(device, disconnected_callback=lambda _: disconnected.set()) as client:
        subprocess.run([blepera, 'bluetooth', 'off'], check=True)
        await asyncio.wait_for(disconnected.wait(), TIMEOUT)
        assert not client.is_connected
    subprocess.run([blepera, 'bluetooth', 'on'], check=True)
    device, _ = await find(PHONE)
    async with BleakClient(device) as client:
        assert await client.read_gatt_char(LOCATION) == b'\x01'


@pytest.mark.parametrize('options', VERSIONS, ids=['5.66', '5.82'])
async def test_a_subscription_right_after_a_reconnection(lab, blepera, options):
    """By the services of the connection before, as Home Assistant connects: the phone has published them again, and
    bluetoothd keeps what is equal."""
    lab('heart-rate', options=options)
    disconnected = asyncio.Event()
    device, _ = await find(PHONE)
    async with BleakClient(device, disconnected_callback=lambda _: disconnected.set()) as client:
        await value(await listen(client, '2a37'))
        subprocess.run([blepera, 'bluetooth', 'reset'], check=True)
        await asyncio.wait_for(disconnected.wait(), TIMEOUT)
        other = BleakClient(device)
        await other.connect(dangerous_use_bleak_cache=True)
        try:
            await value(await listen(other, '2a37'))
        finally:
            await other.disconnect()


async def test_what_is_encrypted_makes_bluez_pair(lab):
    phone = lab('every-kind')
    device, _ = await find(PHONE)
    async with BleakClient(device) as client:
        assert await client.read_gatt_char(SECRET) == b'secret'
    phone.event('paired', central='00:AA:01:00:00:00')


async def test_the_mtu_of_an_iphone_is_that_of_bluetoothd(lab):
    lab('every-kind')
    device, _ = await find(PHONE)
    async with BleakClient(device) as client:
        command = client.services.get_characteristic(COMMAND)
        assert command.max_write_without_response_size == 517 - 3


async def test_the_mtu_is_reported_and_used(lab):
    phone = lab('every-kind', options=('--mtu', '185'))
    device, _ = await find(PHONE)
    async with BleakClient(device) as client:
        command = client.services.get_characteristic(COMMAND)
        assert command.max_write_without_response_size == 185 - 3
        echoes = await listen(client, COMMAND)
        await client.write_gatt_char(command, bytes(182), response=False)
        assert await value(echoes) == bytes(182)
    assert phone.event('write', characteristic=COMMAND.upper())['value'] == '00' * 182


async def test_two_phones_at_once(lab):
    lab('heart-rate', 'nordic-uart')
    heart, _ = await find(PHONE)
    uart, _ = await find('00:AA:01:00:00:02')
    async with BleakClient(heart) as first, BleakClient(uart) as second:
        beats = await listen(first, '2a37')
        echoes = await listen(second, '6e400003-b5a3-f393-e0a9-e50e24dcca9e')
        await second.write_gatt_char('6e400002-b5a3-f393-e0a9-e50e24dcca9e', b'to and fro', response=False)
        assert await value(echoes) == b'to and fro'
        assert len(await value(beats)) == 2
