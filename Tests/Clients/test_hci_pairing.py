"""Pairing of Bumble's hosts with a phone and with each other, over the HCI of a lab: docs/hci.md."""

import asyncio
import contextlib

import pytest
from bumble.att import ATT_Error, ErrorCode
from bumble.core import UUID, ProtocolError
from bumble.device import Device, Peer
from bumble.hci import Address, HCI_Error
from bumble.hci import HCI_ErrorCode as Status
from bumble.keys import MemoryKeyStore
from bumble.pairing import PairingConfig, PairingDelegate
from bumble.transport import open_transport
from program import TIMEOUT
from test_captures import dissect

NONE = PairingDelegate.NO_OUTPUT_NO_INPUT
TYPES = PairingDelegate.KEYBOARD_INPUT_ONLY
SHOWS = PairingDelegate.DISPLAY_OUTPUT_ONLY
COMPARES = PairingDelegate.DISPLAY_OUTPUT_AND_YES_NO_INPUT
BOTH = PairingDelegate.DISPLAY_OUTPUT_AND_KEYBOARD_INPUT
SECRET = UUID('463FED21-DA93-45E7-B00F-B5CD99775150')


class User(PairingDelegate):
    """Types the passkey that the other side shows, and keeps what it was asked."""

    def __init__(self, capability, shown: asyncio.Queue) -> None:
        super().__init__(capability)
        self.shown = shown
        self.asked: list[str] = []

    async def display_number(self, number: int, digits: int) -> None:
        self.asked.append('show')
        self.shown.put_nowait(number)

    async def get_number(self) -> int:
        self.asked.append('type')
        return await self.shown.get()

    async def compare_numbers(self, number: int, digits: int) -> bool:
        self.asked.append('compare')
        self.shown.put_nowait(number)
        return True


@contextlib.asynccontextmanager
async def host(transport: str, address: str, user: User | None = None, is_secure: bool = True, mitm: bool = True):
    async with await open_transport(transport) as (source, sink):
        device = Device.with_hci('box', Address(address), source, sink)
        device.pairing_config_factory = lambda _: PairingConfig(sc=is_secure, mitm=mitm, delegate=user)
        device.keystore = MemoryKeyStore()
        await asyncio.wait_for(device.power_on(), TIMEOUT)
        yield device


async def connected(device: Device, name: str):
    return await asyncio.wait_for(device.connect(name), TIMEOUT)


async def secret(connection):
    peer = Peer(connection)
    await peer.discover_services()
    await peer.discover_characteristics()
    (value,) = peer.get_characteristics_by_uuid(SECRET)
    return value


@pytest.mark.parametrize(
    'initiator, responder, is_secure, asked',
    [
        (NONE, NONE, True, ([], [])),
        (COMPARES, COMPARES, True, (['compare'], ['compare'])),
        (TYPES, SHOWS, True, (['type'], ['show'])),
        (SHOWS, TYPES, True, (['show'], ['type'])),
        (NONE, NONE, False, ([], [])),
        (BOTH, SHOWS, False, (['type'], ['show'])),
        (SHOWS, BOTH, False, (['show'], ['type'])),
    ],
    ids=['works', 'compares', 'types', 'shows', 'legacy-works', 'legacy-types', 'legacy-shows'],
)
async def test_two_hosts_of_one_air_pair(captured_lab, initiator, responder, is_secure, asked):
    phone = captured_lab(options=('--hci', 'tcp:0', '--hci', 'tcp:0'))
    first, second = phone.settings['BLEPERA_HCI'].split()
    shown: asyncio.Queue = asyncio.Queue()
    users = User(initiator, shown), User(responder, shown)
    mine, other = 'F0:F1:F2:F3:F4:F5', 'C0:00:00:00:00:01'
    async with host(first, mine, users[0], is_secure) as client, host(second, other, users[1], is_secure) as server:
        await server.create_advertising_set(random_address=Address(other))
        connection = await connected(client, other)
        await asyncio.wait_for(connection.pair(), TIMEOUT)
        assert connection.is_encrypted
        assert (users[0].asked, users[1].asked) == asked
        # A key is exchanged for another one, of which Bumble's encrypt() does not wait for the event.
        refreshed = asyncio.Event()
        connection.on(connection.EVENT_CONNECTION_ENCRYPTION_KEY_REFRESH, refreshed.set)
        encrypting = asyncio.create_task(connection.encrypt())
        await asyncio.wait_for(refreshed.wait(), TIMEOUT)
        encrypting.cancel()


async def test_bumble_pairs_with_the_phone_and_reconnects_with_the_key(captured_lab):
    phone = captured_lab('say-something', options=('--hci', 'tcp:0'))
    async with host(phone.settings['BLEPERA_HCI'], 'F0:F1:F2:F3:F4:F5', mitm=False) as device:
        connection = await connected(device, 'iPad')
        former = connection.peer_address
        value = await secret(connection)
        with pytest.raises(ATT_Error) as refused:
            await value.read_value()
        assert refused.value.error_code == ErrorCode.INSUFFICIENT_AUTHENTICATION
        await asyncio.wait_for(connection.pair(), TIMEOUT)
        assert phone.event('paired')['central'] == 'F0:F1:F2:F3:F4:F5'
        assert await value.read_value()
        values = asyncio.Queue()
        await value.subscribe(values.put_nowait)
        await asyncio.wait_for(values.get(), TIMEOUT)
        ((identity, keys),) = await device.keystore.get_all()
        assert keys.ltk and keys.irk
        await connection.disconnect()
        phone.event('disconnected')
        # The phone's private address is resolved with the key that it has distributed.
        connection = await connected(device, 'iPad')
        assert former.is_resolvable and str(connection.peer_address) == identity
        value = await secret(connection)
        with pytest.raises(ATT_Error) as refused:
            await value.read_value()
        assert refused.value.error_code == ErrorCode.INSUFFICIENT_ENCRYPTION
        await asyncio.wait_for(connection.encrypt(), TIMEOUT)
        assert await value.read_value()
        # The subscription is there again, too.
        assert phone.event('subscribed')['central'] == 'F0:F1:F2:F3:F4:F5'


async def test_without_the_key_encryption_fails_and_the_connection_stays(captured_lab):
    phone = captured_lab('say-something', options=('--hci', 'tcp:0'))
    async with host(phone.settings['BLEPERA_HCI'], 'F0:F1:F2:F3:F4:F5', mitm=False) as device:
        connection = await connected(device, 'iPad')
        await asyncio.wait_for(connection.pair(), TIMEOUT)
        ((_, keys),) = await device.keystore.get_all()
        await connection.disconnect()
    await asyncio.to_thread(phone.event, 'hostLeft')
    async with host(phone.settings['BLEPERA_HCI'], 'F0:F1:F2:F3:F4:F6', mitm=False) as device:
        connection = await connected(device, 'iPad')
        await device.keystore.update(str(connection.peer_address), keys)
        with pytest.raises(HCI_Error) as refused:
            await asyncio.wait_for(connection.encrypt(), TIMEOUT)
        assert refused.value.error_code == Status.PIN_OR_KEY_MISSING_ERROR
        assert await Peer(connection).discover_services()


# LL_ENC_REQ, LL_ENC_RSP, LL_START_ENC_REQ, and LL_START_ENC_RSP of both; the last two are encrypted.
ENCRYPTING = ['0x03', '0x04', '0x05', '0x06', '0x06']
DECRYPTED = 0x0008


async def test_packets_of_a_pairing_are_encrypted_from_the_start_of_encryption(captured_lab, tmp_path):
    phone = captured_lab('say-something', options=('--hci', 'tcp:0'))
    async with host(phone.settings['BLEPERA_HCI'], 'F0:F1:F2:F3:F4:F5', mitm=False) as device:
        connection = await connected(device, 'iPad')
        await asyncio.wait_for(connection.pair(), TIMEOUT)
        assert await (await secret(connection)).read_value()
        await connection.disconnect()
        phone.event('disconnected')
    packets = dissect(tmp_path / 'air.pcap')
    controls = [packet for packet in packets if packet['control'] in ENCRYPTING]
    assert [packet['control'] for packet in controls] == ENCRYPTING
    begin = packets.index(controls[3])
    end = next(place for place, packet in enumerate(packets) if packet['control'] == '0x02')
    before, after = packets[:begin], [packet for packet in packets[begin : end + 1] if not packet['pdu']]
    assert not any(int(packet['flags'], 0) & DECRYPTED for packet in before)
    assert all(int(packet['flags'], 0) & DECRYPTED for packet in after)
    # Keys are distributed, and the value is read, over the encrypted link.
    assert [packet for packet in after if packet['opcode'] == '0x0a']


def passkeys_shown(phone, after: int) -> list[str]:
    """All that the phone has shown, once there are more than that many."""
    shown = [event['passkey'] for event in phone.events if event['event'] == 'passkey']
    return shown if len(shown) > after else []


@pytest.mark.parametrize('is_secure', [True, False], ids=['secure', 'legacy'])
async def test_the_phone_shows_a_passkey_that_bumble_types(captured_lab, is_secure):
    phone = captured_lab('say-something', options=('--hci', 'tcp:0', '--pairing', 'passkey'))
    shown: asyncio.Queue = asyncio.Queue()
    user = User(TYPES, shown)
    async with host(phone.settings['BLEPERA_HCI'], 'F0:F1:F2:F3:F4:F5', user, is_secure) as device:
        connection = await connected(device, 'iPad')
        pairing = asyncio.create_task(connection.pair())
        event = await asyncio.to_thread(phone.event, 'passkey')
        shown.put_nowait(int(event['passkey']))
        await asyncio.wait_for(pairing, TIMEOUT)
        assert connection.authenticated
        assert await (await secret(connection)).read_value()


async def test_a_wrong_passkey_fails_and_the_next_may_be_right(captured_lab):
    phone = captured_lab('say-something', options=('--hci', 'tcp:0', '--pairing', 'passkey'))
    shown: asyncio.Queue = asyncio.Queue()
    user = User(TYPES, shown)
    async with host(phone.settings['BLEPERA_HCI'], 'F0:F1:F2:F3:F4:F5', user) as device:
        connection = await connected(device, 'iPad')
        for number, error in enumerate((1, 0)):
            pairing = asyncio.create_task(connection.pair())
            passkeys = await asyncio.to_thread(phone.wait_for, lambda number=number: passkeys_shown(phone, number), 'passkey')
            shown.put_nowait(int(passkeys[number]) ^ error)
            if error:
                with pytest.raises(ProtocolError):
                    await asyncio.wait_for(pairing, TIMEOUT)
            else:
                await asyncio.wait_for(pairing, TIMEOUT)


async def test_a_phone_that_refuses_says_so(captured_lab):
    phone = captured_lab('say-something', options=('--hci', 'tcp:0', '--pairing', 'refuse'))
    async with host(phone.settings['BLEPERA_HCI'], 'F0:F1:F2:F3:F4:F5', mitm=False) as device:
        connection = await connected(device, 'iPad')
        with pytest.raises(ProtocolError):
            await asyncio.wait_for(connection.pair(), TIMEOUT)
        assert phone.event('pairingRefused')['central'] == 'F0:F1:F2:F3:F4:F5'


async def test_a_strict_phone_does_not_answer_bumbles_defaults(captured_lab):
    phone = captured_lab('say-something', options=('--hci', 'tcp:0,strict'))
    async with host(phone.settings['BLEPERA_HCI'], 'F0:F1:F2:F3:F4:F5', mitm=False) as device:
        connection = await connected(device, 'iPad')
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(connection.pair(), 2)
