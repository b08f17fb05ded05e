"""The phone as a central: what a profile's `BLECentral` asks for, through bluetoothd, of a peripheral of Bumble's."""

import asyncio
import time
from collections.abc import Callable

import pytest
from blepera_tests.paths import profile_path
from rig.blepera import Blepera
from rig.errors import Failure
from rig.peripheral import Peripheral
from rig.stage import Stage

from .phone import kill, start_phone, until_app, until_status

LOCKED, UNLOCKED, UNLOCK, LOCK = b'\0', b'\1', b'\2', b'\0'  # of the state, and of the command
ATTEMPT = 40  # seconds, after which bluetoothd ends an attempt at a connection


async def until(wanted: Callable[[], object], what: str, limit: float = 30) -> None:
    end = time.monotonic() + limit
    while not wanted():
        if time.monotonic() > end:
            raise Failure(f'{what} is not so after {limit:g} s')
        await asyncio.sleep(0.02)


async def serve(stage: Stage, *apps: str) -> Blepera:
    return await stage.run('serve', '--json', *(str(profile_path(app)) for app in apps))


async def until_subscribed(stage: Stage, lock: Peripheral, *apps: str) -> None:
    """bluetoothd drops a value that comes before it has the answer to its subscription."""

    def look(status: dict) -> bool:
        used = [app.get('central', {}).get('peripherals') for app in status['apps']]
        return len(used) == len(apps) and all(one and one[0]['subscriptions'] == 1 for one in used)

    await until_status(stage, look, f'that {apps} have subscribed')
    assert lock.subscribed, 'the peripheral has no subscription'


async def meet(stage: Stage, *apps: str, encrypts: bool = False) -> tuple[Blepera, Peripheral]:
    """Apps that are connected and subscribed."""
    lock = await stage.peripheral(encrypts)
    await lock.advertise()
    blepera = await serve(stage, *apps)
    await blepera.until('peripheralConnected', peripheral=lock.address)
    await until_subscribed(stage, lock, *apps)
    await until(lambda: lock.written == [UNLOCK], 'that the app has written')
    return blepera, lock


@pytest.mark.by_release('bluetoothd from 5.78 to 5.82 has devices that no filter wants')
async def test_finds_and_uses_a_peripheral(stage: Stage):
    """A suspended app is woken by a notification; the app connects again after the peripheral has disconnected."""
    blepera, lock = await meet(stage, 'lock-app')
    found = await blepera.until('discovered', peripheral=lock.address)
    assert (found['localName'], found['serviceUUIDs']) == ('Lock', ['C8B6F0B5-7A37-4B4E-9F0C-6B2B5D1E8A01'])
    await stage.ask('background')
    await stage.suspend(blepera)
    mark = blepera.mark
    await lock.notify(UNLOCKED)
    assert (await blepera.until('received', after=mark))['value'] == '01'
    await until(lambda: lock.written == [UNLOCK, LOCK], 'that the woken app has written')
    await lock.disconnect()
    lost = await blepera.until('peripheralDisconnected', after=mark)
    assert lost['reason'] == 'by the peripheral'
    await lock.advertise()
    await until(lambda: lock.connections == 2 and lock.subscribed, 'a second connection')
    assert len(lock.device.connections) == 1, 'the number of connections'


async def test_notification_fills_the_packet(stage: Stage):
    """bluetoothd passes on all of the 514 bytes that an ATT_MTU of 517 leaves."""
    blepera, lock = await meet(stage, 'lock-app')
    await lock.notify(bytes(600))  # Bumble cuts it to the packet
    await blepera.until('received', value=bytes(514).hex())


@pytest.mark.by_release('bluetoothd 5.66 does not repeat each request')
async def test_pairs_where_a_peripheral_requires_it(stage: Stage):
    if stage.minor < 82:
        pytest.skip('bluetoothd 5.66 does not repeat each request that has begun a pairing')
    _, lock = await meet(stage, 'lock-app', encrypts=True)
    assert lock.connection.is_encrypted, 'the link is not encrypted'
    assert lock.connections == 1, 'the number of connections'


@pytest.mark.by_release('bluetoothd gives the reason of a disconnection since 5.83')
async def test_reports_lost_keys(stage: Stage):
    """bluetoothd from 5.83 on reports why a connection has ended: the peripheral has no key of the bond any more."""
    if stage.minor < 83:
        pytest.skip('before 5.83 bluetoothd does not say why a connection has ended')
    blepera, lock = await meet(stage, 'lock-app', encrypts=True)
    mark = blepera.mark
    await lock.forget()
    await lock.disconnect()
    lost = await blepera.until('peripheralDisconnected', after=mark)
    assert lost['reason'] == 'by the peripheral'
    mark = blepera.mark
    await lock.advertise()
    await blepera.until('peripheralDisconnected', after=mark, reason='the peripheral has no key')


async def test_two_apps_share_a_connection(stage: Stage):
    blepera, lock = await meet(stage, 'lock-app', 'lock-log')
    await lock.notify(UNLOCKED)
    for app in ('org.blepera.lock-app', 'org.blepera.lock-log'):
        await blepera.until('received', app=app, value='01')
    assert lock.connections == 1, 'the number of connections'


async def test_notification_relaunches_an_app(stage: Stage):
    blepera, lock = await meet(stage, 'lock-app')
    await kill(stage, blepera)
    await lock.notify(UNLOCKED)
    await until(lambda: LOCK in lock.written, 'that the relaunched app has written')
    await until_app(stage, terminationCause=None)
    assert lock.connections == 1, 'the number of connections'


@pytest.mark.by_release('bluetoothd forgets a device after an attempt since 5.82')
async def test_loss_relaunches_an_app(stage: Stage):
    """An app that was killed while it was connected learns of the loss, and connects again."""
    blepera, lock = await meet(stage, 'lock-app')
    await kill(stage, blepera)
    await lock.disconnect()
    await until_app(stage, terminationCause=None)
    await lock.advertise()
    await until(lambda: lock.connections == 2, 'a second connection')
    await until_subscribed(stage, lock, 'lock-app')


@pytest.mark.by_release('bluetoothd forgets a device after an attempt since 5.82')
@pytest.mark.limit(240)
async def test_waits_longer_than_bluetoothd(stage: Stage):
    """An app that is suspended waits for a peripheral, over two of bluetoothd's attempts."""
    if stage.minor < 82:
        pytest.skip('from 5.82 on bluetoothd forgets a device after each attempt, unless it is trusted')
    blepera, lock = await meet(stage, 'lock-app')
    await stage.ask('background')
    await stage.suspend(blepera)
    await lock.disconnect()
    await blepera.until('peripheralDisconnected')
    await stage.suspend(blepera)
    mark = blepera.mark
    await asyncio.sleep(2 * ATTEMPT + 10)
    await lock.advertise()
    await blepera.until('peripheralConnected', after=mark)
    await until_subscribed(stage, lock, 'lock-app')


async def test_phone_starts_again(stage: Stage):
    """The phone is killed: the app it restores is launched, and subscribes, as it is connected again."""
    phone = await start_phone(stage)
    blepera, lock = await meet(stage, 'lock-app')
    await kill(stage, blepera)
    await phone.kill()
    await until(lambda: not lock.subscribed, 'that bluetoothd has ended the subscription')
    await start_phone(stage)
    if not lock.connection:
        await lock.advertise()
    await until_subscribed(stage, lock, 'lock-app')
    await lock.notify(UNLOCKED)
    await until(lambda: LOCK in lock.written, 'that the app has written')
