"""Exact packets, which the kernel sends (`--exact`): the bytes and the intervals of the rules, and the change from one
state to the other."""

import asyncio
import itertools
import statistics
import time
from collections.abc import Iterable

import pytest
from blepera_tests.paths import ROOT, profile_path
from rig.advertising import Prediction
from rig.air import Moment, OldAdapter
from rig.errors import Failure
from rig.stage import Stage
from rig.virtual import Advertised, on_virtual_air, packet_of

from .phone import EXACT, sent_of, until_exact

pytestmark = EXACT
PROFILES = sorted({path.stem for path in (ROOT / 'profiles').glob('*.plist')} - {'lock-remote'})
TOGGLES, PAUSE = 50, 0.1  # seconds
SLOW_TOGGLES, SLOW_PAUSE = 5, 3.0
SETTLING = 0.4
# Limitations of bluetoothd's packets, which exact packets do not have.
BLUETOOTHD = {
    'flags', 'tx-power', 'name-place', 'overflow-place', 'apple-item', 'intervals', 'gap', 'second-advertisement'
}


def is_refused(stage: Stage, name: str) -> bool:
    """bluetoothd before 5.62 has no encrypted notifications, and blepera refuses to publish them."""
    services = stage.profile(name).services
    return stage.minor < 62 and any(
        one.notifying_needs_encryption for service in services for one in service.characteristics
    )


BY_KERNEL = pytest.mark.by_release('the kernel checks and sends the bytes; one case of eleven shows that')


@pytest.mark.parametrize('names', [*PROFILES, pytest.param('heart-rate slow-lock', marks=BY_KERNEL)])
async def test_packets_are_an_iphones(stage: Stage, names: str):
    """A central receives the packets of explain and of the virtual radio, in the foreground and in the background."""
    names = names.split()
    if any(is_refused(stage, name) for name in names):
        pytest.skip('bluetoothd before 5.62 has no encrypted notifications')
    virtual = await on_virtual_air(stage.binary, *map(profile_path, names))
    predicted = await stage.explain(*names)
    await stage.serve(names[0], beside=names[1:])
    central = await stage.central()
    async with central.record_advertising() as reception, stage.air.hurry():
        for state, wanted in predicted.items():
            assert wanted.packets == wanted.iphone, f'the columns of BlueZ and of the iPhone in the {state}'
            assert wanted.asked == wanted.iphone_asked, f'the intervals of BlueZ and of the iPhone in the {state}'
            assert untagged(sent_of(wanted)) == untagged(virtual[state]), f'the virtual air in the {state}'
            if state != 'foreground':
                await stage.ask(state)
            await until_exact(stage, wanted)
            mark = reception.mark
            await asyncio.sleep(SETTLING)
            assert set(reception.packets(after=mark)) == wanted.packets, f'the packets that are received in the {state}'
            await check_status(stage, wanted)


def untagged(sent: Iterable[Advertised]) -> set[Advertised]:
    return {(packet.untagged, interval) for packet, interval in sent}


async def check_status(stage: Stage, wanted: Prediction) -> None:
    status = await stage.status()
    advertisements = status['air']['advertisements']
    shown = {packet_of(one) for one in advertisements}
    assert shown == wanted.packets, 'the packets, by status'
    if wanted.interval:
        interval = status['air']['effectiveInterval']
        assert (interval['minimum'] + interval['maximum']) / 2 == wanted.interval, 'the interval in force, by status'
    limitations = {one['id'] for one in status['limitations']}
    assert limitations & {*BLUETOOTHD, 'exact'} == set(), 'the limitations, by status'
    assert ('exact-overwritten' in limitations) == bool(wanted.packets), f'the limitations, by status: {limitations}'
    # Only trackers look for a phone that is alone on the air, and they do not resolve the adapter's public address.
    is_alone = any(one.get('isOwn') for one in advertisements)
    found = [warning.partition(' that know ')[0] for warning in status['warnings']]
    assert found == (['Trackers'] if is_alone else []), 'the warnings of status'


def kind_of(moment: Moment, front: Prediction, back: Prediction) -> str:
    """The state that a moment shows, by the packets and the intervals."""
    sent = {(one.packet, one.interval) for one in moment.sent}
    if len(sent) == len(moment.sent):
        for kind, wanted in {'off': set(), 'front': sent_of(front), 'back': sent_of(back)}.items():
            if sent == wanted:
                return kind
    raise Failure(f'on the air was neither state: {set(moment.sent)}')


# In the foreground the first has no scan response, the second has one in both states.
@pytest.mark.by_release('the kernel chooses the HCI commands')
@pytest.mark.parametrize('name', ['heart-rate', 'five-services'])
async def test_fifty_toggles_in_five_seconds(stage: Stage, record_property, name: str):
    """The HCI commands of a toggle: while both data or the interval change, advertising is disabled."""
    predicted = await stage.explain(name)
    front, back = predicted['foreground'], predicted['background']
    blepera = await stage.run('serve', str(profile_path(name)), terminal=True)
    await until_exact(stage, front)
    mark, since = len(stage.air.record) - 1, time.monotonic()
    for number in range(TOGGLES):
        blepera.process.type('bf'[number % 2])
        await asyncio.sleep(max(since + (number + 1) * PAUSE - time.monotonic(), 0))
    took = time.monotonic() - since
    await until_exact(stage, front)
    await asyncio.sleep(SETTLING)
    await until_exact(stage, front)
    moments = stage.air.record[mark:]
    kinds = [kind_of(moment, front, back) for moment in moments]
    reached = [kind for kind in kinds if kind != 'off']
    toggles = sum(one != other for one, other in itertools.pairwise(reached))
    off = [
        (after.at - moment.at) * 1000
        for kind, moment, after in zip(kinds, moments, moments[1:], strict=False)
        if kind == 'off'
    ]
    assert toggles > 1, f'the toggles that reached the air: {kinds}'
    record_property(
        f'{TOGGLES} toggles of {name} in {took:.1f} s',
        f'{toggles} on the air; disabled {len(off)} times, at most {max(off, default=0):.1f} ms, '
        f'median {statistics.median(off or [0]):.1f} ms',
    )


@pytest.mark.limit(120)
async def test_toggles_as_a_central_receives_them(stage: Stage, record_property):
    """Every 3 s, at the intervals of the rules: no packet of neither state, and no old one after a new one."""
    predicted = await stage.explain('five-services')
    await stage.serve('five-services')
    central = await stage.central()
    took = []
    async with central.record_advertising() as reception:
        await reception.until_received(predicted['foreground'].packets)
        for number in range(SLOW_TOGGLES):
            before, state = ('background', 'foreground') if number % 2 else ('foreground', 'background')
            old, new = predicted[before].packets, predicted[state].packets
            mark, since = reception.mark, time.monotonic()
            await stage.ask(state)
            await reception.until_received(new, after=mark)
            took.append(reception.times(after=mark)[reception.packets(after=mark).index(*new)] - since)
            await asyncio.sleep(max(since + SLOW_PAUSE - time.monotonic(), 0))
            reception.check_change(old, new, after=mark)
    toggles = f'{SLOW_TOGGLES} toggles, {SLOW_PAUSE:g} s apart'
    record_property(toggles, f'the first new packet at most {max(took):.1f} s after the command')


@pytest.mark.by_release('what the kernel advertises while a central is connected')
async def test_advertises_beside_connected_centrals(stage: Stage):
    """The phone stays on the air as an iPhone does, and a further central receives it."""
    front = (await stage.explain('heart-rate'))['foreground']
    await stage.serve('heart-rate')
    for _ in range(2):
        await stage.meet()
        await until_exact(stage, front, limit=2)
    other = await stage.central()
    async with other.record_advertising() as reception:  # in its own time
        await reception.until_received(front.packets, limit=3)
    assert not [one for one in stage.centrals if one.connection and one.lost.is_set()], 'a central lost its connection'


@pytest.mark.by_release('the kernel chooses the HCI commands')
async def test_controller_without_extended_advertising(stage: Stage):
    """The only set has the packets, intervals and both states; a central connects, then another receives the set."""
    await stage.air.unplug()
    try:
        await stage.air.plug(kind=OldAdapter)
        await stage.bluez.make_powered()
        predicted = await stage.explain('heart-rate')
        await stage.serve('heart-rate')
        central, other = await stage.central(), await stage.central()
        for state in ('foreground', 'background', 'foreground'):
            await stage.ask(state)
            await until_exact(stage, predicted[state])
            assert {one.handle for one in stage.air.sent} == {0}, 'the only set'
        await stage.air.connect(central)
        await central.discover()
        async with other.record_advertising() as reception:
            await reception.until_received(predicted['foreground'].packets, limit=3)
        await stage.kill_all()
        await stage.air.until_silent(2)
    finally:
        await stage.air.unplug()
