"""The requests of the cases to a phone whose apps start and end."""

import asyncio
import json
import re
import time
from collections.abc import Awaitable, Callable

import pytest
from rig.advertising import Packet, Prediction
from rig.blepera import Blepera
from rig.central import Central, Subscription
from rig.errors import Failure
from rig.process import Process
from rig.stage import Stage

LIMIT = 2.0  # seconds from a request to its answer by an app that did not run, and to a killed phone's being back
STARTS, TRIES = 4, 3
SERVICE_CHANGED, DATABASE_HASH = '2A05', '2B2A'
RX, TX = (f'6E40000{number}-B5A3-F393-E0A9-E50E24DCCA9E' for number in (2, 3))  # of nordic-uart.plist
# The ways in which the phone advertises: through bluetoothd, or by the kernel with exact packets.
EXACT = pytest.mark.parametrize('exact', [True], indirect=True, ids=['exact'])
BOTH = pytest.mark.parametrize('exact', [False, True], indirect=True, ids=['bluetoothd', 'exact'])
# The command that starts a phone as root without the kernel's management interface.
WITHOUT_CAPABILITY = ['setpriv', '--bounding-set=-net_admin', '--inh-caps=-net_admin']
COMMAND, STATE = (f'C8B6F0B5-7A37-4B4E-9F0C-6B2B5D1E8A0{number}' for number in (2, 3))  # of smart-lock.plist


async def until_status(stage: Stage, wanted: Callable[[dict], object], what: str, limit: float = 30) -> dict:
    until = time.monotonic() + limit
    while not wanted(status := await stage.status()):
        if time.monotonic() > until:
            raise Failure(f'{what} is not so after {limit:g} s: {json.dumps(status)}')
    return status


async def until_app(stage: Stage, limit: float = 30, **fields) -> dict:
    """The phone's only app, once its status has these."""

    def look(status: dict) -> bool:
        return all(app.get(name) == value for app in status['apps'][:1] for name, value in fields.items())

    return (await until_status(stage, look, f'{fields}', limit))['apps'][0]


async def start_phone(stage: Stage, *words: str) -> Blepera:
    """A phone in a terminal of its own, without apps."""
    phone = await stage.run('system', '--json', *words)
    await phone.until('poweredOn')
    return phone


async def leave(stage: Stage, blepera: Blepera) -> None:
    """Leaves the app: as it now is on the air it will be without it."""
    mark = blepera.mark
    await stage.ask('background')
    await blepera.until('advertising', after=mark, intervalKind='background')


async def until_subscribers(stage: Stage, *wanted: tuple) -> None:
    """Until status says these: address, whether it is awaited, and how many values are kept for it."""

    def look(status: dict) -> bool:
        shown = [(one['central'], one['isAwaited'], one['retainedValues']) for one in status['subscribers']]
        return len(shown) == len(wanted) and all(
            one[: len(want)] == want for one, want in zip(sorted(shown), sorted(wanted), strict=True)
        )

    await until_status(stage, look, f'that the subscribers are {wanted}')


async def kill(stage: Stage, blepera: Blepera) -> None:
    """Kills the app, and not the phone, which knows it then."""
    await blepera.kill()
    await until_app(stage, terminationCause='crash', relaunch='nextEvent')


async def terminate(stage: Stage) -> None:
    """Ends the app as the phone does when memory is short."""
    await stage.ask('terminate')
    await until_app(stage, terminationCause='memoryPressure', relaunch='nextEvent')


async def is_in_time(stage: Stage, took: float, limit: float = LIMIT) -> bool:
    """Within the limit; on a machine with other things to do, where the micro-VM crawls, within the time of four starts of a
    program that does nothing."""
    if took < limit:
        return True
    since = time.monotonic()
    await stage.vm.run(stage.binary, 'rules')
    return took < STARTS * (time.monotonic() - since)


async def answered(stage: Stage, ask: Callable[[], Awaitable], what: str) -> float:
    """The time that an app which does not run takes to answer. The app has three tries."""
    for attempt in range(TRIES):
        if attempt:
            await terminate(stage)
        since = time.monotonic()
        await ask()
        took = time.monotonic() - since
        if await is_in_time(stage, took):
            return took
    raise Failure(f'the answer to {what} took {took:.1f} s, and too long {TRIES - 1} times before')


async def phone_of(stage: Stage, blepera: Blepera) -> int:
    """The process of the phone that `serve` has started last."""

    def look() -> list[str]:
        return re.findall(r'\(process (\d+)', blepera.process.text('err'))

    return int((await blepera.process.until(look, 10, 'the process of the phone'))[-1])


async def until_on_air(
    stage: Stage, wanted: Callable[[frozenset[Packet]], object], mark: int, limit: float = 10
) -> float:
    """When the controller was first instructed to send the packets, after the mark in the record."""
    until = time.monotonic() + limit
    while True:
        for moment in stage.air.record[mark:]:
            if wanted(moment.packets):
                return moment.at
        if time.monotonic() > until:
            raise Failure(
                f'not on the air in {limit:g} s; was: {[set(one.packets) for one in stage.air.record[mark:]]}'
            )
        await asyncio.sleep(0.02)


def sent_of(wanted: Prediction) -> set[tuple[Packet, tuple[int, int]]]:
    """The packets with the intervals; for the rules, which have one interval for all."""
    return {(packet, interval) for packet in wanted.packets for interval in wanted.asked}


async def until_exact(stage: Stage, wanted: Prediction, limit: float = 10) -> None:
    """Until what is wanted is on the air, with its interval and by one advertising set a packet, and nothing else that
    is not another program's."""
    until = time.monotonic() + limit
    while not is_exact(stage, wanted):
        if time.monotonic() > until:
            expected = sent_of(wanted) or 'silence'
            raise Failure(f'on the air is not {expected} after {limit:g} s, but {set(stage.air.sent)}')
        await asyncio.sleep(0.02)


def is_exact(stage: Stage, wanted: Prediction) -> bool:
    ours = [(one.packet, one.interval) for one in stage.air.sent if one.packet not in stage.strangers]
    return len(ours) == len(set(ours)) and set(ours) == sent_of(wanted)


def limitation(status: dict, id: str) -> dict | None:
    return next((one for one in status['limitations'] if one['id'] == id), None)


async def values(subscription: Subscription, wanted: list[bytes]) -> None:
    assert await subscription.take(len(wanted)) == wanted, f'the values of {subscription.name}'


class Undisturbed:
    """Checks that nothing changes for a central: its link stays, and no change of the services is reported to it."""

    def __init__(self, central: Central, changes: Subscription):
        self.central, self.changes = central, changes

    @classmethod
    async def of(cls, central: Central) -> 'Undisturbed':
        changed = central.characteristic(SERVICE_CHANGED)
        return cls(central, await central.subscribe(changed, indications=True))

    def check(self) -> None:
        assert not self.central.lost.is_set(), 'the central has lost its connection'
        assert self.changes.values.qsize() == 0, 'the number of Service Changed indications'


async def log_of(stage: Stage, app: str) -> Process:
    """The output, as it is printed, of an app that the phone has started."""
    path = f'{stage.state}/blepera/default/apps/{app}.log'
    return stage.adopt(await stage.vm.start_program('tail', '-n', '+1', '-F', path)).process
