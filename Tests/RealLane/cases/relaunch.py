"""R15: what ended an app, and what was done with Bluetooth since, decide whether it comes back."""

from bumble.core import UUID
from rig.central import Central
from rig.errors import expect, expect_equal
from rig.runner import case
from rig.stage import Stage

from .phone import RX, TX, answered, kill, leave, start_phone, terminate, until_app, values

SERVICE = UUID('6E400001-B5A3-F393-E0A9-E50E24DCCA9E')


async def check_gone(stage: Stage) -> None:
    """Nothing on the air, and no service for a central."""
    await stage.air.until_silent()
    expect_equal((await stage.status())['apps'], [], 'the apps, by status')


async def check_relaunched(stage: Stage, central: Central) -> float:
    """A subscription brings the app back, and so does a write, which it answers in time."""
    subscription = await central.subscribe(central.characteristic(TX))
    await until_app(stage, ended=None)
    await terminate(stage)

    async def exchange() -> None:
        await central.write(central.characteristic(RX), b'hello')
        await values(subscription, [b'hello'])

    return await answered(stage, exchange, 'a write')


@case('force quit, by Ctrl-C and of an app that was killed: off the air, the services gone, nothing left on the phone')
async def force_quit(stage: Stage):
    for how in ('Ctrl-C', 'quit'):
        await start_phone(stage)
        blepera = await stage.serve('nordic-uart')
        central = await stage.meet()
        if how == 'quit':
            await kill(stage, blepera)
            await stage.ask('quit', '--app', 'org.blepera.nordic-uart')
        else:
            await blepera.interrupt()
        await check_gone(stage)
        expect(not central.lost.is_set(), 'the central has lost its connection')
        await central.discover()
        expect_equal(central.gatt.get_services_by_uuid(SERVICE), [], f'the services after {how}')
        expect_equal((await stage.ask('preserved', 'list')).strip(), 'Nothing is preserved.', 'what is preserved')
        await stage.ask('shutdown')


def add_switch(means: str, ios: int, comes_back: bool) -> None:
    what = 'it is advertised again, and relaunched' if comes_back else 'it stays away'

    @case(f'iOS {ios}: killed, and Bluetooth switched off and on by {means}: {what}')
    async def switched(stage: Stage) -> str | None:
        back = (await stage.explain('nordic-uart', ios=ios))['background'].packets
        await start_phone(stage, '--ios', str(ios))
        blepera = await stage.serve('nordic-uart')
        await leave(stage, blepera)
        await kill(stage, blepera)
        await stage.ask('bluetooth', 'off', '--by', means)
        await stage.air.until_silent()
        await stage.ask('bluetooth', 'on')
        if not comes_back:
            return await check_gone(stage)
        central = await stage.central()
        async with central.overhear() as heard, stage.air.hurry():
            await heard.until_heard(back)
            expect_equal(set(heard.packets()), back, 'the packets on the air')
        await stage.air.connect(central)
        await central.discover()
        return f'a write is answered after {await check_relaunched(stage, central):.1f} s'


add_switch('settings', 18, comes_back=False)
add_switch('control-center', 18, comes_back=True)
add_switch('control-center', 26, comes_back=False)


@case('killed, and the phone rebooted: silent before the first unlock, then advertised and relaunched')
async def reboot(stage: Stage) -> str:
    back = (await stage.explain('nordic-uart'))['background'].packets
    blepera = await stage.serve('nordic-uart')
    central = await stage.meet()
    await kill(stage, blepera)
    await stage.ask('reboot')
    await stage.air.until_silent()
    expect(central.lost.is_set(), 'the link has outlived the reboot')
    await until_app(stage, ended='reboot', relaunch='afterUnlock')
    async with central.overhear() as heard, stage.air.hurry():
        await stage.ask('unlock')
        await heard.until_heard(back)
        expect_equal(set(heard.packets()), back, 'the packets on the air')
    await stage.air.connect(central)
    await central.discover()
    return f'a write is answered after {await check_relaunched(stage, central):.1f} s'


@case('an app without a restoration identifier is gone with its process, and nothing brings it back')
async def not_restorable(stage: Stage):
    await start_phone(stage)
    blepera = await stage.serve('every-kind')
    await stage.meet()
    await blepera.kill()
    await check_gone(stage)
