"""An app that is not written in Swift: a lamp in Python, over AppLink's socket."""

import asyncio
import json
import uuid

from blepera_tests.paths import ROOT
from rig.stage import Stage

from .phone import log_of, start_phone, until_app, values

SWITCH = 'B7E10002-6F0A-4E0C-9A55-3C1D7E8B9F20'


def content(message: dict) -> dict:
    """A message about the app, or the callback of its manager."""
    return message['peripheral']['callback'] if 'peripheral' in message else message


def name(message: dict) -> str:
    return next(iter(content(message)))


async def test_app_in_python_is_relaunched(stage: Stage):
    """The app receives its own state, the restored state, the radio's state, then the write, in this order (R9)."""
    await start_phone(stage)
    program = await stage.vm.start_program('python3', '-IS', ROOT / 'Tests/RealLane/apps/lamp.py')
    lamp = stage.adopt(program).process
    await lamp.until(lambda: 'didStartAdvertising' in lamp.text(), 10, 'the lamp on the air')
    messages = [name(json.loads(line.text)) for line in lamp.lines if line.stream == 'out']
    wanted = ['welcome', 'didChangeState', 'didChangeState', 'didUpdateState', 'didAddService', 'didStartAdvertising']
    assert messages == wanted, 'the first messages'
    central = await stage.meet()
    switch = central.characteristic(SWITCH)
    subscription = await central.subscribe(switch)
    await central.write(switch, b'\1')
    await values(subscription, [b'\1'])
    await lamp.kill()
    await until_app(stage, terminationCause='crash')
    log = await log_of(stage, 'org.example.lamp')
    await central.write(switch, b'\0')
    await values(subscription, [b'\0'])
    await log.until(lambda: 'didUpdateValue' in log.text('out'), 10, 'the log of the relaunched lamp')
    messages = [json.loads(line.text) for line in log.lines if line.stream == 'out']
    wanted = ['welcome', 'didChangeState', 'willRestoreState', 'didUpdateState', 'didReceiveWrite', 'didUpdateValue']
    assert [name(one) for one in messages] == wanted, 'the messages after the relaunch'
    assert messages[1] == {'didChangeState': {'state': 'background'}}, 'its state'
    state = content(messages[2])['willRestoreState']['state']
    assert state['advertisement']['localName'] == 'Lamp', 'what is restored of the advertisement'
    [service] = state['services']
    assert [one['uuid'] for one in service['service']['characteristics']] == [str(switch.uuid)], 'what is restored'
    [subscribed] = service['subscriptions']
    [restored] = [one['id'] for one in subscribed['centrals']]
    assert str(uuid.UUID(restored)).upper() == restored, 'the subscriber that is restored'
    assert content(messages[3]) == {'didUpdateState': {'state': 5}}, 'the state of the radio'
    assert content(messages[4])['didReceiveWrite']['requests'][0]['value'] == [0], 'the write'


async def test_process_of_a_suspended_app_is_stopped(stage: Stage):
    """An app that ignores its suspension makes no progress until it is woken, where the phone has launched it."""
    await start_phone(stage)
    program = await stage.vm.start_program('python3', '-IS', ROOT / 'Tests/RealLane/apps/counting_lamp.py')
    lamp = stage.adopt(program).process
    await lamp.until(lambda: 'didStartAdvertising' in lamp.text(), 10, 'the lamp on the air')
    central = await stage.meet()
    switch = central.characteristic(SWITCH)
    subscription = await central.subscribe(switch)
    await lamp.kill()
    await until_app(stage, terminationCause='crash')
    log = await log_of(stage, 'org.example.lamp')
    await central.write(switch, b'\1')
    await values(subscription, [b'\1'])
    await log.until(lambda: log.text('out').count('count') > 3, 10, 'the counter of the relaunched lamp')
    await stage.ask('suspend')
    await until_app(stage, state='suspended')
    await asyncio.sleep(2)  # `tail` looks once a second
    counted = log.text('out').count('count')
    await asyncio.sleep(2)
    assert log.text('out').count('count') == counted, 'the counter while the app is suspended'
    await central.write(switch, b'\0')
    await values(subscription, [b'\0'])
    await log.until(lambda: log.text('out').count('count') > counted + 3, 10, 'the counter of the woken app')
