"""Measures servers on a private bus on which a program plays bluetoothd, in turns: the floor, which is the smallest C
program on libdbus-1 with the same services, blepera serve, and servers on PyPI's bless and bluez-peripheral. Prints
medians as Markdown and writes every figure to .build/bench/servers.json.

    Scripts/python-of clients Benchmarks/Servers/bench.py [--rounds N] [--quick] [--only NAME,...]
"""

import argparse
import json
import statistics
import sys

from servers import BLEPERA, BUILD, HERE, build, drive, profile

REQUESTS = (
    'connect; sleep 0.2; write dynamic 0 1 1; read cached 0 {n} 1; read cached 0 {n} 16; read dynamic 0 {n} 1; '
    'read dynamic 0 {n} 16; write dynamic 0 {n} 1; write dynamic 0 {n} 16; memory rest'
)


def python(name: str):
    return lambda services: [sys.executable, HERE / name, '--services', services]


SERVERS = {
    'floor': lambda services: [BUILD / 'floor', '--services', services],
    'floor, app apart': lambda services: [BUILD / 'floor', '--services', services, '--app'],
    'blepera': lambda services: [BLEPERA, 'serve', profile(services)],
    'bluez-peripheral': python('peer_bluez_peripheral.py'),
    'bless': python('peer_bless.py'),
}
STARTS = {
    'floor': SERVERS['floor'],
    'floor, split': lambda services: [BUILD / 'floor', '--services', services, '--split'],
    'blepera': SERVERS['blepera'],
    'blepera, restorable': lambda services: [BLEPERA, 'serve', profile(services, 'restore')],
}


def measure(servers: dict, work: str, sizes: tuple, options, *driver) -> list[dict]:
    figures = []
    for number in range(options.rounds):
        for services in sizes:
            names = [name for name in servers if not options.only or name.split(',')[0] in options.only]
            shift = number % len(names)
            for name in names[shift:] + names[:shift]:
                for line in drive(work, servers[name](services), services, driver):
                    figures.append({**line, 'server': name, 'size': services, 'round': number})
                print('.', end='', flush=True, file=sys.stderr)
    print(file=sys.stderr)
    return figures


def table(title: str, rows: list, columns: list, cell) -> None:
    print(f'\n**{title}**\n\n| | {" | ".join(columns)} |\n|---|{"---|" * len(columns)}')
    for name, key in rows:
        print(f'| {name} | {" | ".join(cell(key, column) for column in columns)} |')


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--rounds', type=int, default=3, help='how often each server has its turn')
    parser.add_argument('--quick', action='store_true', help='one round and fewer calls, in a minute')
    parser.add_argument('--only', default='', help='the servers, with commas between them')
    options = parser.parse_args()
    if options.quick:
        options.rounds = 1
    build()
    requests = measure(SERVERS, REQUESTS.format(n=500 if options.quick else 3000), (1,), options)
    starts = measure(STARTS, 'sleep 0.3; memory rest', (1, 250) if options.quick else (1, 10, 100, 250), options)
    changes = measure(
        {'blepera': STARTS['blepera, restorable']}, 'sleep 0.3; toggle-socket 10; toggle 5; restore', (1, 100), options,
        '--blepera', BLEPERA)

    def median(figures: list, figure: str, **match) -> str:
        found = [line[figure] for line in figures if all(line.get(key) == value for key, value in match.items())]
        return f'{statistics.median(found):,.0f}' if found else '-'

    calls = [
        (f'{kind} {work}, {flight} at a time', {'work': work, 'kind': kind, 'flight': flight})
        for work, kind in (('read', 'cached'), ('read', 'dynamic'), ('write', 'dynamic'))
        for flight in (1, 16)
    ]
    servers = list(dict.fromkeys(line['server'] for line in requests))
    for title, figure in (
        ('Processor time of a call, in microseconds, all processes of the server', 'cpu'),
        ('Calls a second', 'rate'),
        ('99th percentile, in microseconds', 'p99'),
    ):
        table(title, calls, servers, lambda key, name, figure=figure: median(requests, figure, server=name, **key))
    memory = [('resident', 'rss'), ('proportional', 'pss')]
    rest = {'work': 'memory', 'label': 'rest'}
    table('Memory, in KiB', memory, servers, lambda key, name: median(requests, key, server=name, **rest))
    sizes = [(f'{size} service{"s" if size > 1 else ""}', size) for size in dict.fromkeys(line['size'] for line in starts)]
    title = 'From the start to the advertisement, in milliseconds'
    servers = list(dict.fromkeys(line['server'] for line in starts))
    table(title, sizes, servers, lambda size, name: median(starts, 'advertisement', server=name, size=size, work='start'))
    def change(work: str, size: int, *keys: str) -> str:
        found = []
        for line in changes:
            if (line['work'], line['size']) == (work, size):
                for key in keys:
                    line = line[key]
                found.append(line)
        return f'{statistics.median(found):,.1f}'

    print('\n**A phone of blepera, in milliseconds**\n\n| | 1 service | 100 services |\n|---|---|---|')
    for name, work, *keys in (
        ('to the background, by the socket', 'toggle-socket', 'background', 'registered', 'p50'),
        ('to the background, by the command', 'toggle', 'background', 'registered', 'p50'),
        ('killed, until it is advertised again', 'restore', 'advertisement'),
    ):
        print(f'| {name} | {change(work, 1, *keys)} | {change(work, 100, *keys)} |')
    (BUILD / 'servers.json').write_text(json.dumps({'requests': requests, 'starts': starts, 'changes': changes}, indent=1))


main()
