"""On a stock Debian 12 with the Debian package and nothing else: what README has a reader type, and the units of systemd,
whose phone is killed, and whose machine is cut off.
"""

import json
import re

import pytest
from blepera_tests.paths import ROOT
from machine import Disks, Machine, until
from readme import steps
from rig.advertising import Packet, Prediction
from rig.central import Central, name_of

HASH, MEASUREMENT = '2B2A', '2A37'
AS_PHONE = ['runuser', '-u', 'blepera', '--', 'env', 'XDG_RUNTIME_DIR=/run', 'blepera']
PHONE, APP = 'blepera-system', 'blepera@heart-rate'


async def finds(machine: Machine, is_named: bool) -> Packet:
    """The packet that a central finds, with a name or without."""
    central = await machine.air.central()
    found = await central.next_advertisement(lambda one: one.is_connectable and bool(name_of(one)) == is_named, 60)
    assert found, 'the central finds no phone'
    machine.air.remove(central)
    [packet] = {one.packet for one in machine.air.sent}
    return packet


async def meet(machine: Machine, bonded: Central | None = None) -> Central:
    """Connects a new central, or one that has bonded with the phone, before a loss of power too."""
    central = await machine.air.central(bonded)
    await machine.air.connect(central, bonded=bonded is not None)
    await central.discover()
    return central


async def attributes(machine: Machine) -> tuple:
    """The handle and the UUID of each characteristic, and the Database Hash."""
    central = await meet(machine)
    found = [(one.handle, str(one.uuid)) for service in central.gatt.services for one in service.characteristics]
    value = await central.read(central.characteristic(HASH))
    await leave(machine, central)
    return sorted(found), value


async def status(machine: Machine) -> dict:
    return json.loads(await machine.call(*AS_PHONE, 'status', '--json'))


async def until_state(machine: Machine, *states: str) -> dict:
    """The status once the app is in one of these states; the phone may be about to start."""

    async def look() -> dict | None:
        asked = await machine.run(*AS_PHONE, 'status', '--json')
        found = json.loads(asked.text('out')) if asked.status == 0 else {'apps': []}
        return found if any([app['state'] for app in found['apps']] == [state] for state in states) else None

    return await until(look, f'an app in the state {" or ".join(states)}')


async def exact(machine: Machine, state: str) -> None:
    """Waits for the packets of an iPhone."""
    text = await machine.call('blepera', 'explain', '--exact', '--json', '/etc/blepera/heart-rate.plist')
    wanted = next(Prediction.of(one) for one in json.loads(text)['states'] if one['state'] == state).packets

    async def look() -> bool:
        return {one.packet for one in machine.air.sent} == wanted

    await until(look, f'{wanted} on the air')


async def subscribers(machine: Machine) -> list[tuple[str, bool]]:
    """Each with whether the phone waits until it subscribes again."""
    return [(one['central'], one['isAwaited']) for one in (await status(machine))['subscribers']]


async def leave(machine: Machine, central: Central) -> None:
    await central.disconnect()
    machine.air.remove(central)


async def process_of(machine: Machine, unit: str) -> int:
    return int(await machine.call('systemctl', 'show', '--property', 'MainPID', '--value', unit))


@pytest.fixture(scope='module')
async def machine(disks: Disks):
    async with Machine(disks) as machine:
        yield machine


async def test_the_lines_of_the_readme(machine: Machine):
    """Typed as they stand; a central that is not ours finds the phone in the foreground and in the background."""
    terminal = await machine.log_in()
    await terminal.type('cd blepera')
    missing, found = {}, {}
    for step in steps():
        is_service = step.line.endswith('&')
        shown = await terminal.type(step.line, answer='y' if 'apt install' in step.line else '')
        if is_service:
            await terminal.until_shown(re.sub(r'^\S+ +', '', step.shown[-1]))
            found['foreground'] = await finds(machine, is_named=True)
        elif step.line.startswith('blepera background'):
            found['background'] = await finds(machine, is_named=False)
        if lines := [] if is_service else step.missing(shown):
            missing[step.line] = lines
    assert missing == {}
    assert (found['foreground'].name, len(found['foreground'].services)) == ('Heart Rate', 1)
    assert found['background'].services == [] and found['background'].overflow == 1 << 61
    await terminal.type('blepera quit')
    await terminal.type('blepera shutdown')
    await machine.air.until_silent()


async def test_the_units(machine: Machine, disks: Disks):
    """A phone that is killed or hangs and a machine without power: the same handles, and the subscription of a bonded
    central. A killed app is relaunched by the phone, not by systemd, and one that is launched without an adapter waits for
    it."""
    text = (ROOT / 'docs/exact.md').read_text()
    terminal = await machine.log_in()
    for line in re.findall(r'(?m)^    (sudo (?:install|systemctl) .*blepera.*heart-rate.*)$', text):
        await terminal.type(line)
    await until_state(machine, 'foreground')
    await exact(machine, 'foreground')
    before = await attributes(machine)
    # Long before the loss of power: bluetoothd does not wait until its keys are on the disk.
    bonded = await meet(machine)
    await bonded.pair()
    await leave(machine, bonded)

    for signal in ('KILL', 'STOP'):
        phone = await process_of(machine, PHONE)
        await machine.call('kill', f'-{signal}', phone)

        async def has_started(phone: int = phone) -> bool:
            return await process_of(machine, PHONE) not in (0, phone)

        # The watchdog's 30 seconds, for a phone that is stopped.
        await until(has_started, 'the start of another phone', 90)
        await until_state(machine, 'foreground')
        await exact(machine, 'foreground')
        found = await attributes(machine)
        assert found == before, f'{before} became {found}'
    assert len((await machine.call('pgrep', '-f', 'blepera system')).split()) == 1

    await machine.call('systemctl', 'kill', '--signal', 'KILL', APP)
    await until_state(machine, 'notRunning')
    await exact(machine, 'background')
    bonded = await meet(machine, bonded)
    subscription = await bonded.subscribe(bonded.characteristic(MEASUREMENT))
    assert len(await subscription.next()) == 2
    assert await process_of(machine, APP) == 0
    await leave(machine, bonded)
    since = (await status(machine))['apps'][0]['preservedSince']

    await machine.call(*AS_PHONE, 'lock')
    await machine.cut()
    async with Machine(disks) as machine:  # noqa: PLR1704, the one before has no power
        found = await until_state(machine, 'background', 'suspended')
        assert found['screenLocked'] and found['apps'][0]['preservedSince'] == since

        async def is_on_the_air() -> list[str]:
            return (await status(machine))['air']['overflowServiceUUIDs']

        await until(is_on_the_air, 'the advertisement of the app')
        assert await attributes(machine) == before
        assert await subscribers(machine) == [(bonded.address, True)]
        bonded = await meet(machine, bonded)
        await bonded.subscribe(bonded.characteristic(MEASUREMENT))

        async def has_returned() -> bool:
            return await subscribers(machine) == [(bonded.address, False)]

        await until(has_returned, 'the return of the subscriber')
        await leave(machine, bonded)
        for unit in (PHONE, APP):
            assert await process_of(machine, unit)
        for command in ('unlock', 'foreground'):
            await machine.call(*AS_PHONE, command)
        await exact(machine, 'foreground')

        await machine.air.unplug()
        await machine.call('systemctl', 'restart', APP)
        assert 'waiting until it is on' in await machine.call('journalctl', '--unit', APP, '--output', 'cat')
        await machine.air.plug()
        await exact(machine, 'foreground')
