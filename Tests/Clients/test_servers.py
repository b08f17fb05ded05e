"""Servers of others, unmodified, on the lab's first adapter, and Bleak as their central on the second."""

import asyncio
import contextlib
import pathlib
import signal

import pytest
from attributes import HEART_RATE, LOCATION, MEASUREMENT, short
from bleak import BleakClient
from bless import BlessServer, GATTAttributePermissions, GATTCharacteristicProperties
from bluez_peripheral.advert import Advertisement
from bluez_peripheral.gatt.characteristic import CharacteristicFlags, characteristic
from bluez_peripheral.gatt.descriptor import DescriptorFlags, descriptor
from bluez_peripheral.gatt.service import Service
from bluez_peripheral.util import get_message_bus
from dbus_fast import BusType, Message, MessageType, Variant
from dbus_fast.aio import MessageBus
from program import TIMEOUT, Program
from scanning import find, has_name

SERVER = '00:AA:01:00:00:00'
CENTRAL = {'adapter': 'hci1'}
EXAMPLES = pathlib.Path('/usr/share/doc/bluez-test-scripts/examples')

TWO_ADAPTERS = ('--adapters', '2', '--experimental')
VERSIONS = [(*TWO_ADAPTERS, '--bluez-version', version) for version in ('5.66', '5.82')]


@pytest.fixture(params=VERSIONS, ids=['5.66', '5.82'])
def radio(lab, request):
    """The version of BlueZ on the radio."""
    lab(options=request.param)
    return request.param[-1]


async def make_discoverable():
    """Centrals' bluetoothd 5.66 ignores devices that are not discoverable; the adapter says that for advertisements that do
    not say it themselves."""
    bus = await MessageBus(bus_type=BusType.SYSTEM).connect()
    reply = await bus.call(
        Message(
            destination='org.bluez', path='/org/bluez/hci0', interface='org.freedesktop.DBus.Properties', member='Set',
            signature='ssv', body=['org.bluez.Adapter1', 'Discoverable', Variant('b', True)],
        )
    )
    assert reply.message_type is not MessageType.ERROR, reply.body
    bus.disconnect()


async def listen(client: BleakClient, uuid: str) -> asyncio.Queue:
    values = asyncio.Queue()
    await client.start_notify(uuid, lambda _, value: values.put_nowait(bytes(value)))
    return values


async def value(values: asyncio.Queue) -> bytes:
    return await asyncio.wait_for(values.get(), TIMEOUT)


class Thermometer(Service):
    """A service as bluez-peripheral's users write them."""

    def __init__(self):
        self.word = b'at first'
        super().__init__('BEEF', True)

    @characteristic('BEF0', CharacteristicFlags.READ | CharacteristicFlags.WRITE)
    def text(self, options):
        return self.word

    @text.setter
    def text(self, value, options):
        self.word = bytes(value)

    @characteristic('BEF1', CharacteristicFlags.NOTIFY)
    def measured(self, options):
        pass

    @descriptor('2901', measured, DescriptorFlags.READ)
    def description(self, options):
        return b'measured'


async def test_bluez_peripheral(radio):
    bus = await get_message_bus()
    service = Thermometer()
    await service.register(bus)
    await Advertisement('Thermometer', ['BEEF'], 0x0300, 60).register(bus)
    device, seen = await find(SERVER, has_name, bluez=CENTRAL)
    assert (seen.local_name, seen.service_uuids) == ('Thermometer', [short(0xBEEF)])
    async with BleakClient(device, bluez=CENTRAL) as client:
        assert await client.read_gatt_char(short(0xBEF0)) == b'at first'
        await client.write_gatt_char(short(0xBEF0), b'written', response=True)
        assert service.word == b'written'
        measured = client.services.get_characteristic(short(0xBEF1))
        description = measured.get_descriptor(short(0x2901))
        assert await client.read_gatt_descriptor(description) == b'measured'
        values = await listen(client, short(0xBEF1))
        service.measured.changed(b'21 degrees')
        assert await value(values) == b'21 degrees'
    bus.disconnect()
    await bus.wait_for_disconnect()


async def test_bless(radio):
    await make_discoverable()
    uuid, text, notified = (f'a07498ca-ad5b-474e-940d-16f1fbe7e8c{digit}' for digit in 'def')
    server = BlessServer('Bless', loop=asyncio.get_running_loop())
    server.read_request_func = lambda characteristic, **_: characteristic.value

    def write(characteristic, value, **_):
        characteristic.value = value

    server.write_request_func = write
    await server.add_new_service(uuid)
    flags = GATTCharacteristicProperties
    permissions = GATTAttributePermissions.readable | GATTAttributePermissions.writeable
    await server.add_new_characteristic(uuid, text, flags.read | flags.write, bytearray(b'at first'), permissions)
    await server.add_new_characteristic(uuid, notified, flags.read | flags.notify, bytearray(b''), permissions)
    await server.start()
    device, seen = await find(SERVER, has_name, bluez=CENTRAL)
    assert (seen.local_name, seen.service_uuids) == ('Bless', [uuid])
    async with BleakClient(device, bluez=CENTRAL) as client:
        assert await client.read_gatt_char(text) == b'at first'
        await client.write_gatt_char(text, b'written', response=True)
        assert await client.read_gatt_char(text) == b'written'
        values = await listen(client, notified)
        server.get_characteristic(notified).value = bytearray(b'news')
        server.update_value(uuid, notified)
        assert await value(values) == b'news'
    await server.stop()


async def test_examples_of_bluez(radio):
    with contextlib.ExitStack() as programs:

        def run(name: str, word: str) -> Program:
            program = Program('/usr/bin/python3', '-u', str(EXAMPLES / name))
            programs.callback(program.end, signal.SIGTERM)
            program.line(word)
            return program

        server = run('example-gatt-server', 'GATT application registered')
        if radio == '5.66':
            # Centrals ignore advertisements without flags, and the example's advertisement has no room for them.
            await Advertisement('Server', [], 0, 60).register(await get_message_bus())
            device, _ = await find(SERVER, bluez=CENTRAL)
        else:
            await make_discoverable()
            run('example-advertisement', 'Advertisement registered')
            device, seen = await find(SERVER, has_name, bluez=CENTRAL)
            assert seen.local_name == 'TestAdvertisement'
            assert set(seen.service_uuids) == {HEART_RATE, short(0x180F)}
            assert seen.manufacturer_data == {0xFFFF: b'\0\1\2\3'}
        async with BleakClient(device, bluez=CENTRAL) as client:
            assert await client.read_gatt_char(LOCATION) == b'\1'
            battery = await client.read_gatt_char(short(0x2A19))
            assert battery[0] <= 100
            beats = await listen(client, MEASUREMENT)
            assert len(await value(beats)) == 4
            server.line('Update HR Measurement Simulation')
            secret = client.services.get_service('12345678-1234-5678-1234-56789abcdef0')
            await client.write_gatt_char('12345678-1234-5678-1234-56789abcdef1', b'test', response=True)
            assert await client.read_gatt_char('12345678-1234-5678-1234-56789abcdef1') == b'test'
            assert len(secret.characteristics) == 3
