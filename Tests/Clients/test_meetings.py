"""Hosts of Bumble at two doors, an accessory, a program on the bus and two phones on one air: each pair that can meet does."""

import asyncio
import contextlib

from bleak import BleakClient, BleakScanner
from bluez_peripheral.advert import Advertisement
from bluez_peripheral.util import get_message_bus
from blepera_tests.paths import ROOT
from bumble.core import UUID, AdvertisingData
from bumble.device import AdvertisingParameters, Device, Peer
from bumble.gatt import Characteristic, Service
from bumble.hci import Address
from bumble.transport import open_transport
from program import TIMEOUT
from test_servers import Thermometer

STRAP = ROOT / 'profiles/accessories/heart-strap.plist'
# A characteristic and its value for each peripheral, by the name that the peripheral advertises.
PHONES = {'Heart Rate': (0x2A38, b'\x01'), 'Thermometer': (0x2A1D, b'\x02')}
ACCESSORY = {'HR Strap': (0x2A38, b'\x01')}
PROGRAM = {'Program': (0xBEF0, b'at first')}
HOSTS = {'First': (0x2A19, b'\x46'), 'Second': (0x2A19, b'\x47')}


@contextlib.asynccontextmanager
async def host(transport: str, name: str, address: str):
    """A device that advertises its service, again after each connection."""
    async with await open_transport(transport) as (source, sink):
        device = Device.with_hci(name, Address(address), source, sink)
        uuid, value = HOSTS[name]
        level = Characteristic(UUID(uuid), Characteristic.Properties.READ, Characteristic.Permissions.READABLE, value)
        device.add_service(Service(UUID(0x180F), [level]))
        await asyncio.wait_for(device.power_on(), TIMEOUT)
        data = AdvertisingData([(AdvertisingData.FLAGS, b'\x06'), (AdvertisingData.COMPLETE_LOCAL_NAME, name.encode())])
        often = AdvertisingParameters(primary_advertising_interval_min=100, primary_advertising_interval_max=100)
        await device.create_advertising_set(
            often, advertising_data=bytes(data), random_address=Address(address), auto_restart=True
        )
        yield device


async def read_by_host(device: Device, name: str, uuid: int) -> bytes:
    connection = await asyncio.wait_for(device.connect(name), TIMEOUT)
    peer = Peer(connection)
    await peer.discover_services()
    await peer.discover_characteristics()
    (found,) = peer.get_characteristics_by_uuid(UUID(uuid))
    value = await asyncio.wait_for(found.read_value(), TIMEOUT)
    await connection.disconnect()
    return value


async def read_by_program(name: str, uuid: int) -> bytes:
    found = await BleakScanner.find_device_by_name(name, timeout=TIMEOUT)
    async with BleakClient(found, timeout=TIMEOUT) as client:
        return bytes(await client.read_gatt_char(f'0000{uuid:04x}-0000-1000-8000-00805f9b34fb'))


async def test_each_pair_that_can_meet_does(lab):
    # Nothing is captured: tshark 4.0 confuses the handles of a device that is peripheral and central with its peers'.
    options = ('--experimental', '--hci', 'tcp:0', '--hci', 'tcp:0', '--accessory', str(STRAP))
    started = lab('heart-rate', 'foreground-only', options=options, is_private=True)
    first, second = started.settings['BLEPERA_HCI'].split()
    bus = await get_message_bus()
    await Thermometer().register(bus)
    await Advertisement('Program', ['BEEF'], 0x0300, 600).register(bus)
    async with host(first, 'First', 'F0:F1:F2:F3:F4:F5') as one, host(second, 'Second', 'F0:F1:F2:F3:F4:F6') as other:
        for central, own in ((one, 'First'), (other, 'Second')):
            for name, (uuid, value) in (PHONES | ACCESSORY | PROGRAM | HOSTS).items():
                if name != own:
                    assert await read_by_host(central, name, uuid) == value, (own, name)
        for name, (uuid, value) in (PHONES | ACCESSORY | HOSTS).items():
            assert await read_by_program(name, uuid) == value, name
    centrals = [event['central'] for event in started.events if event['event'] == 'connected']
    # Two hosts and the program, at each of two phones and at the accessory.
    assert sorted(map(centrals.count, set(centrals))) == [3, 3, 3]
    bus.disconnect()
