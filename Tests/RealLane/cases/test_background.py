"""Apps that run in the background, are suspended, or terminated for good, as a central and bluetoothd see them."""

import asyncio
from collections.abc import Awaitable

import pytest
from bumble.core import UUID
from rig.blepera import Blepera
from rig.central import Central
from rig.stage import Stage

from .attributes import check_refused
from .phone import BOTH, RX, STATE, TX, answered, kill, leave, start_phone, terminate, until_app, values

SERVICE = UUID('6E400001-B5A3-F393-E0A9-E50E24DCCA9E')  # of nordic-uart.plist
CACHED, DYNAMIC = (f'B1E9E2A0-0000-4000-8000-0000000000{number}' for number in ('61', '62'))  # of own-rules.plist
OWN_ERROR = 133


async def woken(stage: Stage, blepera: Blepera, work: Awaitable, reason: str):
    """The result of a request to a suspended app, which has to run for it."""
    await stage.suspend(blepera)
    mark = blepera.mark
    result = await work
    await blepera.until('state', limit=5, after=mark, state='background', reason=f'woken for {reason}')
    return result


async def test_requests_run_a_suspended_app(stage: Stage):
    """Writes of both kinds, a subscription and its end; and the next central finds the app as it is."""
    blepera = await stage.serve('nordic-uart')
    central = await stage.meet()
    received, sent = (central.characteristic(uuid) for uuid in (RX, TX))
    subscription = await woken(stage, blepera, central.subscribe(sent), 'a subscription')
    await woken(stage, blepera, central.write(received, b'with'), 'a write')
    assert await subscription.next() == b'with', 'the notification'
    await woken(stage, blepera, central.write_without_response(received, b'without'), 'a write')
    assert await subscription.next() == b'without', 'the notification'
    end = central.unsubscribe(sent, subscription)
    await woken(stage, blepera, end, 'the end of a subscription')
    await central.disconnect()
    await stage.suspend(blepera)
    other = await stage.meet()
    subscription = await other.subscribe(other.characteristic(TX))
    await other.write(other.characteristic(RX), b'again')
    assert await subscription.next() == b'again', 'the notification'


@pytest.mark.bluetoothd(experimental=True)
async def test_rules_of_a_profile(stage: Stage):
    """The profile's own interval reaches the controller, and its own ATT error the central, for cached values too."""
    blepera = await stage.serve('own-rules')
    assert stage.air.intervals == {(667, 668)}, 'the interval requested from the controller for 417 to 418 ms'
    central = await stage.meet()
    cached, dynamic = (central.characteristic(uuid) for uuid in (CACHED, DYNAMIC))
    await central.write(dynamic, b'foreground')
    await stage.suspend(blepera)
    await check_refused(central.read(dynamic), {OWN_ERROR}, 'reading a dynamic value')
    await check_refused(central.write(dynamic, b'suspended'), {OWN_ERROR}, 'writing')
    await check_refused(central.read(cached), {OWN_ERROR}, 'reading a cached value')
    await stage.ask('foreground')
    assert await central.read(dynamic) == b'foreground', 'the dynamic value in the foreground again'
    assert await central.read(cached) == b'cached', 'the cached value in the foreground again'


@BOTH
async def test_bluetooth_off_and_on(stage: Stage):
    """Off: nothing on the air, and no connection; on: advertised and served as before."""
    predicted = await stage.explain('smart-lock')
    blepera = await stage.serve('smart-lock')
    central = await stage.meet()
    await stage.ask('bluetooth', 'off')
    await asyncio.wait_for(central.lost.wait(), 20)
    await stage.air.until_silent()
    assert not await stage.bluez.powered(), 'the adapter is still on'
    assert (await stage.status())['radio'] == 'poweredOff', 'the radio, by status'
    other: Central = await stage.central()
    async with other.record_advertising() as reception, stage.air.hurry():
        await asyncio.sleep(0.5)
        assert set(reception.packets()) == set(), 'the packets on the air while Bluetooth is off'
        mark = blepera.mark
        await stage.ask('bluetooth', 'on')
        await reception.until_received(predicted['foreground'].packets)
        await blepera.until('advertising', limit=5, after=mark)
    await stage.air.connect(other)
    await other.discover()
    assert await other.read(other.characteristic(STATE)) == b'\0', 'the state'


async def test_bluetoothd_restarts_while_the_app_is_suspended(stage: Stage):
    back = (await stage.explain('smart-lock'))['background'].packets
    blepera = await stage.serve('smart-lock')
    await stage.suspend(blepera)
    # A bluetoothd that is killed within milliseconds of a registration leaves it to a controller that the kernel never
    # stops.
    await blepera.until('advertising', intervalKind='background')
    await asyncio.sleep(0.5)
    mark = blepera.mark
    await stage.bluez.restart()
    await blepera.until('advertising', after=mark)  # before, the kernel may send what the killed one left
    central = await stage.central()
    async with central.record_advertising() as reception, stage.air.hurry():
        await reception.until_received(back)
        assert set(reception.packets()) == back, 'the packets on the air'
    await stage.air.connect(central)
    await central.discover()
    assert await central.read(central.characteristic(STATE)) == b'\0', 'the state'


async def check_relaunched(stage: Stage, central: Central) -> float:
    """A subscription launches the app again, and so does a write, which it answers in time."""
    subscription = await central.subscribe(central.characteristic(TX))
    await until_app(stage, terminationCause=None)
    await terminate(stage)

    async def exchange() -> None:
        await central.write(central.characteristic(RX), b'hello')
        await values(subscription, [b'hello'])

    return await answered(stage, exchange, 'a write')


@pytest.mark.parametrize('how', ['Ctrl-C', 'quit'])
async def test_force_quit(stage: Stage, how: str):
    """The advertisement and the services are removed; the connection stays."""
    await start_phone(stage)
    blepera = await stage.serve('nordic-uart')
    central = await stage.meet()
    if how == 'quit':
        await kill(stage, blepera)
        await stage.ask('quit', 'org.blepera.nordic-uart')
    else:
        await blepera.interrupt()
    await stage.air.until_silent()
    assert (await stage.status())['apps'] == [], 'the apps, by status'
    assert not central.lost.is_set(), 'the central has lost its connection'
    await central.discover()
    assert central.gatt.get_services_by_uuid(SERVICE) == [], f'the services after {how}'
    assert (await stage.ask('preserved', 'list')).strip() == 'Nothing is preserved.', 'what is preserved'


async def test_app_killed_and_bluetooth_switched_off_and_on(stage: Stage, record_property):
    """The app is advertised again, and relaunched, after the control center of iOS 18 has switched Bluetooth off."""
    back = (await stage.explain('nordic-uart', ios=18))['background'].packets
    await start_phone(stage, '--ios', '18')
    blepera = await stage.serve('nordic-uart')
    await leave(stage, blepera)
    await kill(stage, blepera)
    await stage.ask('bluetooth', 'off', '--by', 'control-center')
    await stage.air.until_silent()
    await stage.ask('bluetooth', 'on')
    central = await stage.central()
    async with central.record_advertising() as reception, stage.air.hurry():
        await reception.until_received(back)
        assert set(reception.packets()) == back, 'the packets on the air'
    await stage.air.connect(central)
    await central.discover()
    record_property('answer of a relaunched app', f'{await check_relaunched(stage, central):.1f} s')


async def test_reboot(stage: Stage, record_property):
    """Silent before the first unlock, then advertised and relaunched."""
    back = (await stage.explain('nordic-uart'))['background'].packets
    blepera = await stage.serve('nordic-uart')
    central = await stage.meet()
    await kill(stage, blepera)
    await stage.ask('reboot')
    await stage.air.until_silent()
    assert central.lost.is_set(), 'the connection has outlived the reboot'
    await until_app(stage, terminationCause='reboot', relaunch='afterUnlock')
    async with central.record_advertising() as reception, stage.air.hurry():
        await stage.ask('unlock')
        await reception.until_received(back)
        assert set(reception.packets()) == back, 'the packets on the air'
    await stage.air.connect(central)
    await central.discover()
    record_property('answer of an app relaunched after a reboot', f'{await check_relaunched(stage, central):.1f} s')
