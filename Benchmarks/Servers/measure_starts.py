"""The time from the start to the advertisement, and the memory at that time, by the number of services."""

import json
import os
import pathlib
import subprocess
import tempfile
import time

from plot import Plot
from report import Report, services
from servers import BLEPERA, PEERS, floor, profile, serve
from turns import Turns

SERVERS = {
    'floor': floor(),
    'floor, split': floor('--split'),
    'blepera': serve(),
    'blepera, restorable': serve(restore='restore'),
}
AIR = 'blepera, virtual air'


def measure(turns: Turns, report: Report) -> None:
    work = 'sleep 0.3; memory rest'
    many = {name: server for name, server in PEERS.items() if name == 'bluezero'}
    # These servers use dbus-next, which fails when it sends the data of a hundred services.
    few = {name: server for name, server in PEERS.items() if name not in many}
    turns.play('starts', SERVERS | many, work, (1, 250, 1000) if turns.is_quick else (1, 10, 100, 250, 1000))
    turns.play('starts', few, work, (1,) if turns.is_quick else (1, 10))
    for number in range(turns.rounds):
        for size in (1, 250, 1000):
            start_on_air(turns, size, number)
    names, sizes = turns.names('starts'), turns.sizes('starts')
    report.heading('Start and memory')
    report.text(
        'From about 250 of these services on, the Database Hash of bluetoothd no longer changes, but it takes more. '
        '*Virtual air* is `serve --virtual`: one process is the radio, the phone, the app and a central.')
    plots = {}
    for title, unit, work, figure, scale in (
        ('From the start to the advertisement', 'milliseconds', 'start', 'advertisement', 1),
        ('Resident memory', 'MiB', 'memory', 'rss', 1024),
        ('Proportional memory', 'MiB', 'memory', 'pss', 1024),
    ):
        def value(name: str, size: int, work: str = work, figure: str = figure, scale: int = scale) -> float | None:
            found = turns.median('starts', figure, server=name, size=size, work=work)
            return found and found / scale

        rows = {services(size): [value(name, size) for name in names] for size in sizes}
        report.table(f'{title}, in {unit}', names, rows, digits=1)
        plots[figure] = Plot(title, 'services', unit)
        for name in names:
            plots[figure].add(name, [(size, value(name, size)) for size in sizes])
    report.plot('start', plots['advertisement'])
    report.plot('memory', plots['rss'])


def start_on_air(turns: Turns, size: int, number: int) -> None:
    start = time.monotonic()
    command = [BLEPERA, 'serve', '--virtual', '--json', profile(size)]
    with (
        tempfile.TemporaryDirectory() as state,
        subprocess.Popen(
            command, env={**os.environ, 'BLEPERA_STATE_DIR': state}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
        ) as process,
    ):
        try:
            for line in process.stdout:
                if json.loads(line)['event'] == 'advertising':
                    break
            elapsed = 1000 * (time.monotonic() - start)
            rollup = pathlib.Path(f'/proc/{process.pid}/smaps_rollup').read_text().splitlines()[1:]
            sizes = {words[0]: int(words[1]) for words in map(str.split, rollup)}
        finally:
            process.terminate()
    figure = {'server': AIR, 'size': size, 'round': number, 'ok': True}
    turns.add('starts', **figure, work='start', advertisement=elapsed)
    turns.add('starts', **figure, work='memory', rss=sizes['Rss:'], pss=sizes['Pss:'])
