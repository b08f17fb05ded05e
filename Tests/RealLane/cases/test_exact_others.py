"""Exact packets beside advertisements of other programs, by the management interface and through bluetoothd: nobody
else's is changed, and where no instance is free for ours, bluetoothd advertises, and `status` says so."""

import asyncio
import sys
import time

import pytest
from blepera_tests.paths import ROOT
from rig.advertising import Packet
from rig.air import Sent
from rig.errors import Failure
from rig.process import Process
from rig.stage import Stage

from .phone import EXACT, limitation, until_exact, until_status

pytestmark = EXACT
OTHER = ROOT / 'Tests/RealLane/apps/other_advertisement.py'
NAME = 'heart-rate'
SETTLING = 0.5


class Strangers:
    """What other programs send."""

    def __init__(self, stage: Stage):
        self.stage, self.mark = stage, len(stage.air.record)
        self.sent: dict[int, Sent] = {}

    def adopt(self, sent: Sent) -> None:
        self.sent[sent.handle] = sent
        self.stage.strangers.add(sent.packet)

    async def add(self, number: int) -> None:
        """Adds an instance as btmgmt does, which the kernel lists only where there are as many others below it."""
        data = bytes.fromhex('06 FF FF FF 0B 0C') + bytes([number])
        answer = await self.stage.btmgmt('add-adv', '-c', '-d', data.hex(), str(number))
        assert f'Instance added: {number}' in answer, answer
        self.adopt(await self.until_sent(lambda one: data in one.packet.data, f'instance {number}'))

    async def register(self, program: Process, name: str) -> None:
        """Waits until bluetoothd advertises for the other program."""
        self.adopt(await self.until_sent(lambda one: name.encode() in one.packet.data + one.packet.response, name))
        assert 'refused' not in program.text(), program.text()

    async def until_sent(self, wanted, what: str) -> Sent:
        for _ in range(200):
            if found := next((one for one in self.stage.air.sent if wanted(one)), None):
                return found
            await asyncio.sleep(0.02)
        raise Failure(f'{what} is not on the air; there is {set(self.stage.air.sent)}')

    def forget(self, handle: int) -> None:
        self.stage.strangers.discard(self.sent.pop(handle).packet)

    async def check(self, what: str) -> None:
        """All are on the air, and none was ever sent with the data of another."""
        await asyncio.sleep(SETTLING)
        assert set(self.sent.values()) <= self.stage.air.sent, f'the advertisements of others {what}'
        for moment in self.stage.air.record[self.mark :]:
            for one in moment.sent:
                known = self.sent.get(one.handle)
                assert known in (None, one) or one.packet not in self.ours, f'{one} in place of {known}, {what}'

    ours: frozenset[Packet] = frozenset()


async def strange(stage: Stage, *names: str) -> Strangers:
    others = Strangers(stage)
    predicted = await stage.explain(*names)
    others.ours = frozenset().union(*(one.packets for one in predicted.values()))
    return others


async def toggle(stage: Stage, others: Strangers, what: str) -> None:
    predicted = await stage.explain(NAME)
    for state in ('background', 'foreground'):
        await stage.ask(state)
        await until_exact(stage, predicted[state])
    await others.check(what)


async def test_hidden_instance(stage: Stage):
    """A stranger has instance 3 alone, which the kernel does not list; then 1, too; and ours ends."""
    others = await strange(stage, NAME)
    front = (await stage.explain(NAME))['foreground']
    await others.add(3)
    blepera = await stage.serve(NAME)
    await until_exact(stage, front)
    await others.check('when ours begins')
    await toggle(stage, others, 'when ours has changed')
    await others.add(1)
    await toggle(stage, others, 'with one more')
    assert not limitation(await stage.status(), 'exact')
    await blepera.interrupt()  # the phone ends with its last app
    await others.check('when the phone has ended')
    assert stage.air.sent == set(others.sent.values()), 'what is on the air at last'


async def test_no_instance_is_free(stage: Stage):
    """bluetoothd advertises and `status` says why; once one is free, the kernel does."""
    others = await strange(stage, NAME)
    front = (await stage.explain(NAME))['foreground']
    for number in (3, 2, 1):
        await others.add(number)
    await stage.serve(NAME)
    others.forget(1)  # bluetoothd takes the lowest number without asking whether it is free
    status = await until_status(stage, lambda status: limitation(status, 'exact'), 'the limitation', 5)
    assert 'instance' in limitation(status, 'exact')['instead'], status
    assert sum(limitation(status, 'exact')['instead'] in one for one in status['warnings']) <= 1, status['warnings']
    await others.check('while bluetoothd advertises')
    await stage.btmgmt('rm-adv', '3')
    others.forget(3)
    await until_exact(stage, front)
    await others.check('with exact packets')
    assert not limitation(await stage.status(), 'exact'), 'the limitation, once an instance is free'


async def test_other_programs_of_bluetoothd(stage: Stage):
    """bluetoothd takes the numbers from 1 on, whatever the kernel has: ours is not where it needs the next one."""
    others = await strange(stage, NAME)
    predicted = await stage.explain(NAME)
    programs = [await stage.vm.start_program(sys.executable, OTHER, 'before')]
    await others.register(programs[0], 'before')
    await stage.serve(NAME)
    await until_exact(stage, predicted['foreground'])
    await toggle(stage, others, 'of bluetoothd before ours')
    programs.append(await stage.vm.start_program(sys.executable, OTHER, 'between'))
    await others.register(programs[1], 'between')
    # Its next would be ours; so bluetoothd has the third for us.
    await until_status(stage, lambda status: limitation(status, 'exact'), 'the limitation', 5)
    await others.until_sent(lambda one: one.handle == 3 and one.packet not in others.ours, 'ours through bluetoothd')
    await others.check('while bluetoothd advertises for us')
    late = await stage.vm.start_program(sys.executable, OTHER, 'after')
    await late.until(lambda: late.text(), 10, 'the answer of bluetoothd')
    assert 'refused' in late.text(), late.text()
    await late.kill()
    await programs.pop().kill()
    others.forget(next(handle for handle, one in others.sent.items() if b'between' in one.packet.data + one.packet.response))
    await until_exact(stage, predicted['foreground'])
    await others.check('with exact packets again')
    await programs.pop().kill()
