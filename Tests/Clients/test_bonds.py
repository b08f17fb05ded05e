"""Bonds that one side has lost: a phone and Bumble's hosts at the HCI of a lab, docs/central.md#bonds."""

import asyncio
import contextlib

import pytest
from blepera import Bond, Lab, PhoneError
from blepera_tests.paths import profile_path
from bumble.core import UUID, AdvertisingData
from bumble.device import AdvertisingParameters, Device
from bumble.gatt import Characteristic, Service
from bumble.hci import Address, HCI_Error
from bumble.hci import HCI_ErrorCode as Status
from bumble.keys import MemoryKeyStore
from bumble.pairing import PairingConfig, PairingDelegate
from bumble.transport import open_transport
from program import TIMEOUT
from test_hci_pairing import connected, host

BOX, SECRET = (f'B1E9E2A0-0000-4000-8000-0000000000{number}' for number in (30, 31))
ADDRESS = 'C0:00:00:00:00:01'
ENCRYPTION = PairingDelegate.KeyDistribution.DISTRIBUTE_ENCRYPTION_KEY
IDENTITY = PairingDelegate.KeyDistribution.DISTRIBUTE_IDENTITY_KEY
READER = f'''{{
  CFBundleIdentifier = org.example.reader; UIBackgroundModes = (bluetooth-central);
  BLECentral = {{
    ScanServices = ({BOX}); Connect = {{ }};
    Characteristics = ({{ Service = {BOX}; UUID = {SECRET}; Read = YES; }});
  }};
}}'''


@pytest.fixture
def lab(blepera, tmp_path):
    """A lab with a phone whose app reads the value of the box in each connection."""
    profile = tmp_path / 'reader.plist'
    profile.write_text(READER)
    with Lab([profile], program=blepera, link_interval=7.5, hci='tcp:0') as lab:
        yield lab


class Box:
    """An accessory whose value needs encryption, and which advertises again after each connection."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.pairings = 0
        device.on('connection', self.connected)

    def connected(self, connection) -> None:
        connection.on('pairing', self.paired)

    def paired(self, keys) -> None:
        self.pairings += 1

    def forget(self) -> None:
        self.device.keystore.all_keys.clear()

    async def disconnect(self) -> None:
        for connection in list(self.device.connections.values()):
            await asyncio.wait_for(connection.disconnect(), TIMEOUT)


@contextlib.asynccontextmanager
async def box(
    lab: Lab, gives: PairingDelegate.KeyDistribution = ENCRYPTION | IDENTITY, user: PairingDelegate | None = None
):
    """Distributes these keys to the phone, or has a user."""
    async with await open_transport(lab.environment['BLEPERA_HCI']) as (source, sink):
        device = Device.with_hci('box', Address(ADDRESS), source, sink)
        delegate = user or PairingDelegate(
            PairingDelegate.NO_OUTPUT_NO_INPUT, local_initiator_key_distribution=ENCRYPTION | IDENTITY,
            local_responder_key_distribution=gives)
        # Otherwise Bumble's identity is a public address, under which the box does not advertise.
        random = PairingConfig.AddressType.RANDOM
        device.pairing_config_factory = lambda _: PairingConfig(
            mitm=user is not None, delegate=delegate, identity_address_type=random)
        device.keystore = MemoryKeyStore()
        permissions = Characteristic.Permissions
        secret = Characteristic(
            UUID(SECRET), Characteristic.Properties.READ,
            permissions.READABLE | permissions.READ_REQUIRES_ENCRYPTION, bytes([1, 2]))
        device.add_service(Service(UUID(BOX), [secret]))
        await asyncio.wait_for(device.power_on(), TIMEOUT)
        uuids = AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS
        accessory = Box(device)
        await device.create_advertising_set(
            AdvertisingParameters(primary_advertising_interval_min=100, primary_advertising_interval_max=100),
            advertising_data=bytes(AdvertisingData([(uuids, bytes(UUID(BOX)))])), random_address=Address(ADDRESS),
            auto_restart=True)
        yield accessory


async def happens(lab: Lab, event: str, **fields) -> dict:
    """The next event with this name and these fields."""
    return await asyncio.to_thread(lab.phone.wait_for, event, TIMEOUT, **fields)


async def is_read(lab: Lab) -> None:
    await happens(lab, 'received', value='0102')


async def fails(lab: Lab, reason: str) -> None:
    await happens(lab, 'peripheralDisconnected', reason=reason)


def the_bond(lab: Lab) -> Bond:
    (bond,) = lab.phone.bonds
    return bond


async def test_a_dead_bond_ends_when_the_user_forgets_it(lab):
    async with box(lab) as accessory:
        await is_read(lab)
        bond = the_bond(lab)
        assert (bond.address, bond.role, bond.problem, bond.advice) == (ADDRESS, 'peripheral', None, None)
        accessory.forget()
        await accessory.disconnect()
        lost = await happens(lab, 'bondLost', peripheral=ADDRESS)
        assert f"'blepera bonds forget {ADDRESS}'" in lost['reason']
        await fails(lab, 'the peripheral has no key')
        lab.phone.bluetooth('off')
        lab.phone.bluetooth('on')
        await fails(lab, 'the peripheral has no key')
        assert (the_bond(lab).problem, the_bond(lab).advice) == ('peripheralHasNoKeys', lost['reason'])
        assert accessory.pairings == 1
        with pytest.raises(PhoneError, match=f"no bond with 'nobody'. Bonds: {ADDRESS}"):
            lab.phone.forget('nobody')
        lab.phone.forget(ADDRESS)
        await happens(lab, 'bondForgotten', peripheral=ADDRESS)
        await is_read(lab)
        assert (accessory.pairings, the_bond(lab).problem) == (2, None)


async def test_a_phone_that_has_forgotten_pairs_as_new(lab):
    async with box(lab) as accessory:
        await is_read(lab)
        lab.phone.forget()
        await happens(lab, 'bondForgotten', peripheral=ADDRESS)
        await is_read(lab)
        assert (accessory.pairings, the_bond(lab).problem) == (2, None)


async def test_without_an_identity_key_the_second_connection_fails(lab):
    """After legacy pairing it does not, which BondStoryTests shows: Bumble 0.0.236 answers with the other side's key."""
    async with box(lab, gives=ENCRYPTION) as accessory:
        await is_read(lab)
        await accessory.disconnect()
        lost = await happens(lab, 'bondLost', peripheral=ADDRESS)
        assert 'gave no identity key at the pairing' in lost['reason']
        await fails(lab, 'the peripheral has given no identity key')
        lab.phone.forget(ADDRESS)
        await is_read(lab)
        assert accessory.pairings == 2


async def test_a_central_with_a_stale_key_is_refused_twice_and_pairs(blepera):
    with Lab([profile_path('say-something')], program=blepera, link_interval=7.5, hci='tcp:0') as lab:
        async with host(lab.environment['BLEPERA_HCI'], 'F0:F1:F2:F3:F4:F5', mitm=False) as device:
            # Bumble's identity is the public address of its controller, unless asked otherwise.
            random = PairingConfig.AddressType.RANDOM
            device.pairing_config_factory = lambda _: PairingConfig(mitm=False, identity_address_type=random)
            connection = await connected(device, 'iPad')
            await asyncio.wait_for(connection.pair(), TIMEOUT)
            await happens(lab, 'paired', central='F0:F1:F2:F3:F4:F5')
            bond = the_bond(lab)
            assert (bond.address, bond.role, bond.problem) == ('F0:F1:F2:F3:F4:F5', 'central', None)
            ended = asyncio.Event()
            connection.on('disconnection', lambda _: ended.set())
            lab.phone.forget()
            await asyncio.wait_for(ended.wait(), TIMEOUT)
            assert lab.phone.bonds == []
            connection = await connected(device, 'iPad')
            for _ in range(2):
                with pytest.raises(HCI_Error) as refused:
                    await asyncio.wait_for(connection.encrypt(), TIMEOUT)
                assert refused.value.error_code == Status.PIN_OR_KEY_MISSING_ERROR
            lost = await happens(lab, 'bondLost', central='F0:F1:F2:F3:F4:F5')
            assert the_bond(lab).advice == lost['reason']
            await asyncio.wait_for(connection.pair(), TIMEOUT)
            await happens(lab, 'paired', central='F0:F1:F2:F3:F4:F5')
            assert connection.is_encrypted and the_bond(lab).problem is None
