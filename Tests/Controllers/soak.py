"""Runs the phone at RootCanal for a long time, and looks at what phone and app keep.

    Scripts/python-of lane Tests/Controllers/soak.py --blepera FILE [--minutes 20]

Two of Bumble's centrals connect, read, write, subscribe and leave, again and again, each by itself; the second has paired in
its first connection, and encrypts the others. Meanwhile the app moves to the background and back, is suspended and woken,
and the phone's Bluetooth is switched off and on.

At the end every write that was acknowledged is reported, and memory, descriptors and threads of phone and app are as in the
beginning (the limits of Tests/Clients/soak.py). The exit status is 1 where they are not.
"""

import argparse
import asyncio
import collections
import os
import pathlib
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / 'RealLane'))

from blepera_tests.growth import Sample, growth_table
from bumble.core import BaseBumbleError
from cases import every_kind as kind
from controllers import RootCanal
from rig.blepera import Blepera
from rig.central import Central
from rig.errors import Failure
from stage import Stage, stage_at

SAMPLE = 5  # seconds
MOVES = [['background'], ['foreground'], ['background'], ['suspend'], ['foreground'], ['bluetooth', 'off'], ['bluetooth', 'on']]
PAUSE = 3  # seconds between two of these


def measure(process: int) -> Sample:
    status = pathlib.Path(f'/proc/{process}/status').read_text()
    values = dict(line.split(':', 1) for line in status.splitlines())
    descriptors = len(os.listdir(f'/proc/{process}/fd'))
    return Sample(int(values['VmRSS'].split()[0]), descriptors, int(values['Threads']))


class Soak:
    def __init__(self, stage: Stage, minutes: float):
        self.stage, self.end, self.begin = stage, time.monotonic() + minutes * 60, time.monotonic()
        self.samples: dict[str, list[Sample]] = {'phone': [], 'app': []}
        self.done: collections.Counter[str] = collections.Counter()
        self.failures: collections.Counter[str] = collections.Counter()
        self.is_on = asyncio.Event()
        self.is_bonded = False
        self.connecting = asyncio.Lock()

    @property
    def is_over(self) -> bool:
        return time.monotonic() > self.end

    async def visits(self, central: Central, pairs: bool) -> None:
        while not self.is_over:
            await self.is_on.wait()
            try:
                async with asyncio.timeout(60):
                    await self.visit(central, pairs)
            except (Failure, TimeoutError, BaseBumbleError, asyncio.CancelledError) as error:
                if asyncio.current_task().cancelling():
                    raise
                # Bluetooth that is switched off ends every link.
                if self.is_on.is_set() and not central.lost.is_set():
                    self.failures[f'{type(error).__name__} {error}'[:90]] += 1
                self.done['visits that an end of the link has cut'] += 1

    async def visit(self, central: Central, pairs: bool) -> None:
        # RootCanal connects two centrals that begin at the same time over one link, and each receives what the other does.
        async with self.connecting:
            await central.connect(await self.stage.find(central))
        await central.discover()
        if pairs and self.is_bonded:
            await central.connection.encrypt()
        elif pairs:
            await central.pair()
            self.is_bonded = True
        echo, counter = central.characteristic(kind.ECHO), central.characteristic(kind.COUNTER)
        subscription = await central.subscribe(counter)
        for number in range(5):
            value = bytes([number, self.done['visits'] & 0xFF])
            await central.write(echo, value)
            self.done['writes'] += 1
            await central.read(echo)
        await subscription.take(2)
        await central.unsubscribe(counter, subscription)
        await central.disconnect()
        self.done['visits'] += 1

    async def moves(self) -> None:
        number = 0
        while not self.is_over:
            word, *more = MOVES[number % len(MOVES)]
            if more == ['off']:
                self.is_on.clear()
            await self.stage.ask(word, *more)
            if more == ['on']:
                self.is_on.set()
            self.done[' '.join([word, *more])] += 1
            number += 1
            await asyncio.sleep(PAUSE)
        await self.stage.ask('bluetooth', 'on')
        self.is_on.set()

    async def sampling(self, processes: dict[str, int]) -> None:
        while not self.is_over:
            await asyncio.sleep(SAMPLE)
            for name, process in processes.items():
                self.samples[name].append(measure(process))

    async def run(self) -> int:
        phone = await self.stage.system()
        app = await self.stage.serve('every-kind')
        centrals = [await self.stage.central() for _ in range(2)]
        self.is_on.set()
        await asyncio.gather(
            *(self.visits(central, pairs=number == 1) for number, central in enumerate(centrals)),
            self.moves(), self.sampling({'phone': phone.process.pid, 'app': app.process.pid}))
        await asyncio.sleep(1)
        return self.report(phone, app)

    def report(self, phone: Blepera, app: Blepera) -> int:
        reported, omitted = 0, 0
        for event in phone.events:
            reported += event['event'] == 'write'
            omitted += event.get('count', 0) if event['event'] == 'eventsOmitted' else 0
        print(f'{(time.monotonic() - self.begin) / 60:.0f} minutes')
        is_good = phone.process.status is None and app.process.status is None
        for name, samples in self.samples.items():
            table, is_level = growth_table(samples)
            is_good = is_good and is_level
            print(f'\n{name}\n\n{table}')
        lost = max(0, self.done['writes'] - reported - omitted)
        print(f'\nWrites done {self.done["writes"]}, reported {reported}, events omitted {omitted}: {lost} lost.')
        print('Done: ' + ', '.join(f'{name} {count}' for name, count in sorted(self.done.items())))
        print('Failures: ' + (', '.join(f'{name} ({count})' for name, count in self.failures.items()) or 'none'))
        return 0 if is_good and not lost and not self.failures else 1


async def soak(blepera: str, minutes: float) -> int:
    async with stage_at(blepera, lambda *_: RootCanal()) as stage:
        return await Soak(stage, minutes).run()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--blepera', required=True)
    parser.add_argument('--minutes', type=float, default=20)
    options = parser.parse_args()
    return asyncio.run(soak(os.path.abspath(options.blepera), options.minutes))


if __name__ == '__main__':
    sys.exit(main())
