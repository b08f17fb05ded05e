"""Pairing, bonds, and what needs an encrypted link."""

import asyncio
import re

import pytest
from blepera_tests.paths import profile_path
from bumble.core import BaseBumbleError
from bumble.pairing import PairingDelegate
from rig.air import ADDRESSES
from rig.blepera import Blepera
from rig.bluez import RECOMMENDED
from rig.central import Central, refusal
from rig.errors import Failure
from rig.stage import Stage

from . import every_kind as kind
from .attributes import NEEDS_ENCRYPTION, check_refused
from .phone import BOTH


async def check_all_refused(central: Central) -> None:
    secret = central.characteristic(kind.SECRET)
    await check_refused(central.read(secret), NEEDS_ENCRYPTION, 'reading the secret')
    write = central.write(central.characteristic(kind.SECRET_WRITE), b'another secret')
    await check_refused(write, NEEDS_ENCRYPTION, 'writing the secret')
    notified = central.subscribe(central.characteristic(kind.SECRET_NOTIFY))
    await check_refused(notified, NEEDS_ENCRYPTION, 'subscribing to the secret')


async def fail_to_pair(stage: Stage, central: Central, delegate: PairingDelegate | None = None) -> Central:
    """Fails where the pairing succeeds; returns a central that is connected, another one where the link was lost."""
    try:
        await central.pair(delegate)
    except (BaseBumbleError, asyncio.CancelledError):
        pass
    else:
        raise Failure('the pairing succeeds')
    return await stage.meet() if central.lost.is_set() else central


async def check_all_allowed(central: Central) -> None:
    await central.write(central.characteristic(kind.SECRET_WRITE), b'another secret')
    assert await central.read(central.characteristic(kind.SECRET)) == b'another secret', 'the secret'
    await (await central.subscribe(central.characteristic(kind.SECRET_NOTIFY))).take(2)
    await (await central.subscribe(central.characteristic(kind.SECRET_INDICATE), True)).take(2)


async def leave(blepera: Blepera, central: Central) -> None:
    """Disconnects, and waits until bluetoothd knows it: it refuses a central that returns within a few milliseconds, and
    the kernel then ends the connection after 4 s.
    """
    await central.disconnect()
    await blepera.until('disconnected')


async def test_just_works(stage: Stage):
    """Encrypted characteristics are refused before the pairing and work after it."""
    await stage.serve('every-kind')
    central = await stage.meet()
    await check_all_refused(central)
    await central.pair()
    assert central.connection.is_encrypted, 'the link is not encrypted after the pairing'
    await check_all_allowed(central)


@pytest.mark.parametrize('pause', [0, 1])
async def test_a_central_pairs_after_another_has_left(stage: Stage, pause: float):
    """bluetoothd makes the adapter not pairable while it has no agent, such as that of the phone."""
    blepera = await stage.serve('every-kind')
    await leave(blepera, await stage.meet())
    await asyncio.sleep(pause)
    central = await stage.meet()
    await central.pair()


async def test_bonded_central_returns(stage: Stage):
    """The link is encrypted at once, without pairing again."""
    blepera = await stage.serve('every-kind')
    central = await stage.meet()
    await central.pair()
    await leave(blepera, central)
    await stage.air.connect(central, bonded=True)
    await central.discover()
    await check_all_allowed(central)


@BOTH
async def test_bonded_central_is_still_subscribed(stage: Stage):
    await check_still_subscribed(stage)


async def check_still_subscribed(stage: Stage) -> None:
    """A bonded central that returns receives notifications without writing its CCCD again."""
    blepera = await stage.serve('every-kind')
    central = await stage.meet()
    await central.pair()
    notified = central.characteristic(kind.SECRET_NOTIFY)
    await (await central.subscribe(notified)).take(1)
    await leave(blepera, central)
    await stage.air.connect(central, bonded=True)
    subscription = central.listen(notified)
    await subscription.take(2)


@pytest.mark.by_release('bluetoothd 5.66 delays the signal')
@pytest.mark.bluetoothd(configuration=RECOMMENDED)
async def test_paired_is_reported_with_the_recommended_configuration(stage: Stage):
    """bluetoothd 5.66 delays the signal for `Paired` until it has discovered the central's services, which it does not
    do with ReverseServiceDiscovery = false; the signal for `Bonded` comes at once.
    """
    blepera = await stage.serve('every-kind')
    central = await stage.meet()
    await central.pair()
    await blepera.until('paired', limit=5, central=central.address)


@pytest.mark.bluetoothd(configuration=RECOMMENDED)
async def test_bonded_central_is_still_subscribed_with_the_recommended_configuration(stage: Stage):
    await check_still_subscribed(stage)


async def test_pairing_refused(stage: Stage):
    """Requests that need encryption are refused too with `--pairing refuse`."""
    await stage.serve('every-kind', '--pairing', 'refuse')
    central = await stage.meet()
    central = await fail_to_pair(stage, central)
    await check_all_refused(central)


async def test_passkey(stage: Stage):
    """The passkey on the terminal is accepted."""
    blepera = await stage.run('serve', '--pairing', 'passkey', str(profile_path('every-kind')), terminal=True)
    central = await stage.meet()

    class Keyboard(PairingDelegate):
        async def get_number(self):
            def shown():
                return re.search(r'\b\d{6}\b', strip_colours(blepera.process.text()))

            return int((await blepera.process.until(shown, 10, 'the passkey on the terminal')).group())

    await central.pair(Keyboard(PairingDelegate.KEYBOARD_INPUT_ONLY))
    assert await central.has_authenticated_key(), 'the passkey was not asked for: the key is one of just-works'
    await check_all_allowed(central)


def strip_colours(text: str) -> str:
    return re.sub(r'\x1b\[[0-9;]*m', '', text)


async def test_wrong_passkey(stage: Stage):
    await stage.run('serve', '--pairing', 'passkey', str(profile_path('every-kind')), terminal=True)
    central = await stage.meet()

    class Guess(PairingDelegate):
        async def get_number(self):
            return 123456

    central = await fail_to_pair(stage, central, Guess(PairingDelegate.KEYBOARD_INPUT_ONLY))
    code = await refusal(central.read(central.characteristic(kind.SECRET)))
    assert code in NEEDS_ENCRYPTION, f'reading the secret gets 0x{code:02X}'


@pytest.mark.bluetoothd(adapters=2)
async def test_stranger_pairs_with_another_adapter(stage: Stage):
    """A phone that refuses to pair leaves the pairing of another adapter to the machine's other agent."""
    blepera = await stage.serve('every-kind', '--adapter', 'hci0', '--pairing', 'refuse')
    other = await stage.vm.start_program('bluetoothctl', '--agent', 'NoInputNoOutput', terminal=True)
    stage.adopt(other)  # or it would answer for the cases after this one

    async def answered(answer: str) -> None:
        try:
            await other.until(lambda: answer in other.text() + other.unfinished['out'], 10, answer)
        except Failure as failure:
            raise Failure(f'{failure}: {other.text()}{other.unfinished}') from None

    await answered('Agent registered')
    other.type('default-agent\n')
    await answered('Default agent request successful')
    other.type(f'select {ADDRESSES[1].to_string(False)}\n')
    other.type('advertise on\n')
    await answered('Advertising object registered')
    stranger = await stage.central()
    await stranger.connect(ADDRESSES[1], limit=30)
    pairing = asyncio.create_task(stranger.pair())
    await answered('yes/no')
    other.type('yes\n')
    await pairing
    assert stranger.connection.is_encrypted
    assert not [event for event in blepera.events if event['event'] == 'pairingRefused'], 'blepera has been asked'
    # While a central is connected to the phone, bluetoothd asks blepera; afterwards the other agent again.
    central = await fail_to_pair(stage, await stage.meet())
    refused = await blepera.until('pairingRefused', central=central.address)
    assert refused['reason'] == 'the phone refuses every pairing'


async def test_passkey_is_not_replaced(stage: Stage):
    """A central that cannot type is refused where a passkey is wanted, and the reason is reported."""
    blepera = await stage.serve('every-kind', '--pairing', 'passkey')
    central = await stage.meet()
    await fail_to_pair(stage, central)
    refused = await blepera.until('pairingRefused', central=central.address)
    assert 'cannot type the passkey' in refused['reason']


async def test_bonds_are_forgotten(stage: Stage):
    """A central that has bonded is unknown to bluetoothd after the phone's end, with `--forget-bonds`."""
    blepera = await stage.serve('every-kind', '--forget-bonds')
    central = await stage.meet()
    await central.pair()
    await blepera.until('paired', central=central.address)
    device = f'/org/bluez/hci0/dev_{central.address.replace(":", "_")}'
    objects = 'org.freedesktop.DBus.ObjectManager.GetManagedObjects'
    words = ['dbus-send', '--system', '--print-reply', '--dest=org.bluez', '/', objects]
    assert device in (await stage.vm.run(*words)).text()
    await stage.ask('shutdown')
    await blepera.process.wait()
    for _ in range(100):  # the phone ends after its app
        if device not in (known := (await stage.vm.run(*words)).text()):
            return
        await asyncio.sleep(0.05)
    raise Failure(f'{device} is still there: {known}')
