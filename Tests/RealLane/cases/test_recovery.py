"""The adapter, bluetoothd and the bus disappear and return; within 3 s, or 5 s after the bus, everything is on the air
again."""

import asyncio
import time

from rig.central import Central
from rig.stage import Stage

from . import every_kind as kind
from .phone import is_in_time

LIMIT = 3.0  # seconds
CRAWL = 20  # seconds that the micro-VM may take where the machine has other things to do


async def use(central: Central) -> None:
    echo = central.characteristic(kind.ECHO)
    await central.write(echo, b'used')
    assert await central.read(echo) == b'used', 'the value'
    await (await central.subscribe(central.characteristic(kind.COUNTER))).take(2)


async def check_back(stage: Stage, since: float, limit: float = LIMIT) -> None:
    """A central receives the advertisement within the limit, and finds all attributes as before."""
    central = await stage.central()
    advertisement = await central.next_advertisement(lambda one: one.is_connectable, limit=CRAWL)
    took = time.monotonic() - since
    assert advertisement and await is_in_time(stage, took, limit), f'on the air {took:.1f} s after it returned'
    await stage.air.connect(central)
    await central.discover()
    # The kernel keeps an advertisement whose bluetoothd was killed, so the central may be earlier than the services.
    while not central.has(kind.ECHO) and await is_in_time(stage, time.monotonic() - since, limit):
        await asyncio.sleep(0.1)
        await central.discover()
    await use(central)
    blepera = stage.served[-1]
    assert blepera.process.status is None, 'blepera ended'


async def start(stage: Stage) -> Central:
    await stage.serve('every-kind')
    central = await stage.meet()
    await use(central)
    return central


async def test_power_cycle(stage: Stage):
    central = await start(stage)
    await stage.bluez.power(False)
    await asyncio.wait_for(central.lost.wait(), 20)
    await asyncio.sleep(0.3)
    await stage.bluez.power(True)
    await check_back(stage, time.monotonic())


async def test_three_power_cycles(stage: Stage):
    await start(stage)
    for _ in range(3):
        await stage.bluez.power(False)
        await stage.bluez.power(True)
    await check_back(stage, time.monotonic())


async def test_adapter_unplugged(stage: Stage):
    central = await start(stage)
    await stage.air.unplug()
    await asyncio.wait_for(central.lost.wait(), 20)
    await asyncio.sleep(0.3)
    await stage.air.plug()
    await stage.bluez.until_powered()
    await check_back(stage, time.monotonic())


async def test_bluetoothd_killed(stage: Stage):
    """A central is connected and subscribed: what is reported, in this order, names the crashes of this release that are
    possible at a connection, and a new subscription works. No crash is provoked."""
    await start(stage)
    blepera, mark = stage.served[-1], stage.served[-1].mark
    minor, version = stage.minor, stage.bluez.version
    await stage.bluez.kill()
    event = await blepera.until('noDaemon', after=mark)
    ended = [one['event'] for one in blepera.events[mark : blepera.events.index(event, mark)]]
    assert {'unsubscribed', 'disconnected'} <= set(ended), ended
    commit = {87: '5bc6aa79e'}.get(minor, 'a94f99420' if minor < 86 else None)
    if commit:
        assert event['reason'].startswith(f'a known crash is possible: bluetoothd {version} '), event
        assert f'(BlueZ {commit})' in event['reason'], event
    await asyncio.sleep(0.3)
    mark = blepera.mark
    await stage.bluez.start()
    await stage.bluez.until_powered()
    await check_back(stage, time.monotonic())
    for name in ('poweredOn', 'published', 'advertising', 'connected', 'subscribed'):
        await blepera.until(name, after=mark)


async def test_bluetoothd_stopped(stage: Stage):
    """bluetoothd switches its adapters off before it ends, so that no crash is suspected."""
    await start(stage)
    blepera, mark = stage.served[-1], stage.served[-1].mark
    await stage.bluez.stop()
    assert 'reason' not in await blepera.until('noDaemon', after=mark)
    await asyncio.sleep(0.3)
    await stage.bluez.start()
    await stage.bluez.until_powered()
    await check_back(stage, time.monotonic())


async def test_bluetoothd_killed_three_times(stage: Stage):
    await start(stage)
    for _ in range(3):
        await stage.bluez.kill()
        await stage.bluez.start()
    await stage.bluez.until_powered()
    await check_back(stage, time.monotonic())


async def test_bus_and_bluetoothd_killed(stage: Stage):
    await start(stage)
    blepera, mark = stage.served[-1], stage.served[-1].mark
    assert stage.bluez.bus, 'the bus that the rig has started'
    await stage.bluez.bus.kill()
    await stage.bluez.kill()
    await blepera.until('busLost', after=mark)
    assert not [event for event in blepera.events[mark:] if event['event'] == 'terminated']
    await stage.bluez.start_bus()
    await stage.bluez.start()
    await stage.bluez.until_powered()
    await check_back(stage, time.monotonic(), limit=5.0)
