"""The exact packets on the air, second by second, when the phone, the process that cleans up after it, bluetoothd
or the adapter ends, and the output of `status`."""

import asyncio
import re
import time

from rig.advertising import Prediction
from rig.errors import Failure
from rig.stage import Stage

from .phone import EXACT, is_exact, phone_of, start_phone, until_exact, until_status

pytestmark = EXACT
NAME = 'heart-rate'
SILENT, BACK = 2.0, 3.0  # seconds


class Watch:
    """The packets on the air from now on, by the record of the controller's packets."""

    def __init__(self, stage: Stage, **known: Prediction):
        self.stage, self.known = stage, known
        self.since, self.mark = time.monotonic(), len(stage.air.record)

    def __str__(self) -> str:
        moments = [(one.at - self.since, self.name(one.packets)) for one in self.stage.air.record[self.mark :]]
        return ', '.join(f'{at:.1f} s {name}' for at, name in moments) or 'no change'

    def name(self, packets) -> str:
        known = (name for name, one in self.known.items() if one.packets == packets)
        return next(known, f'{set(packets) or "silence"}')

    async def until_silent(self, limit: float = SILENT) -> float:
        await self.stage.air.until_silent(limit)
        return self.stage.air.record[-1].at - self.since

    async def until_exact(self, wanted: Prediction, limit: float = BACK) -> None:
        await until_exact(self.stage, wanted, limit)
        await asyncio.sleep(0.5)  # and it stays so
        await until_exact(self.stage, wanted, 1)


async def keeper_of(stage: Stage, phone: int, other_than: int = 0) -> int:
    """The child of the phone that removes what the phone has on the air when the phone has ended."""
    for _ in range(100):
        lines = (await stage.vm.run('ps', '-o', 'pid=,comm=', '--ppid', str(phone))).text('out')
        found = [int(number) for number in re.findall(r'(\d+) sh\b', lines) if int(number) != other_than]
        if found:
            return found[0]
        await asyncio.sleep(0.05)
    raise Failure(f'the phone has no such child: {lines}')


async def kill(stage: Stage, *processes: int) -> None:
    """All are stopped first, so that none sees the end of another."""
    done = await stage.vm.run('sh', '-c', 'kill -STOP "$@" && kill -KILL "$@"', 'sh', *map(str, processes))
    assert done.status == 0, done.text()


async def serve(stage: Stage) -> tuple[Prediction, Prediction, int, int]:
    """In the foreground and in the background; the processes of the phone, and of the app."""
    predicted = await stage.explain(NAME)
    blepera = await stage.serve(NAME)
    await until_exact(stage, predicted['foreground'])
    return predicted['foreground'], predicted['background'], await phone_of(stage, blepera), blepera.process.pid


async def test_phone_and_app_killed(stage: Stage, record_property):
    """Silent within 2 s, though nobody starts them again; the next phone restores the app."""
    front, back, phone, app = await serve(stage)
    watch = Watch(stage, front=front, back=back)
    await kill(stage, app, phone)
    silent = await watch.until_silent()
    await asyncio.sleep(1)
    assert stage.air.sent == set(), 'what is on the air later'
    record_property('silent after SIGKILL of phone and app', f'{silent:.2f} s')
    await start_phone(stage)
    await watch.until_exact(back, 10)


async def test_keeper_killed(stage: Stage, record_property):
    """Nothing changes on the air, and what cleans up is there again."""
    front, back, phone, app = await serve(stage)
    keeper = await keeper_of(stage, phone)
    watch = Watch(stage, front=front, back=back)
    await kill(stage, keeper)
    await keeper_of(stage, phone, other_than=keeper)
    assert str(watch) == 'no change', 'what is on the air'
    assert await stage.status()
    watch = Watch(stage, front=front, back=back)
    await kill(stage, app, phone)
    record_property('silent after SIGKILL of keeper, then of phone and app', f'{await watch.until_silent():.2f} s')


async def test_phone_and_keeper_killed(stage: Stage):
    """The kernel continues to send; the next phone removes that, and has one instance."""
    front, back, phone, app = await serve(stage)
    left = stage.air.sent
    await kill(stage, await keeper_of(stage, phone), app, phone)
    await asyncio.sleep(1)
    assert stage.air.sent == left, 'what is on the air without the phone'
    watch = Watch(stage, front=front, back=back)
    await start_phone(stage)
    await watch.until_exact(back, 10)
    # The end of the phone removes all instances.
    await stage.ask('shutdown')
    await watch.until_silent()


async def test_all_killed(stage: Stage, record_property):
    """Phone, app, what cleans up, and bluetoothd, whose next start removes what is left."""
    front, back, phone, app = await serve(stage)
    await kill(stage, await keeper_of(stage, phone), app, phone)
    await stage.bluez.kill()
    watch = Watch(stage, front=front, back=back)
    await stage.bluez.start()
    await stage.bluez.until_powered()
    await start_phone(stage)
    await watch.until_exact(back, 10)
    record_property('on the air when all were killed and started', f'{watch}')


async def test_bluetoothd_killed(stage: Stage, record_property):
    """The start of bluetoothd removes every instance; the phone's is added again."""
    front, back, _, _ = await serve(stage)
    watch = Watch(stage, front=front, back=back)
    await stage.bluez.kill()
    await asyncio.sleep(1)
    radio = (await stage.status())['radio']
    await stage.bluez.start()
    await stage.bluez.until_powered()
    await watch.until_exact(front, BACK)
    record_property('on the air when bluetoothd was killed and started', f'{watch}; status meanwhile: {radio}')
    assert (await stage.status())['radio'] == 'poweredOn'
    await stage.ask('background')
    await watch.until_exact(back)


async def test_power_off_and_on(stage: Stage, record_property):
    front, back, _, _ = await serve(stage)
    watch = Watch(stage, front=front, back=back)
    await stage.bluez.power(False)
    assert stage.air.sent == set(), 'what is on the air without power'
    await until_status(stage, lambda status: status['radio'] == 'poweredOff', 'that the radio is off', 2)
    await stage.ask('background')
    await asyncio.sleep(0.5)
    assert stage.air.sent == set(), 'what is on the air without power'
    await stage.bluez.power(True)
    await watch.until_exact(back)
    record_property('on the air when the adapter was off and on', f'{watch}')


async def test_unplugged_and_plugged(stage: Stage, record_property):
    front, back, _, _ = await serve(stage)
    watch = Watch(stage, front=front, back=back)
    await stage.air.unplug()
    await asyncio.sleep(1)
    radio = (await stage.status())['radio']
    assert radio != 'poweredOn', 'the radio, by status'
    await stage.air.plug()
    await stage.bluez.until_powered()
    await watch.until_exact(front)
    record_property('on the air when the adapter was unplugged', f'{watch}; status meanwhile: {radio}')
    assert is_exact(stage, front)
