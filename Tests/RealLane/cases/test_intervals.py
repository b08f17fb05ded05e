"""The intervals of the rules, requested from the controller and measured on the air."""

import re
import time
from signal import SIGTERM

import pytest
from rig.advertising import Prediction, Reception
from rig.errors import Failure
from rig.stage import Stage

from .phone import EXACT, WITHOUT_CAPABILITY, start_phone

PROFILE = 'heart-rate'
EVENTS = {'foreground': 12, 'background': 4}  # that are received, for the mean of the gaps between them
TOLERANCE = 0.25
BLUETOOTHD = (2048, 2048)  # of bluetoothd, or of the kernel where nobody has set another: 1280 ms


async def check_intervals(stage: Stage, record_property, asked: str) -> None:
    """In the foreground, in the background and in the foreground again."""
    predicted = await stage.explain(PROFILE)
    await stage.serve(PROFILE)
    central = await stage.central()
    async with central.record_advertising() as reception:
        for state in ('foreground', 'background'):
            mean = await check_interval(stage, reception, predicted[state], state, asked)
            record_property(f'interval in the {state}', f'{mean:.0f} ms')
            await stage.ask('background')
        await stage.ask('foreground')
        await reception.until_received(predicted['foreground'].packets, after=reception.mark)
        wanted = getattr(predicted['foreground'], asked)
        assert stage.air.intervals == wanted, 'the intervals in the foreground again'


async def check_interval(stage: Stage, reception: Reception, predicted: Prediction, state: str, asked: str) -> float:
    """Checks the intervals requested from the controller and on the air; returns the mean gap between events in ms."""
    mark, count = reception.mark, EVENTS[state]
    # Packets from before a change of state do not count, nor the first event after it.
    await reception.until_received(predicted.packets, after=mark)
    wanted = getattr(predicted, asked)
    assert stage.air.intervals == wanted, f'the intervals requested from the controller in the {state}'
    mark = reception.mark
    await reception.until(
        lambda: reception.mark >= mark + count, 20, lambda: f'{reception.mark - mark} of {count} events'
    )
    times = reception.times(after=mark)
    mean = (times[-1] - times[0]) / (len(times) - 1) * 1000
    low, high = predicted.interval * (1 - TOLERANCE), predicted.interval * (1 + TOLERANCE)
    assert low <= mean <= high, f'every {mean:.0f} ms on the air in the {state}, not every {predicted.interval:g} ms'
    return mean


async def check_no_complaint(stage: Stage) -> None:
    events = [event for blepera in stage.served for event in blepera.events]
    assert not [event for event in events if event['event'] == 'intervalsIgnored'], 'it says that they are ignored'
    assert (await stage.status())['warnings'] == [], 'the warnings of status'


@pytest.mark.by_release('bluetoothd takes intervals since 5.77')
@pytest.mark.bluetoothd(experimental=True)
async def test_with_experimental(stage: Stage, record_property):
    is_honored = stage.minor >= 56  # else the adapter's default is set
    await check_intervals(stage, record_property, 'asked' if is_honored else 'iphone_asked')
    await check_no_complaint(stage)


@EXACT
async def test_of_exact_packets(stage: Stage, record_property):
    await check_intervals(stage, record_property, 'asked')
    await check_no_complaint(stage)


async def fresh_adapter(stage: Stage) -> None:
    """One whose default the kernel has not changed for an earlier phone."""
    if stage.minor >= 77:
        pytest.skip('bluetoothd takes intervals since 5.77')
    await stage.air.unplug()
    await stage.air.plug()
    await stage.bluez.make_powered()
    assert await default_of(stage) == BLUETOOTHD, 'the default of a new adapter'


async def default_of(stage: Stage) -> tuple[int, int]:
    """The adapter's default interval: the least and the greatest, in steps of 0.625 ms."""
    text = await stage.btmgmt('read-sysconfig')
    found = [re.search(rf'Type: 0x000{kind}\s+Length: 02\s+Value: (\w+)', text) for kind in 'ab']
    least, greatest = [int.from_bytes(bytes.fromhex(one[1]), 'little') for one in found]
    return least, greatest


async def until_default(stage: Stage, wanted: tuple[int, int], limit: float = 5) -> None:
    until = time.monotonic() + limit
    while (now := await default_of(stage)) != wanted:
        if time.monotonic() > until:
            raise Failure(f'the default interval is {now} and not {wanted} after {limit:g} s')


@pytest.mark.by_release('bluetoothd takes intervals since 5.77')
async def test_by_the_default_of_the_adapter(stage: Stage, record_property):
    """Where bluetoothd ignores intervals, a phone that may sets the adapter's; the former one is back at the end."""
    await fresh_adapter(stage)
    await check_intervals(stage, record_property, 'iphone_asked')
    await check_no_complaint(stage)
    interval = (await stage.status())['air']['effectiveInterval']
    front = (await stage.explain(PROFILE))['foreground'].interval
    assert interval == {'minimum': front, 'maximum': front}, 'the interval in force, by status'
    await stage.served[0].interrupt()  # the phone ends with its last app
    await until_default(stage, BLUETOOTHD)


@pytest.mark.by_release('bluetoothd takes intervals since 5.77')
async def test_default_after_sigterm(stage: Stage):
    """The one that the user had set."""
    await fresh_adapter(stage)
    own = (0x0300, 0x0400)
    await set_default(stage, own)
    phone = await start_phone(stage)
    blepera = await stage.serve(PROFILE)
    assert await default_of(stage) not in (own, BLUETOOTHD), 'the default while it advertises'
    await blepera.kill()
    phone.process.signal(SIGTERM)
    assert await phone.process.wait() == 143, 'the exit status of the phone'
    assert await default_of(stage) == own, 'the default at the end'


@pytest.mark.by_release('bluetoothd takes intervals since 5.77')
async def test_default_after_sigkill(stage: Stage):
    """The next phone puts the former default back, at its own end; and not in place of what another has set since."""
    await fresh_adapter(stage)
    own, others = (0x0300, 0x0400), (0x0500, 0x0600)
    ours = {one for wanted in (await stage.explain(PROFILE)).values() for one in wanted.iphone_asked}
    await set_default(stage, own)
    for since, wanted in ((None, own), (others, others)):
        await stage.serve(PROFILE)
        await stage.kill_all()
        assert (await default_of(stage)) in ours, 'the default of a killed phone'
        if since:
            await set_default(stage, since)
        phone = await start_phone(stage)
        await stage.ask('shutdown')
        await phone.process.wait()
        await until_default(stage, wanted)


async def set_default(stage: Stage, interval: tuple[int, int]) -> None:
    values = [f'000{kind}:2:{value.to_bytes(2, "little").hex()}' for kind, value in zip('ab', interval, strict=True)]
    await stage.btmgmt('set-sysconfig', '-v', *values)
    assert await default_of(stage) == interval, 'the default that is set'


@pytest.mark.by_release('bluetoothd takes intervals since 5.77')
async def test_default_of_an_adapter_that_returns(stage: Stage):
    """The kernel has forgotten it; the phone sets it again."""
    await fresh_adapter(stage)
    predicted = await stage.explain(PROFILE)
    blepera = await stage.serve(PROFILE)
    mark = blepera.mark
    await stage.air.unplug()
    await stage.air.plug()
    await stage.bluez.make_powered()
    await blepera.until('advertising', after=mark)
    assert stage.air.intervals == predicted['foreground'].iphone_asked, 'the intervals requested from the controller'


@pytest.mark.by_release('bluetoothd takes intervals since 5.77')
async def test_without_capability(stage: Stage):
    """bluetoothd before 5.77 uses its own interval; blepera says so once, and `status` says so."""
    await fresh_adapter(stage)
    stage.under = WITHOUT_CAPABILITY
    predicted = await stage.explain(PROFILE)
    blepera = await stage.serve(PROFILE)
    central = await stage.central()
    async with central.record_advertising() as reception, stage.air.hurry():
        for state in ('foreground', 'background', 'foreground'):
            mark = reception.mark
            await stage.ask(state)
            await reception.until_received(predicted[state].packets, after=mark)
            assert stage.air.intervals == {BLUETOOTHD}, f'the intervals requested from the controller in the {state}'
            assert stage.air.intervals == predicted[state].asked, f'the intervals that explain names in the {state}'
    warnings = [one for one in blepera.events if one['event'] == 'intervalsIgnored']
    assert len(warnings) == 1, 'how often it says that the intervals are ignored'
    status = await stage.status()
    assert status['warnings'] == [warnings[0]['reason']], 'the warnings of status'
    assert 'CAP_NET_ADMIN' in warnings[0]['reason'], 'what it advises'
    # Whoever asks may read the adapter's default.
    assert status['air']['effectiveInterval'] == {'minimum': 1280, 'maximum': 1280}, 'the interval in force, by status'
