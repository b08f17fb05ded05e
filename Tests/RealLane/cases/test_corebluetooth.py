"""An iOS app's own code: `examples/ios-app`, written against Core Bluetooth, as a process on the phone."""

import asyncio

import pytest
from blepera_tests.paths import ROOT
from bumble.att import ATT_Error
from rig.central import Central
from rig.errors import Failure
from rig.process import Process
from rig.stage import Stage

from .phone import log_of, start_phone, until_app, values

DOOR_KEY = ROOT / '.build/release/door-key'
INFO = ROOT / 'examples/ios-app/Sources/door-key/Info.plist'
SERVICE, COMMAND, STATE = (f'8E7F1A1{number}-4B0C-4E1B-9B6B-6B1C2D3E4F50' for number in range(3))
LOCKED, UNLOCKED = b'\0', b'\1'


async def start_door(stage: Stage) -> Process:
    if not DOOR_KEY.exists():
        pytest.fail('make example-apps', pytrace=False)
    program = await stage.vm.start_program(DOOR_KEY, env={'BLEPERA_INFO_PLIST': str(INFO)})
    door = stage.adopt(program).process
    await door.until(lambda: 'advertising' in door.text(), 20, 'the door on the air')
    return door


async def process_state(stage: Stage, process: int) -> str:
    """The letter of proc(5): S while it waits, T while it is stopped."""
    done = await stage.vm.run('cat', f'/proc/{process}/stat')
    return done.text('out').rpartition(')')[2].split()[0]


async def until_process(stage: Stage, process: int, state: str) -> None:
    for _ in range(50):
        if (found := await process_state(stage, process)) == state:
            return
        await asyncio.sleep(0.1)
    raise Failure(f'process {process} is in state {found} and not {state}')


async def meet_paired(stage: Stage) -> Central:
    """A central that is turned away before it is paired."""
    central = await stage.meet()
    with pytest.raises(ATT_Error):
        await central.write(central.characteristic(COMMAND), UNLOCKED)
    await central.pair()
    return central


async def test_door_is_opened_suspended_killed_and_restored(stage: Stage):
    await start_phone(stage)
    door = await start_door(stage)
    central = await meet_paired(stage)
    command, state = central.characteristic(COMMAND), central.characteristic(STATE)
    assert await central.read(state) == LOCKED
    subscription = await central.subscribe(state)
    await values(subscription, [LOCKED])
    await central.write(command, UNLOCKED)
    await values(subscription, [UNLOCKED])

    await stage.ask('background')
    await until_app(stage, state='background')
    await stage.ask('suspend')
    await until_app(stage, state='suspended')
    await until_process(stage, door.pid, 'T')
    await central.write(command, LOCKED)
    await values(subscription, [LOCKED])
    assert await process_state(stage, door.pid) in 'SR', 'the woken process'

    await door.kill()
    await until_app(stage, terminationCause='crash')
    log = await log_of(stage, 'org.example.door')
    await central.write(command, UNLOCKED)
    await values(subscription, [UNLOCKED])
    await log.until(lambda: 'unlocked' in log.text('out'), 10, 'the log of the relaunched door')
    lines = [line.text for line in log.lines if line.stream == 'out']
    assert lines[:3] == ['restored with 1 subscribers', 'powered on', 'unlocked'], 'the callbacks of the relaunched app'
    await stage.ask('quit')  # the relaunched process is not the case's, and would wait for the next phone


async def test_app_starts_the_phone(stage: Stage):
    """The first manager starts a phone if none runs; the phone ends after the app."""
    env = {'BLEPERA_INFO_PLIST': str(INFO), 'BLEPERA_PROGRAM': str(stage.binary)}
    program = await stage.vm.start_program(DOOR_KEY, env=env)
    door = stage.adopt(program).process
    await door.until(lambda: 'advertising' in door.text(), 30, 'the door on the air')
    status = await stage.status()
    assert [app['identifier'] for app in status['apps']] == ['org.example.door']
    await stage.ask('quit')
    await door.wait(10)
    assert door.status == 137, 'the status of an app that was quit'
