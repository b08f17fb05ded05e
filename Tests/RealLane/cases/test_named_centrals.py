"""Updates for one of several subscribers, and who of them unsubscribes."""

import asyncio
import json

import pytest
from blepera_tests.paths import ROOT
from rig.central import Central, Subscription
from rig.process import Process
from rig.stage import Stage

from .phone import start_phone, values
from .test_applink import SWITCH

ALONE, ALL, TURNS = range(1, 4)  # of the app
COUNT = 4
ISSUE = 'bluetoothd sends an update to all subscribers before 5.76'
pytestmark = pytest.mark.by_release(ISSUE)


class Lamp:
    """The app, and the centrals that are subscribed to it."""

    def __init__(self, stage: Stage, process: Process):
        self.stage, self.process = stage, process

    @classmethod
    async def start(cls, stage: Stage) -> 'Lamp':
        if stage.minor < 76:
            pytest.skip(ISSUE)
        await start_phone(stage)
        program = await stage.vm.start_program('python3', '-IS', ROOT / 'Tests/RealLane/apps/updating_lamp.py')
        process = stage.adopt(program).process
        await process.until(lambda: 'didStartAdvertising' in process.text(), 10, 'the lamp on the air')
        return cls(stage, process)

    def received(self, message: str) -> list[dict]:
        lines = [json.loads(line.text) for line in self.process.lines if line.stream == 'out']
        callbacks = [line['peripheral']['callback'] for line in lines if 'peripheral' in line]
        return [callback[message] for callback in callbacks if message in callback]

    async def until(self, message: str, count: int) -> list[dict]:
        await self.process.until(lambda: len(self.received(message)) >= count, 10, f'{message} number {count}')
        return self.received(message)

    async def meet(self) -> tuple[Central, Subscription]:
        central = await self.stage.meet()
        return central, await self.subscribe(central)

    async def subscribe(self, central: Central) -> Subscription:
        count = len(self.received('didSubscribe'))
        subscription = await central.subscribe(central.characteristic(SWITCH))
        await self.until('didSubscribe', count + 1)
        return subscription


async def write(central: Central, *value: int) -> None:
    await central.write(central.characteristic(SWITCH), bytes(value))


async def test_one_is_notified(stage: Stage):
    """An update for one of two is received by that one alone, and in its order with those for both."""
    lamp = await Lamp.start(stage)
    (first, to_first), (second, to_second) = [await lamp.meet() for _ in range(2)]
    for number, (central, subscription) in enumerate([(first, to_first), (second, to_second)]):
        await write(central, ALONE, number)
        await values(subscription, [bytes([ALONE, number])])
    await write(first, ALL, 9)
    for subscription in (to_first, to_second):
        await values(subscription, [bytes([ALL, 9])])
    # A central has room for four updates until its connection event, 30 ms after the first.
    await asyncio.sleep(0.1)
    await write(second, TURNS)
    await values(to_second, [bytes([TURNS, number]) for number in range(COUNT)])
    await values(to_first, [bytes([TURNS, number]) for number in range(0, COUNT, 2)])
    assert all(answer['queued'] for answer in lamp.received('didUpdateValue')), 'an update was refused'


async def test_one_unsubscribes(stage: Stage):
    """It is reported while the other stays subscribed, and so is its subscription after that."""
    lamp = await Lamp.start(stage)
    (first, to_first), (second, to_second) = [await lamp.meet() for _ in range(2)]
    ids = [message['central']['id'] for message in lamp.received('didSubscribe')]
    for central, subscription, name in ((first, to_first, ids[0]), (second, to_second, ids[1])):
        await central.unsubscribe(central.characteristic(SWITCH), subscription)
        messages = await lamp.until('didUnsubscribe', ids.index(name) + 1)
        assert messages[-1]['central']['id'] == name, 'who has unsubscribed'
        again = await lamp.subscribe(central)
        await write(central, ALONE, 1)
        await values(again, [bytes([ALONE, 1])])


@pytest.mark.limit(180)
async def test_one_leaves(stage: Stage):
    """bluetoothd ends the stream of the oldest subscriber when another one leaves: that one stays subscribed, and is
    notified alone again once it has subscribed again."""
    lamp = await Lamp.start(stage)
    (first, to_first), (second, _), (third, to_third) = [await lamp.meet() for _ in range(3)]
    ids = [message['central']['id'] for message in lamp.received('didSubscribe')]
    await second.disconnect()
    messages = await lamp.until('didUnsubscribe', 1)
    await asyncio.sleep(1)
    assert [message['central']['id'] for message in messages] == [ids[1]], 'who is not subscribed any more'
    await write(third, ALONE, 1)
    await values(to_third, [bytes([ALONE, 1])])
    await write(third, ALL, 2)
    for subscription in (to_first, to_third):
        await values(subscription, [bytes([ALL, 2])])
    await write(first, ALONE, 3)
    answers = await lamp.until('didUpdateValue', 3)
    assert 'another subscriber' in answers[2].get('error', ''), 'an update for one without a stream'
    await first.unsubscribe(first.characteristic(SWITCH), to_first)
    again = await first.subscribe(first.characteristic(SWITCH))
    await asyncio.sleep(1)
    await write(first, ALONE, 4)
    await values(again, [bytes([ALONE, 4])])
    assert to_third.values.empty(), 'what the other has received'
    await third.disconnect()
    messages = await lamp.until('didUnsubscribe', 2)
    await asyncio.sleep(1)
    assert [message['central']['id'] for message in lamp.received('didUnsubscribe')] == [ids[1], ids[2]]
    await write(first, ALONE, 5)
    await values(again, [bytes([ALONE, 5])])
