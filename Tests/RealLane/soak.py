"""Runs the release binary on a real bluetoothd for a long time, while the machine under it misbehaves.

    Scripts/python-of lane Tests/RealLane/soak.py --blepera FILE [--hours 1]

In a micro-VM a central connects, reads, writes, subscribes and leaves, again and again. Between its visits bluetoothd is
stopped, killed and started again, the adapter is switched off and on, the clock is set back and forth by hours, and the
disk of the preserved state is filled and emptied. After each of these the central has to find everything as before.

At the end every write that was acknowledged has been reported, and memory, descriptors and threads of the phone are as
in the beginning (the limits of Tests/Clients/soak.py). The exit status is 1 where they are not.
"""

import argparse
import asyncio
import collections
import itertools
import json
import pathlib
import sys
import tempfile
import time

from blepera_tests.growth import Sample, growth_table
from bumble.core import BaseBumbleError
from cases import every_kind as kind
from rig.bluez import Settings
from rig.errors import Failure, RigError
from rig.stage import Stage
from rig.vm import VM

DISK = '256k'


class Soak:
    def __init__(self, stage: Stage, hours: float):
        self.stage, self.end, self.begin = stage, time.monotonic() + hours * 3600, time.monotonic()
        self.samples: list[Sample] = []
        self.done: collections.Counter[str] = collections.Counter()
        self.failures: collections.Counter[str] = collections.Counter()
        self.last = 'the start'

    async def shell(self, text: str) -> str:
        done = await self.stage.vm.run('sh', '-c', text)
        if done.status:
            raise Failure(f'{text}: {done.text().strip()}')
        return done.text('out')

    # Faults of the machine.

    async def daemon_killed(self) -> None:
        await self.stage.bluez.restart()

    async def daemon_stopped(self) -> None:
        """Each visit comes from a new address, and bluetoothd remembers them all. Here it forgets them: its list, which the
        phone reads at each start, would grow, and the memory for reading it."""
        await self.stage.bluez.stop()
        await self.stage.bluez.forget()
        await self.stage.bluez.start()
        await self.stage.bluez.until_powered()

    async def power_cycle(self) -> None:
        await self.stage.bluez.power(False)
        await self.stage.bluez.power(True)

    async def clock_forward(self) -> None:
        await self.shell('date -s "@$(($(date +%s) + 7200))" >/dev/null')

    async def clock_back(self) -> None:
        await self.shell('date -s "@$(($(date +%s) - 7200))" >/dev/null')

    async def disk_full(self) -> None:
        await self.shell(f'dd if=/dev/zero of={self.stage.state}/filler bs=1k 2>/dev/null; true')

    async def disk_emptied(self) -> None:
        await self.shell(f'rm {self.stage.state}/filler')

    # Activities that run all the time.

    async def visit(self) -> None:
        stage = self.stage
        central = await stage.central()
        try:
            await stage.air.connect(central)
            until = time.monotonic() + 10
            await central.discover()
            while not central.has(kind.ECHO) and time.monotonic() < until:
                await asyncio.sleep(0.2)
                await central.discover()
            echo, counter = central.characteristic(kind.ECHO), central.characteristic(kind.COUNTER)
            subscription = await central.subscribe(counter)
            for number in range(5):
                value = bytes([number, self.done['visits'] & 0xFF])
                await central.write(echo, value)
                self.done['writes'] += 1
                if await central.read(echo) != value:
                    self.failures['another value was read'] += 1
            await subscription.take(2)
            await central.unsubscribe(counter, subscription)
            await central.disconnect()
            self.done['visits'] += 1
        finally:
            stage.air.remove(central)
            stage.centrals.remove(central)

    async def sample(self, phone: int) -> None:
        text = await self.shell(f'grep -E "^(VmRSS|Threads)" /proc/{phone}/status; ls /proc/{phone}/fd | wc -l')
        memory, threads, descriptors = (int(line.split()[1 if ':' in line else 0]) for line in text.splitlines())
        self.samples.append(Sample(memory, descriptors, threads))

    async def run(self) -> int:
        stage = self.stage
        await self.shell(f'mkdir -p {stage.state} && mount -t tmpfs -o size={DISK} tmpfs {stage.state}')
        app = await stage.serve('every-kind', '--no-relaunch')
        phone = int(await self.shell(
            'for one in $(pidof blepera); do grep -qaz "^system$" /proc/$one/cmdline && echo $one; done; true'))
        happenings = [self.daemon_killed, self.disk_full, self.clock_forward, self.disk_emptied, self.power_cycle,
                      self.clock_back, self.daemon_stopped]
        for happens in itertools.cycle(happenings):
            for _ in range(2):
                try:
                    async with asyncio.timeout(60):
                        await self.visit()
                except (Failure, TimeoutError, BaseBumbleError, asyncio.CancelledError) as error:
                    if asyncio.current_task().cancelling():
                        raise
                    self.failures[f'after {self.last}: {type(error).__name__} {error}'[:90]] += 1
            await self.sample(phone)
            if time.monotonic() > self.end or app.process.status is not None:
                break
            await happens()
            self.last = happens.__name__.replace('_', ' ')
            self.done[self.last] += 1
            await asyncio.sleep(1)
        status = json.loads(await stage.ask('status', '--json')) if app.process.status is None else {}
        return self.report(app, status)

    def report(self, app, status: dict) -> int:
        reported, omitted = 0, 0
        for event in app.events:
            reported += event['event'] == 'write'
            omitted += event.get('count', 0) if event['event'] == 'eventsOmitted' else 0
        table, is_level = growth_table(self.samples)
        lost = max(0, self.done['writes'] - reported - omitted)
        is_running = app.process.status is None and bool(status)
        print(f'{(time.monotonic() - self.begin) / 60:.0f} minutes, bluetoothd {self.stage.bluez.version}\n\n{table}\n')
        print(f'Writes done {self.done["writes"]}, reported {reported}, events omitted {omitted}: {lost} lost.')
        print('Done: ' + ', '.join(f'{name} {count}' for name, count in sorted(self.done.items())))
        print('Failures: ' + (', '.join(f'{name} ({count})' for name, count in self.failures.items()) or 'none'))
        if not is_running:
            print(app)
        return 0 if is_running and is_level and not lost and not self.failures else 1


async def soak(binary: pathlib.Path, hours: float, out: pathlib.Path) -> int:
    async with VM(out) as vm:
        stage = Stage(vm, binary)
        await stage.set_up()
        await stage.prepare(Settings(experimental=True))
        try:
            return await Soak(stage, hours).run()
        finally:
            stage.write_logs(out)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--blepera', type=pathlib.Path, required=True)
    parser.add_argument('--hours', type=float, default=1)
    parser.add_argument('--out', type=pathlib.Path, help='where the logs go (default: a new folder)')
    options = parser.parse_args()
    out = (options.out or pathlib.Path(tempfile.mkdtemp(prefix='blepera-soak-'))).resolve()
    out.mkdir(parents=True, exist_ok=True)
    try:
        return asyncio.run(soak(options.blepera.resolve(), options.hours, out))
    except (Failure, RigError) as error:
        print(f'soak: {error}; logs in {out}', file=sys.stderr)
        return 1


if __name__ == '__main__':
    sys.exit(main())
