"""Accessories of a lab, used by a program on its bus and by a host at its door: docs/lab.md."""

import asyncio

import pytest
from blepera_tests.paths import profile_path
from bleak import BleakClient
from bumble.att import ATT_Error, ErrorCode
from bumble.core import UUID
from bumble.device import Peer
from program import TIMEOUT, Program
from scanning import find, has_name
from test_hci_pairing import COMPARES, NONE, TYPES, User, connected, host
from test_schemas import validate

STRAP = profile_path('heart-rate').parent / 'accessories/heart-strap.plist'
RATE, PLACE, CONTROL, BATTERY, SECRET = (
    f'0000{number}-0000-1000-8000-00805f9b34fb' for number in ('2a37', '2a38', '2a39', '2a19', 'fe01'))
BOX = '''{
  Name = Box; Advertisement = { LocalName = Box; ManufacturerData = <FFFF 07>; };
  Address = resolvable; Pairing = passkey; Passkey = 1234;
  Services = ({
    UUID = FE00;
    Characteristics = ({ UUID = FE01; Properties = (read); Permissions = (readEncryptionRequired); Value = <2A>; });
  });
}'''
BEACON = '''{
  Name = Beacon; Address = nonresolvable;
  Advertisement = { Data = <02 01 06 1A FF 4C 00 02 15 00112233445566778899AABBCCDDEEFF 0001 0002 C5>; Interval = 100; };
}'''


@pytest.fixture
def file(tmp_path):
    def write(text: str) -> str:
        path = tmp_path / 'box.plist'
        path.write_text(text)
        return str(path)

    return write


async def test_bleak_uses_an_accessory_beside_a_phone(lab, blepera, tmp_path):
    trace = tmp_path / 'run.trace'
    phone = lab('heart-rate', options=('--accessory', str(STRAP), '--record', str(trace)))
    # The phone has the address after that of the bus.
    address = 'C0:AA:01:00:00:02'
    found, seen = await find(address, has_name)
    assert (seen.local_name, seen.service_uuids) == ('HR Strap', ['0000180d-0000-1000-8000-00805f9b34fb'])
    async with BleakClient(found, timeout=TIMEOUT) as client:
        assert await client.read_gatt_char(PLACE) == b'\x01'
        assert await client.read_gatt_char(BATTERY) == bytes([100])
        values = asyncio.Queue()
        await client.start_notify(RATE, lambda _, value: values.put_nowait(value))
        rates = [await asyncio.wait_for(values.get(), TIMEOUT) for _ in range(2)]
        assert all(rate[0] == 6 and 60 <= rate[1] <= 100 for rate in rates)
        # The write is refused at first; the central pairs and repeats it.
        await client.write_gatt_char(CONTROL, b'\x01', response=True)
        await asyncio.to_thread(phone.event, 'write', side='accessory', phone='heart-strap', value='01')
    await asyncio.to_thread(phone.event, 'disconnected', side='accessory')
    events = [event for event in phone.events if event.get('side') == 'accessory']
    kinds = {'advertising', 'connected', 'read', 'subscribed', 'notified', 'paired', 'write', 'disconnected'}
    assert kinds <= {event['event'] for event in events}
    for event in events:
        validate(event, 'event')
    phone.close()
    # The accessory is not a phone of the trace.
    assert Program(blepera, 'report', str(trace), '-o', str(tmp_path / 'page.html')).wait() == 0


async def refused_secret(connection):
    """The value of the box that needs a passkey, of which a read is refused."""
    peer = Peer(connection)
    await peer.discover_services()
    await peer.discover_characteristics()
    (secret,) = peer.get_characteristics_by_uuid(UUID('FE01'))
    with pytest.raises(ATT_Error) as refused:
        await secret.read_value()
    assert refused.value.error_code == ErrorCode.INSUFFICIENT_AUTHENTICATION
    return secret


@pytest.mark.parametrize(
    'pairing, capability, asked',
    [('passkey; Passkey = 1234', TYPES, ['type']), ('numeric-comparison', COMPARES, ['compare'])],
    ids=['passkey', 'comparison'],
)
async def test_bumble_pairs_with_an_accessory(captured_lab, file, pairing, capability, asked):
    box = file(BOX.replace('passkey; Passkey = 1234', pairing))
    phone = captured_lab(options=('--accessory', box, '--hci', 'tcp:0'))
    shown: asyncio.Queue = asyncio.Queue()
    shown.put_nowait(1234)
    user = User(capability, shown)
    async with host(phone.settings['BLEPERA_HCI'], 'F0:F1:F2:F3:F4:F5', user) as device:
        connection = await connected(device, 'Box')
        assert connection.peer_address.is_resolvable
        secret = await refused_secret(connection)
        await asyncio.wait_for(connection.pair(), TIMEOUT)
        assert await secret.read_value() == b'\x2a'
        assert user.asked == asked
        await asyncio.to_thread(phone.event, 'paired', side='accessory')
        if capability == TYPES:
            assert phone.event('passkey', side='accessory')['passkey'] == '001234'
        await connection.disconnect()


async def test_a_pairing_that_just_works_is_not_enough_for_a_passkey(captured_lab, file):
    phone = captured_lab(options=('--accessory', file(BOX), '--hci', 'tcp:0'))
    async with host(phone.settings['BLEPERA_HCI'], 'F0:F1:F2:F3:F4:F5', User(NONE, asyncio.Queue())) as device:
        connection = await connected(device, 'Box')
        await asyncio.wait_for(connection.pair(), TIMEOUT)
        await refused_secret(connection)
        await connection.disconnect()


async def test_a_beacon_is_received_and_not_connected(lab, file):
    phone = lab(options=('--accessory', file(BEACON), '--hci', 'tcp:0'), is_private=True)
    async with host(phone.settings['BLEPERA_HCI'], 'F0:F1:F2:F3:F4:F5') as device:
        seen = asyncio.Queue()
        device.on('advertisement', seen.put_nowait)
        await device.start_scanning()
        beacon = await asyncio.wait_for(seen.get(), TIMEOUT)
        assert not beacon.is_connectable and beacon.address.is_random and not beacon.address.is_resolvable
        assert beacon.data_bytes.hex().startswith('0201061aff4c000215')


def test_a_faulty_accessory_ends_the_lab(blepera, file):
    lab = Program(blepera, 'lab', '--accessory', file(BOX.replace('= passkey', '= passkeys')), '--', 'true')
    assert lab.wait() == 2
    assert any('box.plist:3:35: error: Pairing: found "passkeys", expected refuse' in line for line in lab.errors)
