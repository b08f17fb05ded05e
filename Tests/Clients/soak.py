"""Runs the release binary for a long time with everything at the same time, and looks at what it keeps.

    Scripts/python-of clients Tests/Clients/soak.py --blepera FILE [--hours 1]

A lab has two phones on the air and a third, `blepera system`, on its bus. Meanwhile
- a central (Bleak) connects to a phone, reads, writes, subscribes and leaves, again and again;
- the phones go to the background and back, are locked and unlocked, suspended, and rebooted;
- the app of the third phone is killed and started again; the phone too, every tenth time;
- a crowd takes all the connections that a phone's socket has;
- one watcher reads all events, and another never reads any.

At the end no event is lost that was not reported as omitted, and memory, descriptors and threads of the lab are as in
the beginning: the mean of the last quarter is at most 2 % above that of the second. Prints a table, and its exit status
is 1 where something grew or was lost.
"""

import argparse
import asyncio
import collections
import contextlib
import json
import os
import pathlib
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from blepera_tests.growth import Sample, growth_table

ROOT = pathlib.Path(__file__).resolve().parents[2]
PHONE = '00:AA:01:00:00:02'  # the first after the two adapters of the command
EVERY_KIND = ROOT / 'Tests/RealLane/profiles/every-kind.plist'
HEART_RATE = ROOT / 'profiles/heart-rate.plist'
LOCK = ROOT / 'profiles/smart-lock.plist'
LONG_READ, ECHO = (f'b1e9e2a0-0000-4000-8000-0000000000{number}' for number in ('11', '12'))
SAMPLE = 5  # seconds


class Watched:
    """A program whose lines are counted and not kept."""

    def __init__(self, *words: str, env: dict[str, str], **options):
        self.process = subprocess.Popen(
            words, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
        self.counts: collections.Counter[str] = collections.Counter()
        self.omitted = 0
        self.last: collections.deque[str] = collections.deque(maxlen=20)
        self.settings: dict[str, str] = {}
        self.ready = threading.Event()
        self.readers = [threading.Thread(target=self.read, args=[stream], daemon=True)
                        for stream in (self.process.stdout, self.process.stderr)]
        for reader in self.readers:
            reader.start()

    def read(self, stream) -> None:
        for line in stream:
            if line.startswith('{'):
                event = json.loads(line)
                self.counts[event['event']] += 1
                self.omitted += event.get('count', 0) if event['event'] == 'eventsOmitted' else 0
                if event['event'] == 'advertising':
                    self.ready.set()
            else:
                self.last.append(line)
                if line.startswith('export '):
                    self.settings = dict(word.split('=', 1) for word in shlex.split(line)[1:])

    def end(self, number: int = signal.SIGINT) -> int:
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(number)
        status = self.process.wait(30)
        for reader in self.readers:
            reader.join(10)
        return status


def measure(process: int) -> Sample:
    status = pathlib.Path(f'/proc/{process}/status').read_text()
    values = dict(line.split(':', 1) for line in status.splitlines())
    descriptors = len(os.listdir(f'/proc/{process}/fd'))
    return Sample(int(values['VmRSS'].split()[0]), descriptors, int(values['Threads']))


class Soak:
    def __init__(self, blepera: str, hours: float, folder: str):
        self.blepera, self.end = blepera, time.monotonic() + hours * 3600
        self.base = {**os.environ, 'BLEPERA_STATE_DIR': folder, 'XDG_RUNTIME_DIR': folder}
        self.begin = time.monotonic()
        words = ['lab', '--json', '--public-address', '--experimental', '--adapters', '2']
        self.lab = Watched(blepera, *words, '--serve', str(EVERY_KIND), '--serve', str(HEART_RATE), env=self.base)
        for _ in range(400):
            if self.lab.settings and self.lab.ready.is_set():
                break
            time.sleep(0.05)
        self.inside = {**self.base, **self.lab.settings}
        os.environ.update(self.lab.settings)
        self.names = self.lab.settings['BLEPERA_PHONES'].split()
        self.samples: list[Sample] = []
        self.done: collections.Counter[str] = collections.Counter()
        self.errors: collections.Counter[str] = collections.Counter()

    @property
    def is_over(self) -> bool:
        return time.monotonic() > self.end

    async def command(self, *words: str) -> bool:
        process = await asyncio.create_subprocess_exec(
            self.blepera, *words, env=self.inside, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        _, errors = await process.communicate()
        self.done[words[0]] += 1
        if process.returncode:
            self.errors[f'{words[0]}: {errors.decode().strip()[:60]}'] += 1
        return process.returncode == 0

    async def central(self) -> None:
        from bleak import BleakClient, BleakScanner

        while not self.is_over:
            try:
                device = await BleakScanner.find_device_by_address(PHONE, timeout=10, bluez={'adapter': 'hci1'})
                if device is None:
                    self.errors['central: nothing discovered'] += 1
                    continue
                async with BleakClient(device, bluez={'adapter': 'hci1'}) as client:
                    self.done['connections'] += 1
                    await client.start_notify(ECHO, lambda *_: None)
                    for number in range(10):
                        await client.read_gatt_char(LONG_READ)
                        await client.write_gatt_char(ECHO, bytes([number]), response=True)
                        self.done['writes'] += 1
                    await client.stop_notify(ECHO)
            except Exception as error:  # noqa: BLE001, a phone that reboots ends connections
                self.errors[f'central: {type(error).__name__}'] += 1
            await asyncio.sleep(0.2)

    async def toggles(self) -> None:
        number = 0
        while not self.is_over:
            name = self.names[number % len(self.names)]
            for word in ('background', 'lock', 'unlock', 'foreground'):
                await self.command(word, '--system', name)
            if number % 20 == 19:
                await self.command('reboot', '--system', self.names[1])
                await self.command('unlock', '--system', self.names[1])
                await self.command('foreground', '--system', self.names[1])
            number += 1
            await asyncio.sleep(1)

    async def kills(self) -> None:
        """An app of another process, and its phone, on the bus of the lab."""
        number = 0
        while not self.is_over:
            app = Watched(self.blepera, 'serve', '--json', str(LOCK), env=self.inside)
            await asyncio.sleep(4)
            if app.counts['state'] == 0:
                self.errors['kills: the app does not run'] += 1
            app.end(signal.SIGKILL)
            self.done['apps killed'] += 1
            number += 1
            if number % 10 == 0:
                await self.command('shutdown')
                self.done['phones ended'] += 1
            await asyncio.sleep(1)
        await self.command('shutdown')

    async def crowd(self) -> None:
        path = f'{self.inside["BLEPERA_RUNTIME_DIR"]}/{self.names[0]}.socket'
        while not self.is_over:
            clients = []
            for _ in range(300):
                client = socket.socket(socket.AF_UNIX)
                client.settimeout(0.2)
                clients.append(client)
                with contextlib.suppress(OSError):
                    client.connect(path)
            self.done['crowds'] += 1
            for client in clients:
                client.close()
            await asyncio.sleep(20)

    def deaf(self) -> socket.socket:
        """Watches all events and reads none; the phone omits those that it would have to keep."""
        client = socket.socket(socket.AF_UNIX)
        client.connect(f'{self.inside["BLEPERA_RUNTIME_DIR"]}/{self.names[0]}.socket')
        client.sendall(b'{"command":"events"}\n')
        return client

    async def sampling(self) -> None:
        while not self.is_over:
            await asyncio.sleep(SAMPLE)
            self.samples.append(measure(self.lab.process.pid))

    async def run(self) -> int:
        deaf = self.deaf()
        await asyncio.gather(self.central(), self.toggles(), self.kills(), self.crowd(), self.sampling())
        deaf.close()
        await asyncio.sleep(2)
        self.samples.append(measure(self.lab.process.pid))
        status = self.lab.end()
        return self.report(status)

    def report(self, status: int) -> int:
        table, is_good = growth_table(self.samples)
        lost = self.done['writes'] - self.lab.counts['write'] - self.lab.omitted
        is_good = is_good and lost <= 0 and status == 0
        print(f'{(time.monotonic() - self.begin) / 60:.0f} minutes\n')
        print(table)
        print(f'\nWrites done {self.done["writes"]}, reported {self.lab.counts["write"]}, '
              f'events omitted {self.lab.omitted}: {max(0, lost)} lost.')
        print('Done: ' + ', '.join(f'{name} {count}' for name, count in sorted(self.done.items())))
        print('Failures: ' + (', '.join(f'{name} ({count})' for name, count in self.errors.items()) or 'none'))
        if status:
            print(f'The lab ended with {status}:', *self.lab.last, sep='\n')
        return 0 if is_good else 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--blepera', required=True)
    parser.add_argument('--hours', type=float, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(Soak(os.path.abspath(options.blepera), options.hours, folder).run())


if __name__ == '__main__':
    sys.exit(main())
