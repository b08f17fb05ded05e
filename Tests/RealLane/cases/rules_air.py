"""What is on the air in the foreground and in the background: the bytes, the intervals, and the change between them."""

import asyncio
from pathlib import Path

from rig import profile as profiles
from rig.advertising import Packet, Reception, overflow_bits
from rig.errors import expect, expect_equal
from rig.profile import Profile
from rig.runner import case
from rig.stage import PROJECT, Stage

SETTLING = 0.4  # seconds after a change in which nothing old may come back; hurried, that is 20 events


def add(path: Path) -> None:
    @case(f'{path.stem}: in front, in the background and in front again, the bytes on the air are as explain says')
    async def shown(stage: Stage):
        predicted = await stage.explain(path.stem)
        front, back = predicted['foreground'].packets, predicted['background'].packets
        check_background(back, profiles.load(path))
        await stage.serve(path.stem)
        central = await stage.central()
        async with central.overhear() as heard, stage.air.hurry():
            await heard.until_heard(front)
            expect_equal(set(heard.packets()), front, 'the packets on the air')
            await change(stage, heard, 'background', front, back)
            await change(stage, heard, 'foreground', back, front)


for path in sorted((PROJECT / 'profiles').glob('*.plist')):
    add(path)


@case('a change of state while a central is connected: others hear it, and the central stays')
async def connected(stage: Stage):
    predicted = await stage.explain('smart-lock')
    front, back = predicted['foreground'].packets, predicted['background'].packets
    await stage.serve('smart-lock')
    central, other = await stage.meet(), await stage.central()
    async with other.overhear() as heard, stage.air.hurry():
        await heard.until_heard(front)
        await change(stage, heard, 'background', front, back)
        await change(stage, heard, 'foreground', back, front)
    expect(not central.lost.is_set(), 'the central has lost its connection')
    await central.discover()


@case('states that change faster than bluetoothd follows: the last one is on the air, and nothing else')
async def hasty(stage: Stage):
    predicted = await stage.explain('five-services')
    front, back = predicted['foreground'].packets, predicted['background'].packets
    await stage.serve('five-services')
    central = await stage.central()
    async with central.overhear() as heard, stage.air.hurry():
        await heard.until_heard(front)
        for words, last in (('background foreground ' * 5, front), ('background foreground ' * 5 + 'background', back)):
            script = f'for word in {words}; do "$0" $word & done; wait; "$0" {words.split()[-1]}'
            done = await stage.vm.run('sh', '-c', script, stage.binary)
            expect_equal((done.status, done.text()), (0, ''), 'the commands')
            await heard.until_heard(last, after=heard.mark)
            await asyncio.sleep(SETTLING)
            mark = heard.mark
            await asyncio.sleep(SETTLING)
            expect_equal(set(heard.packets(after=mark)), last, 'the packets on the air at last')
        expect_equal(set(heard.packets()) - front - back, set(), 'packets of neither state')


def check_background(packets: frozenset[Packet], profile: Profile) -> None:
    """Without a name and without UUIDs, which are bits of the overflow area; nothing at all without the mode."""
    expect_equal(bool(packets), profile.has_background_mode, 'whether it is on the air in the background')
    for packet in packets:
        expect_equal((packet.name, packet.services), (None, []), 'the name and the services in the background')
        expect_equal(packet.overflow, overflow_bits(profile.advertised), 'the overflow area')


async def change(stage: Stage, heard: Reception, where: str, old: frozenset[Packet], new: frozenset[Packet]) -> None:
    """Moves the apps, and hears that the new packets take the place of the old ones; what the controller is told to
    send is never of both, between any two HCI commands."""
    mark, moment = heard.mark, len(stage.air.record)
    await stage.ask(where)
    if new:
        await heard.until_heard(new, after=mark)
    else:
        await stage.air.until_silent()
    reached = heard.mark
    await asyncio.sleep(SETTLING)
    moments = [one.packets for one in stage.air.record[moment:]]
    mixed = [set(packets) for packets in moments if not (packets <= old or packets <= new)]
    expect(not mixed, f'of both states, or of neither: {mixed}; {len(moments)} changes on the air in all')
    heard.check_change(old, new, after=mark)
    expect_equal(set(heard.packets(after=reached + 1)), new, f'the packets on the air in the {where}')
