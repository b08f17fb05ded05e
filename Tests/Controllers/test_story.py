"""The phone's story at each controller: the foreground, the background, suspended, killed and relaunched."""

import asyncio
import os
from signal import SIGKILL

import pytest
from bumble.att import ATT_Error
from cases import every_kind as kind
from cases.phone import COMMAND, RX, STATE, TX, kill, until_subscribers, values
from rig.central import Central
from stage import ALL, OF_SEVERAL, ROOTCANAL, Stage

LOCK = b'\1'


@ALL
async def test_the_packets_are_those_of_explain(stage: Stage):
    predicted = await stage.explain('nordic-uart')
    blepera = await stage.serve('nordic-uart')
    central = await stage.central()
    await stage.shown(central, predicted['foreground'])
    for word in ('background', 'suspend', 'foreground'):
        await stage.move(blepera, word)
        await stage.shown(central, predicted['foreground' if word == 'foreground' else 'background'])


@ALL
async def test_centrals_of_an_app_that_is_suspended_killed_and_relaunched(stage: Stage):
    """The links and the subscriptions stay, and each central is notified of what another one writes."""
    blepera = await stage.serve('nordic-uart')
    centrals = [await stage.meet() for _ in range(stage.controllers.centrals)]
    subscriptions = [await one.subscribe(one.characteristic(TX)) for one in centrals]

    async def exchange(central: Central, value: bytes) -> None:
        await central.write(central.characteristic(RX), value)
        for subscription in subscriptions:
            await values(subscription, [value])

    await exchange(centrals[0], b'in the foreground')
    await stage.move(blepera, 'background')
    await exchange(centrals[-1], b'in the background')
    await stage.move(blepera, 'suspend')
    mark = blepera.mark
    await exchange(centrals[0], b'woken')
    await blepera.until('state', after=mark, state='background', reason='woken for a write')
    await kill(stage, blepera)
    await exchange(centrals[-1], b'relaunched')
    assert not any(one.lost.is_set() for one in centrals), 'a link has ended'
    await centrals[0].disconnect()
    await until_subscribers(stage, *((one.address, False, 0) for one in centrals[1:]))


@OF_SEVERAL
async def test_the_phone_is_killed_and_started_again(stage: Stage):
    """A bonded central is informed of the end, and then has its subscription and what was notified meanwhile."""
    await stage.system()
    blepera = await stage.serve('nordic-uart')
    bonded = await stage.meet()
    await bonded.pair()
    await bonded.subscribe(bonded.characteristic(TX))
    await until_subscribers(stage, (bonded.address, False, 0))
    handle = bonded.characteristic(RX).handle
    await kill(stage, blepera)
    await stage.phones[0].kill()
    await asyncio.wait_for(bonded.lost.wait(), 20)
    await stage.system()
    await until_subscribers(stage, (bonded.address, True, 0))
    other = await stage.meet()
    assert other.characteristic(RX).handle == handle
    for value in (b'one', b'two'):
        await other.write(other.characteristic(RX), value)
    await until_subscribers(stage, (bonded.address, True, 2))
    await stage.connect(bonded)
    subscription = bonded.listen(bonded.characteristic(TX))
    await bonded.connection.encrypt()
    await values(subscription, [b'one', b'two'])
    await other.write(other.characteristic(RX), b'live')
    await values(subscription, [b'live'])


@ROOTCANAL
async def test_serve_starts_a_killed_phone_again(stage: Stage):
    blepera = await stage.serve('smart-lock')
    central = await stage.meet()
    await central.pair()
    await central.write(central.characteristic(COMMAND), LOCK)
    os.kill(await stage.phone_of(blepera), SIGKILL)
    await asyncio.wait_for(central.lost.wait(), 20)
    await stage.connect(central)
    await central.connection.encrypt()
    assert await central.read(central.characteristic(STATE)) == LOCK


@ROOTCANAL
async def test_the_controller_ends_and_starts_again(stage: Stage):
    """The phone is there again with what was asked of it."""
    predicted = await stage.explain('nordic-uart')
    blepera = await stage.serve('nordic-uart')
    await stage.move(blepera, 'background')
    await stage.meet()
    mark = blepera.mark
    await stage.controllers.stop()
    await blepera.until('disconnected', after=mark)
    await stage.controllers.start()
    await blepera.until('advertising', after=mark, intervalKind='background')
    central = await stage.central()
    await stage.shown(central, predicted['background'])
    await stage.connect(central)
    subscription = await central.subscribe(central.characteristic(TX))
    await central.write(central.characteristic(RX), b'again')
    await values(subscription, [b'again'])


@ALL
async def test_bluetooth_off_and_on(stage: Stage):
    blepera = await stage.serve('smart-lock')
    central = await stage.meet()
    await stage.ask('bluetooth', 'off')
    await asyncio.wait_for(central.lost.wait(), 20)
    assert (await stage.status())['radio'] == 'poweredOff'
    assert await central.next_advertisement(lambda one: bytes(one.data).startswith(bytes.fromhex('02011A')), 1) is None
    mark = blepera.mark
    await stage.ask('bluetooth', 'on')
    await blepera.until('advertising', after=mark)
    await stage.connect(central)
    assert await central.read(central.characteristic(STATE)) == b'\0'


@ALL
async def test_a_long_value_is_written_and_read(stage: Stage):
    await stage.serve('every-kind')
    central = await stage.meet(mtu=23)
    echo = central.characteristic(kind.ECHO)
    await central.write(echo, value := bytes(range(256)) + b'more')
    assert await central.read(echo) == value
    with pytest.raises(ATT_Error):
        await central.write(echo, bytes(513))
