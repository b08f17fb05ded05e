"""The advertising interval, as it is asked of the controller and as it is heard; and how long a change takes."""

import statistics

from rig.advertising import Prediction, Reception
from rig.errors import expect, expect_equal
from rig.runner import case
from rig.stage import Stage

PROFILE = 'heart-rate'
EVENTS = {'foreground': 12, 'background': 4}  # that are heard, for the mean of the gaps between them
TOLERANCE = 0.25
CHANGES = 10


async def check_interval(stage: Stage, heard: Reception, predicted: Prediction, state: str) -> str:
    """What is asked of the controller, and the mean of the gaps between the events that are heard."""
    mark, count = heard.mark, EVENTS[state]
    # What was sent before a change of state does not count, nor the first event after it.
    await heard.until_heard(predicted.packets, after=mark)
    expect_equal(stage.air.intervals, predicted.asked, f'the intervals asked of the controller in the {state}')
    mark = heard.mark
    await heard.until(lambda: heard.mark >= mark + count, 20, lambda: f'{heard.mark - mark} of {count} events')
    times = heard.times(after=mark)
    mean = (times[-1] - times[0]) / (len(times) - 1) * 1000
    low, high = predicted.interval * (1 - TOLERANCE), predicted.interval * (1 + TOLERANCE)
    expect(low <= mean <= high, f'every {mean:.0f} ms on the air in the {state}, not every {predicted.interval:g} ms')
    return f'{mean:.0f} ms'


@case('bluetoothd -E: the intervals of the rule set are asked of the controller and heard, in front and behind')
async def in_force(stage: Stage) -> str:
    await stage.bluez.restart(experimental=True)
    predicted = await stage.explain(PROFILE)
    blepera = await stage.serve(PROFILE)
    central = await stage.central()
    async with central.overhear() as heard:
        front = await check_interval(stage, heard, predicted['foreground'], 'foreground')
        await stage.ask('background')
        back = await check_interval(stage, heard, predicted['background'], 'background')
        await stage.ask('foreground')
        await heard.until_heard(predicted['foreground'].packets, after=heard.mark)
        expect_equal(stage.air.intervals, predicted['foreground'].asked, 'the intervals in front again')
    expect(not [one for one in blepera.events if one['event'] == 'intervalsIgnored'], 'it says that they are ignored')
    expect_equal((await stage.status())['warnings'], [], 'the warnings of status')
    return f'heard every {front} and every {back}'


@case('bluetoothd without -E takes its own interval: said once, and by status')
async def ignored(stage: Stage):
    predicted = await stage.explain(PROFILE)
    blepera = await stage.serve(PROFILE)
    central = await stage.central()
    async with central.overhear() as heard, stage.air.hurry():
        for state in ('foreground', 'background', 'foreground'):
            mark = heard.mark
            await stage.ask(state)
            await heard.until_heard(predicted[state].packets, after=mark)
            expect_equal(stage.air.intervals, {(2048, 2048)}, f'the intervals asked of the controller in the {state}')
    said = [one for one in blepera.events if one['event'] == 'intervalsIgnored']
    expect_equal(len(said), 1, 'how often it says that the intervals are ignored')
    status = await stage.status()
    expect_equal(status['warnings'], [said[0]['reason']], 'the warnings of status')
    expect(status['air'].get('intervalInForce') is None, f'an interval in force: {status["air"]}')


@case('a change of state leaves a gap on the air')
async def gap(stage: Stage) -> str:
    predicted = await stage.explain(PROFILE)
    await stage.serve(PROFILE)
    central = await stage.central()
    gaps = []
    async with central.overhear() as heard, stage.air.hurry():
        await heard.until_heard(predicted['foreground'].packets)
        for number in range(CHANGES):
            state = ('background', 'foreground')[number % 2]
            mark, moment = heard.mark, len(stage.air.record)
            await stage.ask(state)
            await heard.until_heard(predicted[state].packets, after=mark)
            off, on = stage.air.record[moment:]
            expect_equal((off.packets, on.packets), (frozenset(), predicted[state].packets), 'what the HCI commands do')
            gaps.append((on.at - off.at) * 1000)
    return f'median of {CHANGES}: {statistics.median(gaps):.0f} ms, {min(gaps):.0f} to {max(gaps):.0f}'
