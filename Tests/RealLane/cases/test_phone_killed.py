"""The phone is killed and started again: services, handles and advertisement are the same as before, and values are
kept for the centrals that were subscribed (R7).
"""

import asyncio
import time
from collections.abc import Awaitable, Callable

from rig.central import Central
from rig.errors import Failure
from rig.stage import Stage

from .phone import (
    BOTH,
    DATABASE_HASH,
    RX,
    TRIES,
    TX,
    is_in_time,
    kill,
    phone_of,
    start_phone,
    until_on_air,
    until_subscribers,
    values,
)

STALE = 2  # seconds
HEART_RATE = '2A37'


async def restart(stage: Stage, kill: Callable[[], Awaitable], start: Callable[[], Awaitable] | None = None) -> float:
    """How long the phone takes from its start, or from its end where nobody starts it, to its being on the air. It has
    three tries."""
    for _ in range(TRIES):
        mark = len(stage.air.record)
        await kill()
        since = await until_on_air(stage, lambda packets: not packets, mark)
        mark = len(stage.air.record) - 1
        if start:
            since = time.monotonic()
            await start()
        took = await until_on_air(stage, bool, mark) - since
        if await is_in_time(stage, took):
            return took
    raise Failure(f'advertised after {took:.1f} s, and too late {TRIES - 1} times before')


async def hash_of(central: Central) -> bytes:
    return await central.read(central.characteristic(DATABASE_HASH))


@BOTH
async def test_started_by_hand(stage: Stage, record_property):
    """The same handles and database hash; a bonded and an unbonded central receive the kept values."""
    back = (await stage.explain('nordic-uart'))['background'].packets
    phone = await start_phone(stage)
    blepera = await stage.serve('nordic-uart')
    bonded, unbonded, writer = [await stage.meet() for _ in range(3)]
    await bonded.pair()
    for central in (bonded, unbonded):
        await central.subscribe(central.characteristic(TX))
    await until_subscribers(stage, *((central.address, False, 0) for central in (bonded, unbonded)))
    handle, before = writer.characteristic(RX).handle, await hash_of(writer)
    await kill(stage, blepera)
    phones = [phone]

    async def start() -> None:
        phones.append(await start_phone(stage))

    took = await restart(stage, lambda: phones[-1].kill(), start)
    assert stage.air.record[-1].packets == back, 'what is on the air'
    for central in (bonded, unbonded, writer):
        assert not central.lost.is_set(), 'a central has lost its connection'
    both = (bonded, unbonded)
    await until_subscribers(stage, *((central.address, True, 0) for central in both))
    assert await hash_of(writer) == before, 'the hash of the database'
    sent = [b'one', b'two', b'three']
    for value in sent:
        await writer.write(writer.characteristic(RX), value)
    await until_subscribers(stage, *((central.address, True, len(sent)) for central in both))
    for central in (bonded, unbonded):
        subscription = await central.subscribe(central.characteristic(TX))
        await values(subscription, sent)
    await until_subscribers(stage, *((central.address, False, 0) for central in both))
    await writer.write(writer.characteristic(RX), b'live')
    await values(subscription, [b'live'])
    await writer.discover()
    assert writer.characteristic(RX).handle == handle, 'the handle of a characteristic'
    record_property('phone killed and started', f'advertised after {took:.1f} s')


async def test_started_by_serve(stage: Stage, record_property):
    """`serve` starts it again, with the same database hash; its app keeps running."""
    front = (await stage.explain('heart-rate'))['foreground'].packets
    blepera = await stage.serve('heart-rate')
    central = await stage.meet()
    await central.subscribe(central.characteristic(HEART_RATE))
    before = await hash_of(central)
    killed = 0

    async def running() -> int:
        while (process := await phone_of(stage, blepera)) == killed:
            await asyncio.sleep(0.02)
        return process

    async def kill() -> None:
        nonlocal killed
        killed = await running()
        await stage.vm.run('kill', '-9', str(killed))

    took = await restart(stage, kill)
    await running()
    until = time.monotonic() + 10
    while stage.air.record[-1].packets != front:
        assert time.monotonic() < until, f'no foreground packets; on the air: {stage.air.record[-1].packets}'
        await asyncio.sleep(0.02)
    await until_subscribers(stage, (central.address, True))  # retained values vary: the app continues to send
    assert await hash_of(central) == before, 'the hash of the database'
    subscription = await central.subscribe(central.characteristic(HEART_RATE))
    await subscription.take(2)
    assert blepera.process.status is None, 'serve has ended'
    record_property('phone killed under a running app', f'advertised {took:.1f} s after the kill')


async def test_disconnect_stale(stage: Stage, record_property):
    """A central that does not subscribe again is disconnected; one that does is not."""
    phone = await start_phone(stage)
    blepera = await stage.serve('nordic-uart')
    idle, eager = await stage.meet(), await stage.meet()
    for central in (idle, eager):
        await central.subscribe(central.characteristic(TX))
    await until_subscribers(stage, (idle.address, False), (eager.address, False))
    await kill(stage, blepera)
    await phone.kill()
    await stage.air.until_silent()
    phone = await start_phone(stage, '--disconnect-stale', str(STALE))
    since = time.monotonic()
    await phone.until('published')
    await eager.subscribe(eager.characteristic(TX))
    await asyncio.wait_for(idle.lost.wait(), STALE + 5)
    took = time.monotonic() - since
    assert took > STALE - 1, f'dropped after {took:.1f} s'
    assert not eager.lost.is_set(), 'the central that has subscribed again has lost its connection too'
    await until_subscribers(stage, (eager.address, False))
    record_property('--disconnect-stale 2', f'disconnected after {took:.1f} s')
