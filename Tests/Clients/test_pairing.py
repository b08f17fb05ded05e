"""The phone's user takes part in pairings with Bumble's hosts at the HCI of a lab, docs/commands.md#answer-a-pairing."""

import asyncio

import pytest
from blepera import Lab, PhoneError
from blepera_tests.paths import profile_path
from bumble.core import ProtocolError
from program import TIMEOUT
from test_bonds import ADDRESS, READER, box, happens
from test_hci_pairing import BOTH, COMPARES, NONE, SHOWS, User, connected, host, secret
from test_schemas import validate

CENTRAL = 'F0:F1:F2:F3:F4:F5'


@pytest.fixture
def lab(blepera):
    """A lab with a phone that is a peripheral and compares numbers."""
    with Lab(
            [profile_path('say-something')], program=blepera, link_interval=7.5, hci='tcp:0', pairing='compare') as lab:
        yield lab


@pytest.fixture
def reader(blepera, tmp_path):
    """A lab with a phone that compares numbers, and whose app reads the value of the box in each connection."""
    profile = tmp_path / 'reader.plist'
    profile.write_text(READER)
    with Lab([profile], program=blepera, link_interval=7.5, hci='tcp:0', pairing='compare') as lab:
        yield lab


async def answer(lab: Lab, response: str, device: str | None = None) -> None:
    await asyncio.to_thread(lab.phone.pair, response, device)


@pytest.mark.parametrize('response', ['yes', 'no'])
@pytest.mark.parametrize('capability', [COMPARES, BOTH], ids=['display', 'display and keyboard'])
async def test_a_central_and_the_phones_user_compare_a_number(lab, capability, response):
    user = User(capability, asyncio.Queue())
    async with host(lab.environment['BLEPERA_HCI'], CENTRAL, user) as device:
        connection = await connected(device, 'iPad')
        pairing = asyncio.create_task(connection.pair())
        question = await happens(lab, 'pairingQuestion', central=CENTRAL)
        number = await asyncio.wait_for(user.shown.get(), TIMEOUT)
        assert question['passkey'] == f'{number:06}' and "'blepera pair yes'" in question['reason']
        status = await asyncio.to_thread(lab.phone.status)
        validate(status, 'status')
        (waiting,) = status['pairings']
        assert (waiting['address'], waiting['role'], waiting['number']) == (CENTRAL, 'central', question['passkey'])
        with pytest.raises(PhoneError, match='waits for yes or no'):
            await answer(lab, '123456')
        with pytest.raises(PhoneError, match=f"no pairing with '{ADDRESS}' waits. Waiting: {CENTRAL}"):
            await answer(lab, 'yes', ADDRESS)
        await answer(lab, response, CENTRAL)
        if response == 'yes':
            await asyncio.wait_for(pairing, TIMEOUT)
            assert connection.authenticated
            assert await (await secret(connection)).read_value()
        else:
            with pytest.raises(ProtocolError):
                await asyncio.wait_for(pairing, TIMEOUT)
        assert 'pairings' not in await asyncio.to_thread(lab.phone.status)
        with pytest.raises(PhoneError, match="no pairing waits for the phone's user"):
            await answer(lab, 'yes')


async def test_a_central_without_a_display_is_refused(lab):
    async with host(lab.environment['BLEPERA_HCI'], CENTRAL, User(NONE, asyncio.Queue())) as device:
        connection = await connected(device, 'iPad')
        with pytest.raises(ProtocolError):
            await asyncio.wait_for(connection.pair(), TIMEOUT)
        refused = await happens(lab, 'pairingRefused', central=CENTRAL)
        assert 'cannot compare the number' in refused['reason']


@pytest.mark.parametrize('error', [0, 1], ids=['right', 'wrong'])
async def test_the_phones_user_types_the_passkey_of_an_accessory(reader, error):
    user = User(SHOWS, asyncio.Queue())
    async with box(reader, user=user):
        question = await happens(reader, 'pairingQuestion', peripheral=ADDRESS)
        assert 'passkey' not in question and "'blepera pair 123456'" in question['reason']
        shown = await asyncio.wait_for(user.shown.get(), TIMEOUT)
        await answer(reader, f'{shown ^ error:06}')
        if error:
            # The app reads in the next connection.
            assert reader.phone.bonds == []
        else:
            await happens(reader, 'received', value='0102')
            (bond,) = reader.phone.bonds
            assert bond.address == ADDRESS


async def test_an_accessory_and_the_phones_user_compare_a_number(reader):
    user = User(COMPARES, asyncio.Queue())
    async with box(reader, user=user):
        question = await happens(reader, 'pairingQuestion', peripheral=ADDRESS)
        number = await asyncio.wait_for(user.shown.get(), TIMEOUT)
        assert question['passkey'] == f'{number:06}'
        await answer(reader, 'yes')
        await happens(reader, 'received', value='0102')
