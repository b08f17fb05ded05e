"""The packets on the air in the foreground and in the background: the bytes, and the change between them."""

import asyncio
import statistics

import pytest
from bumble.core import UUID
from rig.advertising import OVERFLOW, Packet, Reception, overflow_bits
from rig.blepera import Blepera
from rig.profile import Profile
from rig.stage import Stage

from .phone import BOTH

SETTLING = 0.4  # seconds after a change in which no old packet may return; in a hurry, these are 20 events
# The profiles fit into one packet, take a second packet for the overflow area, and lack the background mode.
PROFILES = ['heart-rate', 'five-services', 'foreground-only']
CHANGES = 6
APPLE = bytes.fromhex('FF 4C 00 10')
FIRST, SECOND = 'heart-rate', 'smart-lock'
FIRST_APP, SECOND_APP = f'org.blepera.{FIRST}', f'org.blepera.{SECOND}'
FIRST_UUID, SECOND_UUID = UUID('180D'), UUID('C8B6F0B5-7A37-4B4E-9F0C-6B2B5D1E8A01')


@pytest.mark.by_release('bluetoothd takes scan responses since 5.80')
@pytest.mark.parametrize('name', PROFILES)
async def test_bytes_are_as_explain_says(stage: Stage, name: str):
    """In the foreground, in the background and in the foreground again."""
    predicted = await stage.explain(name)
    front, back = predicted['foreground'].packets, predicted['background'].packets
    check_background(back, stage.profile(name))
    await stage.serve(name)
    central = await stage.central()
    async with central.record_advertising() as reception, stage.air.hurry():
        await reception.until_received(front)
        assert set(reception.packets()) == front, 'the packets on the air'
        await change(stage, reception, 'background', front, back)
        await change(stage, reception, 'foreground', back, front)


@BOTH
async def test_change_while_a_central_is_connected(stage: Stage):
    """Others receive the new packets, and the central stays connected."""
    predicted = await stage.explain('smart-lock')
    front, back = predicted['foreground'].packets, predicted['background'].packets
    await stage.serve('smart-lock')
    central, other = await stage.meet(), await stage.central()
    async with other.record_advertising() as reception, stage.air.hurry():
        await reception.until_received(front)
        await change(stage, reception, 'background', front, back)
        await change(stage, reception, 'foreground', back, front)
    assert not central.lost.is_set(), 'the central has lost its connection'
    await central.discover()


@pytest.mark.by_release('bluetoothd before 5.74 aborts where the kernel refuses a change')
async def test_changes_faster_than_bluetoothd_follows(stage: Stage):
    """The packets of the last state are on the air, and no others."""
    predicted = await stage.explain('five-services')
    front, back = predicted['foreground'].packets, predicted['background'].packets
    await stage.serve('five-services')
    central = await stage.central()
    async with central.record_advertising() as reception, stage.air.hurry():
        await reception.until_received(front)
        for words, last in (('background foreground ' * 3, front), ('background foreground ' * 3 + 'background', back)):
            script = f'for word in {words}; do "$0" $word & done; wait; "$0" {words.split()[-1]}'
            done = await stage.vm.run('sh', '-c', script, stage.binary)
            assert (done.status, done.text()) == (0, ''), 'the commands'
            await reception.until_received(last, after=reception.mark)
            await asyncio.sleep(SETTLING)
            mark = reception.mark
            await asyncio.sleep(SETTLING)
            assert set(reception.packets(after=mark)) == last, 'the packets on the air at last'
        assert set(reception.packets()) - front - back == set(), 'packets of neither state'


@pytest.mark.by_release('bluetoothd before 5.74 aborts where the kernel refuses a change')
async def test_gap_of_a_change(stage: Stage, record_property):
    predicted = await stage.explain(FIRST)
    await stage.serve(FIRST)
    central = await stage.central()
    gaps = []
    async with central.record_advertising() as reception, stage.air.hurry():
        await reception.until_received(predicted['foreground'].packets)
        for number in range(CHANGES):
            state = ('background', 'foreground')[number % 2]
            mark, moment = reception.mark, len(stage.air.record)
            await stage.ask(state)
            await reception.until_received(predicted[state].packets, after=mark)
            off, on = stage.air.record[moment:]
            assert (off.packets, on.packets) == (frozenset(), predicted[state].packets), 'what the HCI commands do'
            gaps.append((on.at - off.at) * 1000)
    gap = f'median of {CHANGES}: {statistics.median(gaps):.0f} ms, {min(gaps):.0f} to {max(gaps):.0f} ms'
    record_property('gap on the air at a change of state', gap)


@pytest.mark.by_release('bluetoothd takes scan responses since 5.80')
async def test_overflow_area_in_the_scan_response(stage: Stage):
    """Where an iPhone has it, from bluetoothd 5.80 on without -E; the item of Apple's is in the advertisement then."""
    if stage.minor < 80:
        pytest.skip('bluetoothd takes scan responses since 5.80')
    predicted = await stage.explain(FIRST)
    await stage.serve(FIRST)
    central = await stage.central()
    async with central.record_advertising() as reception, stage.air.hurry():
        await change(stage, reception, 'background', predicted['foreground'].packets, predicted['background'].packets)
        [packet] = await on_air(stage, reception)
        assert packet.response[2:5] == OVERFLOW, 'the scan response begins with the overflow area'
        assert packet.overflow == overflow_bits([FIRST_UUID]), 'the overflow area'
        assert APPLE in packet.data, "the advertisement has an iPhone's other item"
    limitations = {one['id'] for one in (await stage.status())['limitations']}
    assert not limitations & {'overflow-place', 'apple-item', 'second-advertisement'}, 'the limitations that status names'


@pytest.mark.by_release('bluetoothd takes scan responses since 5.80')
@pytest.mark.bluetoothd(experimental=True)
async def test_two_apps(stage: Stage):
    """Opening an app moves the other to the background, where its UUID is a bit of the overflow area; the interval
    follows the foreground."""
    predicted = await stage.explain(FIRST, SECOND)
    front, back = predicted['foreground'], predicted['background']
    blepera = await stage.serve(FIRST, beside=[SECOND])
    central = await stage.central()
    async with central.record_advertising() as reception, stage.air.hurry():
        await reception.until_received(front.packets)
        for app, shown, name, hidden in (
            (SECOND_APP, SECOND_UUID, 'Lock', FIRST_UUID),
            (FIRST_APP, FIRST_UUID, 'Heart Rate', SECOND_UUID),
        ):
            if app == FIRST_APP:
                await ask_and_wait(stage, blepera, 'foreground', app)
            packets = await on_air(stage, reception)
            assert [uuid for packet in packets for uuid in packet.services] == [shown], 'the services'
            assert {packet.name for packet in packets} - {None} == {name}, 'the name'
            assert {packet.overflow for packet in packets} - {0} == {overflow_bits([hidden])}, 'the overflow area'
            assert stage.air.intervals == front.asked, 'the interval with one in the foreground'

        await ask_and_wait(stage, blepera, 'background')
        await reception.until_received(back.packets, after=reception.mark)
        assert await on_air(stage, reception) == back.packets, 'both in the background'
        [packet] = back.packets
        assert packet.overflow == overflow_bits([FIRST_UUID, SECOND_UUID]), 'the overflow area'
        assert stage.air.intervals == back.asked, 'the interval with both in the background'


def check_background(packets: frozenset[Packet], profile: Profile) -> None:
    """No name and no UUIDs, which are bits of the overflow area; no packet at all without the mode."""
    assert bool(packets) == profile.has_background_mode, 'whether it is on the air in the background'
    for packet in packets:
        assert (packet.name, packet.services) == (None, []), 'the name and the services in the background'
        assert packet.overflow == overflow_bits(profile.advertised), 'the overflow area'


async def change(
    stage: Stage, reception: Reception, where: str, old: frozenset[Packet], new: frozenset[Packet]
) -> None:
    """Moves the apps; the new packets replace the old ones, and between any two HCI commands the controller never sends
    packets of both."""
    mark, moment = reception.mark, len(stage.air.record)
    await stage.ask(where)
    if new:
        await reception.until_received(new, after=mark)
    else:
        await stage.air.until_silent()
    reached = reception.mark
    await asyncio.sleep(SETTLING)
    moments = [one.packets for one in stage.air.record[moment:]]
    mixed = [set(packets) for packets in moments if not (packets <= old or packets <= new)]
    assert not mixed, f'of both states, or of neither: {mixed}; {len(moments)} changes on the air in all'
    reception.check_change(old, new, after=mark)
    assert set(reception.packets(after=reached + 1)) == new, f'the packets on the air in the {where}'


async def on_air(stage: Stage, reception: Reception) -> set[Packet]:
    """The packets that the central receives; `status` has to say the same."""
    mark = reception.mark
    await asyncio.sleep(0.3)
    packets = set(reception.packets(after=mark))
    reported = (await stage.status())['air']['advertisements']
    wanted = {Packet(*(bytes.fromhex(one[key]) for key in ('advertisingData', 'scanResponse'))) for one in reported}
    assert packets == wanted, 'the packets on the air, and what status says'
    return packets


async def ask_and_wait(stage: Stage, blepera: Blepera, *words: str) -> None:
    """Runs a command that changes what is on the air, and waits for the change."""
    mark = blepera.mark
    await stage.ask(*words)
    await blepera.until('advertising', after=mark)
