"""How blepera ends, and what then stays on the air: nothing."""

from bumble.core import UUID
from rig.errors import expect, expect_equal
from rig.runner import case
from rig.stage import Stage

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


@case('after kill -9 bluetoothd cleans up, and a new blepera serves the same again')
async def killed(stage: Stage):
    blepera = await stage.serve('every-kind')
    central = await stage.meet()
    before = central.characteristic(kind.ECHO).handle
    await blepera.kill()
    await central.disconnect()
    await check_silence(stage)
    await stage.serve('every-kind')
    central = await stage.meet()
    echo = central.characteristic(kind.ECHO)
    expect_equal(echo.handle, before, 'the handle of a characteristic')
    await central.write(echo, b'again')
    expect_equal(await central.read(echo), b'again', 'the value')
