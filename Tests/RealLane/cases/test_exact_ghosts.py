"""Exact packets where bluetoothd counts advertisements that nobody has any more, and what is on the air when a central
connects."""

import asyncio
import sys
import time
from collections.abc import Callable

import pytest
from blepera_tests.paths import ROOT
from rig.advertising import Packet
from rig.air import Moment, Sent
from rig.stage import Stage

from .phone import EXACT, limitation, until_exact, until_status
from .test_exact_others import Strangers, until_sent

# Which instances are free depends on bluetoothd and on the kernel.
pytestmark = [EXACT, pytest.mark.by_release("bluetoothd's count of advertisements, and the kernel's")]
GHOST = ROOT / 'Tests/RealLane/apps/ghost.py'
NAME = 'heart-rate'
GAP = 0.8  # seconds; the phone is off the air for a second before it chooses an instance again
SETTLING = 1.5


async def make_ghosts(stage: Stage, count: int) -> None:
    """bluetoothd counts these, and sends nothing for them."""
    done = await stage.vm.run(sys.executable, GHOST, str(count))
    assert done.status == 0, done.text()
    assert await stage.bluez.advertisements() == count, 'the advertisements that bluetoothd counts'
    assert not stage.air.sent, 'what is on the air without a phone'


def longest_gap(stage: Stage, mark: int, is_ours: Callable[[Sent], bool]) -> float:
    """For how many seconds, at most, none of ours has been on the air since the mark in the record."""
    longest, since = 0.0, None
    for moment in [*stage.air.record[mark:], Moment(time.monotonic(), stage.air.sent)]:
        if since is not None:
            longest = max(longest, moment.at - since)
        if any(map(is_ours, moment.sent)):
            since = None
        elif since is None:
            since = moment.at
    return longest


async def connect(stage: Stage, is_ours: Callable[[Sent], bool]) -> float:
    """The longest gap while a central connects."""
    mark = len(stage.air.record) - 1
    await stage.air.connect(await stage.central())
    await asyncio.sleep(SETTLING)
    return longest_gap(stage, mark, is_ours)


@pytest.mark.parametrize('count', [1, 2, 3])
async def test_ghosts(stage: Stage, record_property, count: int):
    """Packets are exact all the same, also after power off and on and beside a central; status and doctor name them."""
    predicted = await stage.explain(NAME)
    await make_ghosts(stage, count)
    blepera = await stage.serve(NAME)
    await until_exact(stage, predicted['foreground'], 3)
    status = await stage.status()
    assert not limitation(status, 'exact'), 'the limitation of the packets, by status'
    ghosts = limitation(status, 'ghosts')
    assert f'counts {count} advertisement' in ghosts['instead'] and 'bluetooth.service' in ghosts['advice'], ghosts
    assert [ghosts['instead'] in one for one in status['warnings']].count(True) == 1, status['warnings']
    assert 'bluetooth.service' in (await stage.vm.run(stage.binary, 'doctor')).text(), 'the advice of the doctor'
    await stage.bluez.power(False)
    await stage.bluez.power(True)
    await until_exact(stage, predicted['foreground'], 3)
    gap = await connect(stage, lambda one: one.packet in predicted['foreground'].packets)
    record_property(f'off the air when a central connects, beside {count} ghosts', f'{gap:.2f} s')
    assert gap < GAP, f'off the air for {gap:.2f} s'
    await until_exact(stage, predicted['foreground'], 1)
    assert 'packetsNotExact' not in {one['event'] for one in blepera.events}
    assert await stage.bluez.advertisements() == count, 'the advertisements that bluetoothd counts'


async def test_others_beside_ghosts(stage: Stage):
    """Other programs advertise through bluetoothd and end: each has its instance, and ours is not interrupted."""
    others = Strangers(stage)
    front = (await stage.explain(NAME))['foreground']
    await make_ghosts(stage, 2)
    await stage.serve(NAME)
    await until_exact(stage, front, 3)
    mark = len(stage.air.record) - 1
    for name in ('first', 'second'):
        program = await others.register(name)
        await others.check('beside ours')
        await until_exact(stage, front, 1)
        others.forget(name.encode())
        await program.kill()
        await until_sent(stage, lambda one: one.packet in front.packets and len(stage.air.sent) == 1, 'ours alone')
    assert longest_gap(stage, mark, lambda one: one.packet in front.packets) == 0, 'how long ours was off the air'


async def test_bluetoothd_advertises_while_a_central_connects(stage: Stage, record_property):
    """No instance is free: events have what is on the air, and the phone does not count its own advertisement."""
    others = Strangers(stage)
    programs = [await others.register(name) for name in ('first', 'second')]
    blepera = await stage.serve(NAME)
    ours = await until_sent(stage, lambda one: one.packet not in stage.strangers, 'ours through bluetoothd')
    event = await blepera.until('advertising')
    said = Packet(*(bytes.fromhex(event[key]) for key in ('advertisingData', 'scanResponse')))
    assert said == ours.packet, 'the packet of the event'
    await blepera.until('packetsNotExact', limit=5)
    events = blepera.mark
    gap = await connect(stage, lambda one: one.packet == ours.packet)
    record_property('off the air when a central connects, through bluetoothd', f'{gap:.2f} s')
    assert gap < GAP, f'off the air for {gap:.2f} s'
    later = [one['event'] for one in blepera.events[events:]]
    assert not {'advertising', 'advertisingLost', 'packetsNotExact'} & set(later), later
    await programs[1].kill()
    await until_status(stage, lambda status: not limitation(status, 'exact'), 'that packets are exact', 5)
    event = await blepera.until('advertising', after=events)
    front = (await stage.explain(NAME))['foreground']
    said = Packet(*(bytes.fromhex(event[key]) for key in ('advertisingData', 'scanResponse')))
    assert {said} == front.packets, 'the packet of the event, when packets are exact again'
    await programs[0].kill()
