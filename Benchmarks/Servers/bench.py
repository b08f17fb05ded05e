"""Measures blepera beside the floor, which is the smallest C program on libdbus-1 with the same services, and beside
servers on PyPI's bluezero, bless and bluez-peripheral: on a private bus on which a program plays bluetoothd, in turns.
Then what needs no bus. Prints medians as Markdown; the report, its plots and every figure are in .build/bench.

    Scripts/python-of clients Benchmarks/Servers/bench.py [--rounds N] [--quick] [--only NAME,...] [--parts NAME,...]
"""

import argparse
import json

import goals
import measure_changes
import measure_events
import measure_offline
import measure_requests
import measure_starts
import measure_updates
from report import Report
from servers import BUILD, build
from turns import Turns

PARTS = {
    'requests': measure_requests,
    'starts': measure_starts,
    'updates': measure_updates,
    'changes': measure_changes,
    'events': measure_events,
    'offline': measure_offline,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--rounds', type=int, default=3, help='how often each server has its turn')
    parser.add_argument('--quick', action='store_true', help='one round and fewer calls, in two minutes')
    parser.add_argument('--only', default='', help='the servers, with commas between them')
    parser.add_argument('--parts', default=','.join(PARTS), help=f'of {", ".join(PARTS)}')
    options = parser.parse_args()
    build()
    turns = Turns(1 if options.quick else options.rounds, options.quick, set(filter(None, options.only.split(','))))
    report, verdicts = Report(BUILD), Report(BUILD)
    for name in options.parts.split(','):
        PARTS[name].measure(turns, report)
    goals.show(turns, verdicts)
    report.insert(0, verdicts)
    print(f'\n{report.markdown}')
    (BUILD / 'report.md').write_text(f'# Performance\n\n{report.markdown}')
    (BUILD / 'report.json').write_text(json.dumps(turns.figures, indent=1))


main()
