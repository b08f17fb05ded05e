"""Pairing in which the phone's user takes part, at each controller."""

import asyncio

import pytest
from bumble.core import BaseBumbleError
from bumble.pairing import PairingDelegate
from cases import every_kind as kind
from rig.central import Central, refusal
from stage import ALL, Stage

NEEDS_ENCRYPTION = {0x05, 0x0F}  # insufficient authentication, insufficient encryption


class User(PairingDelegate):
    """The user of a central, who types what the phone shows, and compares what both show."""

    def __init__(self, capability, equal: bool = True):
        super().__init__(capability)
        self.typed, self.equal, self.shown = asyncio.get_running_loop().create_future(), equal, -1

    async def get_number(self) -> int:
        return await self.typed

    async def compare_numbers(self, number: int, digits: int) -> bool:
        self.shown = number
        return self.equal


async def check_allowed(central: Central) -> None:
    assert await central.has_authenticated_key()
    secret = central.characteristic(kind.SECRET)
    await central.write(central.characteristic(kind.SECRET_WRITE), b'shared')
    assert await central.read(secret) == b'shared'


async def check_refused(central: Central) -> None:
    assert await refusal(central.read(central.characteristic(kind.SECRET))) in NEEDS_ENCRYPTION


@ALL
async def test_the_central_types_the_passkey_of_the_phone(stage: Stage):
    blepera = await stage.serve('every-kind', '--pairing', 'passkey')
    central = await stage.meet()
    await check_refused(central)
    user = User(PairingDelegate.KEYBOARD_INPUT_ONLY)
    pairing = asyncio.create_task(central.pair(user))
    user.typed.set_result(int((await blepera.until('passkey'))['passkey']))
    await pairing
    await blepera.until('paired', central=central.address)
    await check_allowed(central)
    # With its key, the central has the value again in its next connection, and has to encrypt first.
    await central.disconnect()
    await blepera.until('disconnected')
    await stage.connect(central)
    await check_refused(central)
    await central.connection.encrypt()
    assert await central.read(central.characteristic(kind.SECRET)) == b'shared'


@ALL
@pytest.mark.parametrize('answer', ['yes', 'no'])
async def test_both_users_compare_a_number(stage: Stage, answer: str):
    blepera = await stage.serve('every-kind', '--pairing', 'compare')
    central = await stage.meet()
    user = User(PairingDelegate.DISPLAY_OUTPUT_AND_YES_NO_INPUT)
    pairing = asyncio.create_task(central.pair(user))
    question = await blepera.until('pairingQuestion', central=central.address)
    (waiting,) = (await stage.status())['pairings']
    assert int(question['passkey']) == int(waiting['number'])
    await stage.ask('pair', answer)
    if answer == 'no':
        with pytest.raises(BaseBumbleError):
            await pairing
        await check_refused(central)
    else:
        await pairing
        await check_allowed(central)
    assert user.shown == int(question['passkey'])
