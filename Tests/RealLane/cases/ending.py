"""How blepera ends, and what then stays on the air: nothing."""

import time

from bumble.core import UUID
from rig.errors import expect, expect_equal
from rig.runner import case
from rig.stage import RUNTIME, Stage

from . import every_kind as kind

SILENCE = 3  # seconds; BlueZ advertises every 1.28 s


async def check_silence(stage: Stage) -> None:
    central = await stage.central()
    expect(await central.hear(limit=SILENCE) is None, 'an advertisement is still on the air')


@case('Ctrl-C unpublishes: status 0, nothing on the air, the services gone')
async def interrupted(stage: Stage):
    blepera = await stage.serve('every-kind')
    central = await stage.meet()
    await (await central.subscribe(central.characteristic(kind.COUNTER))).take(2)
    warnings = blepera.process.text('err')
    expect_equal(await blepera.interrupt(), 0, 'the exit status')
    expect_equal(blepera.process.text('err'), warnings, 'what it wrote to standard error')
    if not central.lost.is_set():
        await central.discover()
        found = [str(service.uuid) for service in central.gatt.services]
        expect(not central.gatt.get_services_by_uuid(UUID(kind.uuid(0x10))), f'the service is still there: {found}')
        await central.disconnect()
    await check_silence(stage)


@case('Ctrl-C with nobody connected, twice in a row with a new start between')
async def interrupted_twice(stage: Stage):
    for _ in range(2):
        blepera = await stage.serve('heart-rate')
        expect_equal(await blepera.interrupt(), 0, 'the exit status')
    await check_silence(stage)


@case('after kill -9 of app and phone bluetoothd cleans up, and a new blepera serves the same again')
async def killed(stage: Stage):
    blepera = await stage.serve('every-kind')
    central = await stage.meet()
    before = central.characteristic(kind.ECHO).handle
    await stage.kill_all()
    await blepera.process.wait()
    await central.disconnect()
    await check_silence(stage)
    await stage.serve('every-kind')
    central = await stage.meet()
    echo = central.characteristic(kind.ECHO)
    expect_equal(echo.handle, before, 'the handle of a characteristic')
    await central.write(echo, b'again')
    expect_equal(await central.read(echo), b'again', 'the value')


async def check_nothing_left(stage: Stage, files: set[str]) -> None:
    """No process and no socket, and of the files of the phone just these."""
    until = time.monotonic() + 5
    while not (running := await stage.vm.run('pgrep', '-x', '-a', 'blepera')).status:
        expect(time.monotonic() < until, f'still running: {running.text()}')
    expect_equal((await stage.vm.run('find', RUNTIME, '-not', '-type', 'd')).text(), '', 'the sockets and the like')
    found = await stage.vm.run('find', f'{stage.state}/blepera/default', '-not', '-type', 'd', '-printf', '%P\\n')
    expect_equal(set(found.text().split()), files, 'the files of the phone')


@case('after quit, and after shutdown, no process, socket or unfinished file is left')
async def leftovers(stage: Stage):
    blepera = await stage.serve('heart-rate')
    await stage.ask('quit')
    expect_equal(await blepera.process.wait(10), 0, 'the exit status of serve after quit')
    await check_nothing_left(stage, {'system.log', 'state.plist'})
    blepera = await stage.serve('heart-rate')
    await stage.ask('shutdown')
    expect_equal(await blepera.process.wait(10), 1, 'the exit status of serve after shutdown')
    said = blepera.process.text('err')
    expect('shut down' in said, f'what serve says: {said}')
    await check_nothing_left(stage, {'system.log', 'state.plist'})
    await stage.air.until_silent()
    expect('org.blepera.heart-rate' in await stage.ask('preserved', 'list'), 'nothing is preserved after shutdown')
