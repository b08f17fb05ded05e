"""Exact packets beside advertisements of other programs, by the management interface and through bluetoothd: nobody
else's is changed, and where no instance is free for ours, bluetoothd advertises, and `status` says so."""

import asyncio
import sys
import time
from collections.abc import Callable

from blepera_tests.paths import ROOT
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
    """The packets of other programs, by the handle of the set, with the time since when."""

    def __init__(self, stage: Stage):
        self.stage = stage
        self.sent: dict[int, tuple[Sent, int]] = {}

    async def add(self, number: int) -> None:
        """Adds an instance as btmgmt does, which the kernel lists only where there are as many others below it."""
        data = bytes.fromhex('06 FF FF FF 0B 0C') + bytes([number])
        answer = await self.stage.btmgmt('add-adv', '-c', '-d', data.hex(), str(number))
        assert f'Instance added: {number}' in answer, answer
        await self.adopt(data, f'instance {number}')

    async def register(self, name: str) -> Process:
        """A program for which bluetoothd advertises this name."""
        program = await self.stage.vm.start_program(sys.executable, OTHER, name)
        await program.until(lambda: program.text(), 10, 'the answer of bluetoothd')
        assert program.text().strip() == 'registered', program.text()
        await self.adopt(name.encode(), name)
        return program

    async def adopt(self, part: bytes, what: str) -> None:
        sent = await until_sent(self.stage, lambda one: part in one.packet.data + one.packet.response, what)
        self.sent[sent.handle] = (sent, len(self.stage.air.record) - 1)
        self.stage.strangers.add(sent.packet)

    def forget(self, part: bytes) -> None:
        [handle] = [n for n, (one, _) in self.sent.items() if part in one.packet.data + one.packet.response]
        self.stage.strangers.discard(self.sent.pop(handle)[0].packet)

    async def check(self, what: str) -> None:
        """All are on the air, and their sets have never sent anything else."""
        await asyncio.sleep(SETTLING)
        for handle, (sent, mark) in self.sent.items():
            assert sent in self.stage.air.sent, f'what is on the air {what}'
            seen = {one for moment in self.stage.air.record[mark:] for one in moment.sent if one.handle == handle}
            assert seen == {sent}, f'what was sent {what}'


async def until_sent(stage: Stage, wanted: Callable[[Sent], bool], what: str, limit: float = 5) -> Sent:
    until = time.monotonic() + limit
    while time.monotonic() < until:
        if found := next(filter(wanted, stage.air.sent), None):
            return found
        await asyncio.sleep(0.02)
    raise Failure(f'{what} is not on the air after {limit:g} s, but {set(stage.air.sent)}')


async def toggle(stage: Stage, others: Strangers, what: str) -> None:
    predicted = await stage.explain(NAME)
    for state in ('background', 'foreground'):
        await stage.ask(state)
        await until_exact(stage, predicted[state])
    await others.check(what)


async def test_hidden_instance(stage: Stage):
    """A stranger has instance 3 alone, which the kernel does not list; then 1, too; and ours ends."""
    others = Strangers(stage)
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
    assert len(stage.air.sent) == len(others.sent), f'what is on the air at last: {set(stage.air.sent)}'


async def test_no_instance_is_free(stage: Stage):
    """bluetoothd advertises and `status` says why; once one is free, the kernel does."""
    others = Strangers(stage)
    front = (await stage.explain(NAME))['foreground']
    for number in (3, 2, 1):
        await others.add(number)
    await stage.serve(NAME)
    others.forget(bytes([0x0B, 0x0C, 1]))  # bluetoothd takes the lowest number without asking whether it is free
    status = await until_status(stage, lambda status: limitation(status, 'exact'), 'the limitation', 5)
    reason = limitation(status, 'exact')['instead']
    assert 'instance' in reason and [reason in one for one in status['warnings']].count(True) == 1, status
    await others.check('while bluetoothd advertises')
    await stage.btmgmt('rm-adv', '3')
    others.forget(bytes([0x0B, 0x0C, 3]))
    await until_exact(stage, front)
    await others.check('with exact packets')
    assert not limitation(await stage.status(), 'exact'), 'the limitation, once an instance is free'


async def test_ours_moves(stage: Stage):
    """Ours has 2, as 3 is a stranger's, who ends; bluetoothd then needs 2 next, and ours moves to 3."""
    others = Strangers(stage)
    front = (await stage.explain(NAME))['foreground']
    await others.add(3)
    await stage.serve(NAME)
    ours = await until_sent(stage, lambda one: {one.packet} == front.packets, 'ours')
    assert ours.handle == 2, ours
    await stage.btmgmt('rm-adv', '3')
    others.forget(bytes([0x0B, 0x0C, 3]))
    first = await others.register('first')
    await until_sent(stage, lambda one: {one.packet} == front.packets and one.handle == 3, 'ours')
    second = await others.register('second')  # has 2
    await others.check('beside ours, which has moved')
    await first.kill()
    await second.kill()


async def test_other_programs_of_bluetoothd(stage: Stage):
    """bluetoothd takes the numbers from 1 on, whatever the kernel has: ours is not where it needs the next one."""
    others = Strangers(stage)
    predicted = await stage.explain(NAME)
    before = await others.register('before')
    await stage.serve(NAME)
    await until_exact(stage, predicted['foreground'])
    await toggle(stage, others, 'of bluetoothd before ours')
    between = await others.register('between')
    # The next instance of bluetoothd would be the phone's, so bluetoothd has the third for the phone.
    await until_status(stage, lambda status: limitation(status, 'exact'), 'the limitation', 5)
    packets = {packet for one in predicted.values() for packet in one.packets}
    await until_sent(stage, lambda one: one.handle == 3 and one.packet not in packets, 'ours through bluetoothd')
    await others.check('while bluetoothd advertises for us')
    late = await stage.vm.start_program(sys.executable, OTHER, 'after')
    await late.until(lambda: late.text(), 10, 'the answer of bluetoothd')
    assert 'refused' in late.text(), late.text()
    await late.kill()
    others.forget(b'between')
    await between.kill()
    await until_exact(stage, predicted['foreground'])
    await others.check('with exact packets again')
    await before.kill()
