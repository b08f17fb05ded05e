"""R5 and R6: an app with the background mode is suspended too, but woken for what centrals want of it; one that takes
too long over it is cut off."""

import asyncio
import time
from collections.abc import Awaitable

from rig.blepera import Blepera
from rig.central import Subscription, refusal
from rig.errors import expect, expect_equal
from rig.runner import case
from rig.stage import Stage

from .profiles import UNLIKELY_ERROR

BUDGET = 10  # seconds that an app runs when it is woken
PATIENCE = 4.5  # seconds until a central that waits for an app is refused
SLACK = 1.5
LONG_WORK = 20  # seconds that slow-lock takes over a command
HEART_RATE, LOCATION = '2A37', '2A38'
COMMAND, STATE = (f'C8B6F0B5-7A37-4B4E-9F0C-6B2B5D1E8A0{number}' for number in (2, 3))
RX, TX = (f'6E40000{number}-B5A3-F393-E0A9-E50E24DCCA9E' for number in (2, 3))
SLOW_COMMAND, SLOW_STATE = (f'5F0B2C5E-6E0D-4B57-9C36-0A4D5A5C7B0{number}' for number in (2, 3))


async def woken(stage: Stage, blepera: Blepera, work: Awaitable, reason: str):
    """What comes of something that a central does while the app is suspended, which wakes the app for it."""
    await stage.suspend(blepera)
    mark = blepera.mark
    result = await work
    await blepera.until('state', limit=5, after=mark, state='background', reason=f'woken for {reason}')
    return result


def check_not_woken(blepera: Blepera, mark: int) -> None:
    states = [one for one in blepera.events[mark:] if one['event'] == 'state']
    expect_equal(states, [], 'the changes of its state')


def drain(subscription: Subscription) -> int:
    """How many values came since they were last taken."""
    count = subscription.values.qsize()
    while not subscription.values.empty():
        subscription.values.get_nowait()
    return count


@case('heart-rate: a subscription wakes it for 10 s in which it notifies, then it is suspended again and silent')
async def budget(stage: Stage) -> str:
    blepera = await stage.serve('heart-rate')
    central = await stage.meet()
    await stage.suspend(blepera)
    mark = blepera.mark
    expect_equal(await central.read(central.characteristic(LOCATION)), b'\x01', 'the cached value')
    check_not_woken(blepera, mark)
    subscription = await central.subscribe(central.characteristic(HEART_RATE))
    since = time.monotonic()
    await blepera.until('state', limit=5, after=mark, state='background', reason='woken for a subscription')
    await subscription.take(2)
    await blepera.until('state', after=mark, state='suspended', limit=BUDGET + SLACK)
    took = time.monotonic() - since
    expect(took > BUDGET - SLACK, f'suspended again after {took:.1f} s, not {BUDGET}')
    count = drain(subscription)
    expect(count >= BUDGET - 4, f'only {count} more values while it was awake')
    await asyncio.sleep(2.5)
    expect(drain(subscription) <= 1, 'values of a suspended app')
    await stage.ask('foreground')
    await subscription.take(2)
    return f'suspended after {took:.1f} s'


@case('smart-lock: a read, a subscription and a write each wake it, and are answered as in front')
async def lock(stage: Stage):
    blepera = await stage.serve('smart-lock')
    central = await stage.meet()
    await central.pair()
    command, state = (central.characteristic(uuid) for uuid in (COMMAND, STATE))
    expect_equal(await woken(stage, blepera, central.read(state), 'a read'), b'\0', 'the state')
    subscription = await woken(stage, blepera, central.subscribe(state), 'a subscription')
    await woken(stage, blepera, central.write(command, b'\1'), 'a write')
    expect_equal(await subscription.next(), b'\1', 'what is notified')
    expect_equal(await woken(stage, blepera, central.read(state), 'a read'), b'\1', 'the state after the command')
    expect_equal((await stage.status())['apps'][0]['overstays'], 0, 'how often it was cut off')


@case('nordic-uart: a write without response and the end of a subscription wake it too; the next central finds it')
async def serial(stage: Stage):
    blepera = await stage.serve('nordic-uart')
    central = await stage.meet()
    received, sent = (central.characteristic(uuid) for uuid in (RX, TX))
    subscription = await woken(stage, blepera, central.subscribe(sent), 'a subscription')
    await woken(stage, blepera, central.write(received, b'with'), 'a write')
    expect_equal(await subscription.next(), b'with', 'what comes back')
    await woken(stage, blepera, central.write_without_response(received, b'without'), 'a write')
    expect_equal(await subscription.next(), b'without', 'what comes back')
    end = central.unsubscribe(sent, subscription)
    await woken(stage, blepera, end, 'the end of a subscription')
    await central.disconnect()
    await stage.suspend(blepera)
    other = await stage.meet()
    subscription = await other.subscribe(other.characteristic(TX))
    await other.write(other.characteristic(RX), b'again')
    expect_equal(await subscription.next(), b'again', 'what comes back')


@case('slow-lock: the command is refused after 4.5 s, the app cut off after 10 s, and it obeys when it runs again')
async def overstays(stage: Stage) -> str:
    blepera = await stage.serve('slow-lock')
    central = await stage.meet()
    command, state = (central.characteristic(uuid) for uuid in (SLOW_COMMAND, SLOW_STATE))
    subscription = await central.subscribe(state)
    await stage.suspend(blepera)
    mark, since = blepera.mark, time.monotonic()
    expect_equal(await refusal(central.write(command, b'\1')), UNLIKELY_ERROR, 'the error of the command')
    refused = time.monotonic() - since
    expect(PATIENCE - 0.5 < refused < PATIENCE + 0.5, f'refused after {refused:.1f} s, not {PATIENCE}')
    await blepera.until('state', limit=5, after=mark, state='background', reason='woken for a write')
    await blepera.until('state', limit=BUDGET, after=mark, state='suspended')
    cut_off = time.monotonic() - since
    expect(BUDGET - SLACK < cut_off < BUDGET + SLACK, f'cut off after {cut_off:.1f} s, not {BUDGET}')
    app = (await stage.status())['apps'][0]
    expect_equal((app['overstays'], app['unanswered']), (1, 0), 'how often it was cut off, and what is unanswered')
    expect(app['throttledFor'], f'it is not throttled: {app}')
    expect_equal(await refusal(central.read(state)), UNLIKELY_ERROR, 'reading from a throttled app')
    await stage.ask('foreground')
    expect_equal(await central.read(state), b'\0', 'the state in front, before the rest of its work')
    expect_equal(await subscription.next(limit=LONG_WORK - BUDGET + SLACK), b'\1', 'the state when its work is done')
    return f'refused after {refused:.1f} s, cut off after {cut_off:.1f} s'
