"""The adapter and bluetoothd go and come back: within 3 s of that everything is on the air again, without help."""

import asyncio
import time

from rig.central import Central
from rig.errors import expect, expect_equal
from rig.runner import case
from rig.stage import Stage

from . import every_kind as kind

LIMIT = 3.0


async def use(central: Central) -> None:
    echo = central.characteristic(kind.ECHO)
    await central.write(echo, b'used')
    expect_equal(await central.read(echo), b'used', 'the value')
    await (await central.subscribe(central.characteristic(kind.COUNTER))).take(2)


async def check_back(stage: Stage, since: float) -> str:
    """A central hears the peripheral within the limit, and finds everything as it was."""
    central = await stage.central()
    left = LIMIT - (time.monotonic() - since)
    heard = await central.hear(lambda advertisement: advertisement.is_connectable, limit=max(left, 0.1))
    expect(heard, f'nothing is on the air {LIMIT:g} s after it came back')
    took = time.monotonic() - since
    await stage.air.connect(central)
    await central.discover()
    await use(central)
    blepera = stage.served[-1]
    expect(blepera.process.status is None, 'blepera ended')
    return f'heard again after {took:.1f} s'


async def start(stage: Stage) -> Central:
    await stage.serve('every-kind')
    central = await stage.meet()
    await use(central)
    return central


@case('the adapter is switched off and on')
async def off_and_on(stage: Stage) -> str:
    central = await start(stage)
    await stage.bluez.power(False)
    await asyncio.wait_for(central.lost.wait(), 10)
    await asyncio.sleep(0.3)
    await stage.bluez.power(True)
    return await check_back(stage, time.monotonic())


@case('the adapter is switched off and on three times in quick succession')
async def off_and_on_quickly(stage: Stage) -> str:
    await start(stage)
    for _ in range(3):
        await stage.bluez.power(False)
        await stage.bluez.power(True)
    return await check_back(stage, time.monotonic())


@case('the adapter is pulled out and put back')
async def unplugged(stage: Stage) -> str:
    central = await start(stage)
    await stage.air.unplug()
    await asyncio.wait_for(central.lost.wait(), 10)
    await asyncio.sleep(0.3)
    await stage.air.plug()
    await stage.bluez.until_powered()
    return await check_back(stage, time.monotonic())


@case('bluetoothd is killed and started')
async def killed(stage: Stage) -> str:
    await start(stage)
    await stage.bluez.kill()
    await asyncio.sleep(0.3)
    await stage.bluez.start()
    await stage.bluez.until_powered()
    return await check_back(stage, time.monotonic())


@case('bluetoothd is stopped and started')
async def stopped(stage: Stage) -> str:
    await start(stage)
    await stage.bluez.stop()
    await asyncio.sleep(0.3)
    await stage.bluez.start()
    await stage.bluez.until_powered()
    return await check_back(stage, time.monotonic())


@case('bluetoothd is started anew at once, three times')
async def restarted(stage: Stage) -> str:
    await start(stage)
    for _ in range(3):
        await stage.bluez.kill()
        await stage.bluez.start()
    await stage.bluez.until_powered()
    return await check_back(stage, time.monotonic())
