"""Counts the instructions of blepera for a request, in the phone and in its app, with callgrind: unlike times they hardly
depend on the machine and its load. Compares them with instructions.json, and fails where there are 10 % more.

    Scripts/python-of clients Benchmarks/Servers/instructions.py [--update]
"""

import argparse
import json
import pathlib
import re
import tempfile

from servers import BLEPERA, HERE, build, drive, profile

TABLE = HERE / 'instructions.json'
FEW, MANY = 100, 500
REQUESTS = {
    'cached read': 'read cached 0 {n} 1',
    'dynamic read': 'read dynamic 0 {n} 1',
    'dynamic write': 'write dynamic 0 {n} 1',
    'cached read of 100 services': 'read cached 50 {n} 1',
}


def count(work: str, number: int, services: int) -> dict[str, int]:
    """The instructions of a run, by process."""
    with tempfile.TemporaryDirectory(prefix='blepera-callgrind-') as folder:
        out = f'--callgrind-out-file={folder}/%p'
        server = ['valgrind', '--tool=callgrind', '--trace-children=yes', out, BLEPERA, 'serve', profile(services)]
        warm = 'connect; sleep 0.5; write dynamic 0 1 1; read cached 0 1 1; read dynamic 0 1 1'
        drive(f'{warm}; {work.format(n=number)}', server, services)
        totals = {}
        for file in pathlib.Path(folder).iterdir():
            text = file.read_text()
            command = re.search(r'^cmd: +(.*)$', text, re.MULTILINE)[1]
            total = re.search(r'^(?:totals|summary): +(\d+)$', text, re.MULTILINE)[1]
            totals['app' if ' serve ' in command else 'phone'] = int(total)
        return totals


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--update', action='store_true', help='write the table')
    options = parser.parse_args()
    build()
    known = json.loads(TABLE.read_text()) if TABLE.exists() else {}
    found, worse = {}, []
    for name, work in REQUESTS.items():
        services = int(re.search(r'of (\d+)', name)[1]) if 'of' in name else 1
        few, many = (count(work, number, services) for number in (FEW, MANY))
        found[name] = {place: round((many[place] - few[place]) / (MANY - FEW)) for place in sorted(few)}
        total, before = sum(found[name].values()), sum(known.get(name, {}).values())
        parts = ', '.join(f'{place} {number:,}' for place, number in found[name].items())
        print(f'{name}: {total:,} instructions ({parts})' + (f', {total / before:.2f} of {before:,}' if before else ''))
        if before and total > 1.1 * before:
            worse.append(name)
    if options.update:
        TABLE.write_text(json.dumps(found, indent=2) + '\n')
    elif worse:
        raise SystemExit(f'More than 10 % above {TABLE.name}: {", ".join(worse)}. If that is wanted, add --update.')


main()
