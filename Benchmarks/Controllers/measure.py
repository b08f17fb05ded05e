"""Measures the phone over controllers beside Bumble's GATT server: see Benchmarks/README.md.

    Scripts/python-of lane Benchmarks/Controllers/measure.py [--blepera PROGRAM] [--count 10000] [--rounds 1]

Both servers have the database of database.py, on RootCanal and on Bumble's controllers, one after the other in a run, and
the same central, which is Bumble in this process. All hosts acknowledge at once what a controller sends (TCP_QUICKACK).
Prints operations a second, the processor time of an operation (all threads of the server's processes, by schedstat: of
phone and app, or of Bumble's server), the memory, and the ratios. The exit status is 1 if an update is lost or a goal is
missed.
"""

import argparse
import asyncio
import contextlib
import pathlib
import statistics
import sys
import time
from collections.abc import Awaitable, Callable

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ('Tests/Controllers', 'Tests/RealLane')]

import database
from bumble.device import Advertisement
from controllers import BumbleControllers, RootCanal
from network import LOCALHOST
from process import Process
from rig.central import Central
from stage import Stage, stage_at

CONTROLLERS = {'RootCanal': RootCanal, "Bumble's controllers": BumbleControllers}
PEER = pathlib.Path(__file__).with_name('peer_bumble.py')
LIMIT = 120
READ, DYNAMIC, UPDATE, RATE, MEMORY = (
    'a cached read', 'a read that the app answers', 'an update', 'updates a second', 'proportional memory')
UNITS = {RATE: 'a second', MEMORY: 'MiB'}
# The most or, for updates a second, the least that a ratio to Bumble's server may be.
GOALS = {
    ('RootCanal', READ): 0.3, ('RootCanal', DYNAMIC): 0.5, ('RootCanal', UPDATE): 0.2,
    ("Bumble's controllers", RATE): 1.2, ("Bumble's controllers", UPDATE): 0.6,
}  # fmt: skip


class Server:
    """The processes of a server: those with the folder of its stage in their environment, but not the controllers'."""

    def __init__(self, stage: Stage, folder: str):
        others = {process.pid for process in stage.controllers.processes}
        marked = f'XDG_RUNTIME_DIR={folder}\0'.encode()
        self.processes = [path for path in pathlib.Path('/proc').glob('[0-9]*') if self.has(path, marked)]
        self.processes = [path for path in self.processes if int(path.name) not in others]

    @staticmethod
    def has(path: pathlib.Path, marked: bytes) -> bool:
        with contextlib.suppress(OSError):
            return marked in (path / 'environ').read_bytes() + b'\0'
        return False

    @property
    def seconds(self) -> float:
        """The processor time so far of all threads."""
        files = [file for path in self.processes for file in path.glob('task/*/schedstat')]
        return sum(int(file.read_text().split()[0]) for file in files) / 1e9

    @property
    def memory(self) -> float:
        """The proportional memory in MiB."""
        lines = [line for path in self.processes for line in (path / 'smaps_rollup').read_text().splitlines()]
        return sum(int(line.split()[1]) for line in lines if line.startswith('Pss:')) / 1024


async def start_blepera(stage: Stage) -> None:
    profile = database.write_profile(pathlib.Path(stage.env['XDG_RUNTIME_DIR']) / 'perf.plist')
    blepera = await stage.run('serve', '--json', str(profile))
    await blepera.until('advertising')


async def start_bumble(stage: Stage) -> None:
    words = stage.controllers.words(sys.executable, str(PEER), LOCALHOST, str(stage.controllers.port))
    process = await Process.start(words, stage.env)
    stage.controllers.processes.append(process)  # to end with them
    await process.until(lambda: 'advertises' in process.text('out'), LIMIT, "the start of Bumble's server")
    stage.controllers.processes.remove(process)
    stage.open.push_async_callback(process.kill)


SERVERS: dict[str, Callable[[Stage], Awaitable]] = {'blepera': start_blepera, 'Bumble': start_bumble}


async def connect(stage: Stage) -> Central:
    """The central finds the server by its name."""
    central = await stage.central()

    def is_server(one: Advertisement) -> bool:
        return one.is_connectable and database.NAME.encode() in bytes(one.data)

    await central.connect((await central.next_advertisement(is_server)).address)
    await central.discover()
    return central


async def updates(central: Central, count: int) -> tuple[float, int]:
    """Seconds from the first update to the last, and how many were lost, late or out of order."""
    received: list[bytes] = []
    progress = asyncio.Event()
    first = 0.0

    def receive(value: bytes) -> None:
        nonlocal first
        if not received:
            first = time.perf_counter()
        received.append(value[:3])
        progress.set()

    count -= count % database.BATCH
    await central.characteristic(database.UPDATES).subscribe(receive)
    control, batches = central.characteristic(database.CONTROL), count // database.BATCH

    async def until(least: int) -> None:
        while len(received) < least:
            progress.clear()
            await progress.wait()

    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(LIMIT):
            for batch in range(batches):
                await until((batch - 1) * database.BATCH)  # at most two batches are on their way, and at least one
                await central.write(control, b'\1' + batch.to_bytes(2, 'big'))
            await until(count)
    took = time.perf_counter() - first
    sent = [batch.to_bytes(2, 'big') + bytes([number]) for batch in range(batches) for number in range(database.BATCH)]
    return took, sum(one != other for one, other in zip(sent, received, strict=False)) + len(sent) - len(received)


async def measure(program: str, controllers, start, count: int) -> dict[str, float]:
    """The figures of one server on new controllers."""
    async with stage_at(program, lambda *_: controllers()) as stage:
        await start(stage)
        central = await connect(stage)
        server = Server(stage, stage.env['XDG_RUNTIME_DIR'])
        dynamic = central.characteristic(database.DYNAMIC)
        await central.write(dynamic, database.VALUE)
        figures = {'processes': len(server.processes)}
        for name, characteristic in ((READ, central.characteristic(database.CACHED)), (DYNAMIC, dynamic)):
            assert await central.read(characteristic) == database.VALUE
            before, begin = server.seconds, time.perf_counter()
            for _ in range(count):
                await central.gatt.read_value(characteristic)
            figures[f'{name}, a second'] = count / (time.perf_counter() - begin)
            figures[name] = (server.seconds - before) / count * 1e6
        before = server.seconds
        took, figures['lost'] = await updates(central, count)
        figures[RATE] = count / took
        figures[UPDATE] = (server.seconds - before) / count * 1e6
        figures[MEMORY] = server.memory
        await central.disconnect()
        return figures


def report(name: str, rounds: dict[str, list[dict[str, float]]]) -> bool:
    """Prints the medians of the rounds, and whether every goal is reached."""
    ours, theirs = (
        {figure: statistics.median(one[figure] for one in runs) for figure in runs[0]} for runs in rounds.values())
    lost = [sum(one['lost'] for one in runs) for runs in rounds.values()]
    print(f'\n{name:38} {"blepera":>10} {"Bumble":>10} {"ratio":>7} {"goal":>9}')
    is_reached = not lost[0]
    for figure in (READ, f'{READ}, a second', DYNAMIC, f'{DYNAMIC}, a second', UPDATE, RATE, MEMORY):
        ratio, goal = ours[figure] / theirs[figure], GOALS.get((name, figure))
        unit = '' if 'a second' in figure else UNITS.get(figure, 'us')
        is_good = goal is None or (ratio >= goal if figure == RATE else ratio <= goal)
        is_reached = is_reached and is_good
        shown = '' if goal is None else f'{">=" if figure == RATE else "<="} {goal:g}{"" if is_good else " !"}'
        print(f'{figure + (f", {unit}" if unit else ""):38} {ours[figure]:10.1f} {theirs[figure]:10.1f} {ratio:7.2f} {shown:>9}')
    print(f'{"updates lost or out of order":38} {lost[0]:10.0f} {lost[1]:10.0f}', flush=True)
    return is_reached


async def run(options: argparse.Namespace) -> bool:
    is_reached = True
    for name in options.on or CONTROLLERS:
        rounds: dict[str, list[dict[str, float]]] = {server: [] for server in SERVERS}
        for number in range(options.rounds):
            # Another server comes first in each round.
            for server in sorted(SERVERS, reverse=number % 2 == 1):
                figures = await measure(options.blepera, CONTROLLERS[name], SERVERS[server], options.count)
                rounds[server].append(figures)
                print(f'{name}, {server}: ' + ', '.join(f'{key} {value:.1f}' for key, value in figures.items()), flush=True)
        is_reached = report(name, rounds) and is_reached
    return is_reached


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--blepera', default=str(ROOT / '.build/release/blepera'))
    parser.add_argument('--count', type=int, default=10_000, help=f'operations of a kind, a multiple of {database.BATCH}')
    parser.add_argument('--rounds', type=int, default=1)
    parser.add_argument('--on', choices=CONTROLLERS, action='append', help='the controllers; all where none is named')
    options = parser.parse_args()
    return 0 if asyncio.run(run(options)) else 1


if __name__ == '__main__':
    sys.exit(main())
