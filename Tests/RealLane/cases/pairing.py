"""What needs an encrypted link."""

import asyncio
import re

from bumble.core import BaseBumbleError
from bumble.pairing import PairingDelegate
from rig.central import Central, refusal
from rig.errors import Failure, expect, expect_equal
from rig.runner import case
from rig.stage import Stage, profile_path

from . import every_kind as kind
from .profiles import NEEDS_ENCRYPTION, check_refused


async def check_all_refused(central: Central) -> None:
    secret = central.characteristic(kind.SECRET)
    await check_refused(central.read(secret), NEEDS_ENCRYPTION, 'reading the secret')
    write = central.write(central.characteristic(kind.SECRET_WRITE), b'another secret')
    await check_refused(write, NEEDS_ENCRYPTION, 'writing the secret')
    notified = central.subscribe(central.characteristic(kind.SECRET_NOTIFY))
    await check_refused(notified, NEEDS_ENCRYPTION, 'subscribing to the secret')


async def check_all_allowed(central: Central) -> None:
    await central.write(central.characteristic(kind.SECRET_WRITE), b'another secret')
    expect_equal(await central.read(central.characteristic(kind.SECRET)), b'another secret', 'the secret')
    await (await central.subscribe(central.characteristic(kind.SECRET_NOTIFY))).take(2)
    await (await central.subscribe(central.characteristic(kind.SECRET_INDICATE), True)).take(2)


@case('an encrypted characteristic is refused before pairing and works after a just-works pairing')
async def just_works(stage: Stage):
    await stage.serve('every-kind')
    central = await stage.meet()
    await check_all_refused(central)
    await central.pair()
    expect(central.connection.is_encrypted, 'the link is not encrypted after the pairing')
    await check_all_allowed(central)


@case('a bonded central that comes back encrypts at once, without pairing')
async def bonded(stage: Stage):
    await stage.serve('every-kind')
    central = await stage.meet()
    await central.pair()
    await central.disconnect()
    await stage.air.connect(central, bonded=True)
    await central.discover()
    await check_all_allowed(central)


@case('a bonded central that comes back is still subscribed, without subscribing again')
async def still_subscribed(stage: Stage):
    await stage.serve('every-kind')
    central = await stage.meet()
    await central.pair()
    notified = central.characteristic(kind.SECRET_NOTIFY)
    await (await central.subscribe(notified)).take(1)
    await central.disconnect()
    await stage.air.connect(central, bonded=True)
    subscription = central.listen(notified)
    await subscription.take(2)


@case('--pairing refuse: the pairing is refused, and so is what needs it')
async def refused(stage: Stage):
    await stage.serve('every-kind', '--pairing', 'refuse')
    central = await stage.meet()
    try:
        await central.pair()
    except (BaseBumbleError, asyncio.CancelledError):
        pass
    else:
        raise Failure('the pairing succeeds')
    if central.lost.is_set():
        central = await stage.meet()
    await check_all_refused(central)


@case('--pairing passkey: the passkey stands on the terminal, and the pairing takes it')
async def passkey(stage: Stage):
    blepera = await stage.run('serve', '--pairing', 'passkey', str(profile_path('every-kind')), terminal=True)
    central = await stage.meet()

    class Keyboard(PairingDelegate):
        async def get_number(self):
            def shown():
                return re.search(r'\b\d{6}\b', strip_colours(blepera.process.text()))

            return int((await blepera.process.until(shown, 10, 'the passkey on the terminal')).group())

    await central.pair(Keyboard(PairingDelegate.KEYBOARD_INPUT_ONLY))
    expect(await central.has_authenticated_key(), 'the passkey was not asked for: the key is one of just-works')
    await check_all_allowed(central)


def strip_colours(text: str) -> str:
    return re.sub(r'\x1b\[[0-9;]*m', '', text)


@case('--pairing passkey: a wrong passkey pairs nobody')
async def wrong_passkey(stage: Stage):
    await stage.run('serve', '--pairing', 'passkey', str(profile_path('every-kind')), terminal=True)
    central = await stage.meet()

    class Guess(PairingDelegate):
        async def get_number(self):
            return 123456

    try:
        await central.pair(Guess(PairingDelegate.KEYBOARD_INPUT_ONLY))
    except (BaseBumbleError, asyncio.CancelledError):
        pass
    else:
        raise Failure('the pairing succeeds')
    if central.lost.is_set():
        central = await stage.meet()
    code = await refusal(central.read(central.characteristic(kind.SECRET)))
    expect(code in NEEDS_ENCRYPTION, f'reading the secret gets 0x{code:02X}')
