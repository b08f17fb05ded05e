"""Counts the instructions and the allocations of blepera for a request, an update and a toggle, in the phone and in its
app, with callgrind: unlike times they hardly depend on the machine and its load. Compares them with instructions.json,
and fails where there are 10 % more.

    Scripts/python-of clients Benchmarks/Servers/instructions.py [--update]
"""

import argparse
import json
import pathlib
import tempfile

from callgrind import Profile, command, dump
from servers import BLEPERA, HERE, build, drive, profile

TABLE = HERE / 'instructions.json'
TOLERANCE = 0.1
# Each work runs twice in the same process, and the difference counts, so that one-time costs do not.
LENGTHS = (60, 360)
ONE_SERVICE = {
    'cached read': 'read cached 0 {n} 1',
    'dynamic read': 'read dynamic 0 {n} 1',
    'dynamic write': 'write dynamic 0 {n} 1',
    'write and its update': 'echo {n} 1',
    'toggle': 'toggle-socket {tenth}',
}
HUNDRED_SERVICES = {'cached read of 100 services': 'read cached 50 {n} 1'}


def count(works: dict[str, str], services: int) -> dict[str, dict]:
    """The costs of a call of each work: {'instructions': {'app': 1, 'phone': 2}, 'allocations': ...}."""
    with tempfile.TemporaryDirectory(prefix='blepera-callgrind-') as folder:
        path = pathlib.Path(folder)
        warm = 'connect; sleep 0.5; subscribe echo 0 0; write dynamic 0 1 1; read cached 0 1 1; read dynamic 0 1 1; ' \
            'echo 1 1'
        played = [text.format(n=n, tenth=n // 10) for text in works.values() for n in LENGTHS]
        steps = [warm, 'toggle-socket 1', dump(path)] + [f'{text}; {dump(path)}' for text in played]
        lines = drive('; '.join(steps), [*command(path), BLEPERA, 'serve', profile(services, queue=1_000_000)], services)
        calls = [line['calls'] for line in lines if 'calls' in line][-len(played):]
        profiles: dict[str, list[Profile]] = {}
        for file in sorted(path.glob('*.*'), key=lambda file: int(file.suffix[1:])):
            found = Profile(file)
            profiles.setdefault('app' if ' serve ' in found.command else 'phone', []).append(found)
    result = {}
    for number, name in enumerate(works):
        few, many = 2 * number, 2 * number + 1
        result[name] = {figure: {} for figure in ('instructions', 'allocations')}
        for place in sorted(profiles):
            parts = profiles[place][1:]  # the first ends with the warm-up
            for figure in result[name]:
                more = getattr(parts[many], figure) - getattr(parts[few], figure)
                result[name][figure][place] = more / (calls[many] - calls[few])
    return result


def difference(more: dict, less: dict) -> dict:
    return {figure: {place: more[figure][place] - less[figure][place] for place in more[figure]} for figure in more}


def rounded(cost: dict) -> dict:
    digits = {'instructions': None, 'allocations': 1}
    return {
        figure: {place: round(value, digits[figure]) for place, value in places.items()}
        for figure, places in cost.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--update', action='store_true', help='write the table')
    options = parser.parse_args()
    build()
    found = count(ONE_SERVICE, 1) | count(HUNDRED_SERVICES, 100)
    found['update'] = difference(found.pop('write and its update'), found['dynamic write'])
    found = {name: rounded(cost) for name, cost in found.items()}
    known = json.loads(TABLE.read_text()) if TABLE.exists() else {}
    grown = []
    for name, cost in found.items():
        for figure, places in cost.items():
            total, before = sum(places.values()), sum(known.get(name, {}).get(figure, {}).values())
            parts = ', '.join(f'{place} {value:,}' for place, value in places.items())
            compared = f', {total / before:.2f} of {before:,.0f}' if before else ''
            print(f'{name}: {total:,.0f} {figure} ({parts}){compared}')
            if before and total - before > max(TOLERANCE * before, 1):
                grown.append(f'{name} ({figure})')
    if options.update:
        TABLE.write_text(json.dumps(found, indent=2) + '\n')
    elif grown:
        raise SystemExit(f'More than 10 % above {TABLE.name}: {", ".join(grown)}. If that is wanted, add --update.')


main()
