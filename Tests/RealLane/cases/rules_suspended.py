"""R4: an app without the background mode is suspended in the background, and nothing but the user wakes it."""

import asyncio
import time

from rig.central import refusal
from rig.errors import expect, expect_equal
from rig.runner import case
from rig.stage import Stage

from .ending import check_silence
from .profiles import UNLIKELY_ERROR, check_refused

GRACE = 5  # seconds from leaving to being suspended
SLACK = 1.5
MEASUREMENT, TYPE, INTERVAL = '2A1C', '2A1D', '2A21'  # of foreground-only.plist
CACHED, DYNAMIC = (f'B1E9E2A0-0000-4000-8000-0000000000{number}' for number in ('61', '62'))  # of own-rules.plist
OWN_ERROR = 133


@case('foreground-only: off the air when left, suspended after 5 s; dynamic values are refused, cached ones answered')
async def left(stage: Stage) -> str:
    blepera = await stage.serve('foreground-only')
    central = await stage.meet()
    dynamic = central.characteristic(INTERVAL)
    value = await central.read(dynamic)
    await stage.ask('background')
    since = time.monotonic()
    await stage.air.until_silent()
    expect_equal(await central.read(dynamic), value, 'the value before it is suspended')
    while not await refusal(central.read(dynamic)) and time.monotonic() - since < GRACE + SLACK:
        await asyncio.sleep(0.1)
    took = time.monotonic() - since
    await check_refused(central.read(dynamic), {UNLIKELY_ERROR}, 'reading a dynamic value of a suspended app')
    expect(GRACE - SLACK < took < GRACE + SLACK, f'suspended {took:.1f} s after the user left, not {GRACE}')
    expect_equal(await central.read(central.characteristic(TYPE)), b'\x02', 'the cached value')
    await check_silence(stage)
    woken = [one for one in blepera.events if one['event'] == 'state' and one['state'] != 'foreground']
    expect_equal([one['state'] for one in woken], ['background', 'suspended'], 'its states since')
    await stage.ask('foreground')
    expect_equal(await central.read(dynamic), value, 'the value in front again')
    return f'suspended after {took:.1f} s'


@case('foreground-only: a subscription to a suspended app waits, and is delivered when it comes to the front')
async def queued(stage: Stage):
    blepera = await stage.serve('foreground-only')
    central = await stage.meet()
    await stage.suspend(blepera)
    subscription = await central.subscribe(central.characteristic(MEASUREMENT), indications=True)
    await blepera.until('queued', limit=5, what='subscribed', central=central.address)
    expect_equal((await stage.status())['apps'][0]['queued'], 1, 'how many events wait, in status')
    await asyncio.sleep(2.5)  # the thermometer has a value every 2 s
    expect_equal(subscription.values.qsize(), 0, 'the indications of a suspended app')
    await stage.ask('foreground')
    await subscription.take(2)
    expect_equal((await stage.status())['apps'][0]['queued'], 0, 'how many events wait, in status')
    await stage.suspend(blepera)
    while not subscription.values.empty():
        subscription.values.get_nowait()
    await asyncio.sleep(2.5)
    expect(subscription.values.qsize() <= 1, 'the app sends indications while it is suspended')


@case('rules of a profile: its own error while suspended, for cached values too, and its own interval')
async def own_rules(stage: Stage):
    await stage.bluez.restart(experimental=True)
    blepera = await stage.serve('own-rules')
    expect_equal(stage.air.intervals, {(667, 668)}, 'the interval asked of the controller for 417 to 418 ms')
    central = await stage.meet()
    cached, dynamic = (central.characteristic(uuid) for uuid in (CACHED, DYNAMIC))
    await central.write(dynamic, b'in front')
    await stage.suspend(blepera)
    await check_refused(central.read(dynamic), {OWN_ERROR}, 'reading a dynamic value')
    await check_refused(central.write(dynamic, b'suspended'), {OWN_ERROR}, 'writing')
    await check_refused(central.read(cached), {OWN_ERROR}, 'reading a cached value')
    await stage.ask('foreground')
    expect_equal(await central.read(dynamic), b'in front', 'the dynamic value in front again')
    expect_equal(await central.read(cached), b'cached', 'the cached value in front again')
