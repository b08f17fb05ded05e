"""Runs the lane on each release of BlueZ that Debian has, and prints what passes as a table.

    Scripts/python-of lane Tests/RealLane/matrix.py --blepera FILE --contract FILE [RELEASE ...]

For each release the results stay in .build/matrix, as JUnit XML with the logs beside it. The exit status is 1 where a
case fails.
"""

import argparse
import collections
import os
import pathlib
import subprocess
import sys
import xml.etree.ElementTree

from rig.releases import RELEASES

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUT = ROOT / '.build/matrix'
OUTCOMES = ('passed', 'skipped', 'failed')


def play(release: str, options: argparse.Namespace) -> tuple[dict[str, collections.Counter], float]:
    """Runs the lane; the outcomes of each suite, and the time in seconds."""
    results = OUT / f'{release}.xml'
    results.unlink(missing_ok=True)
    with open(OUT / f'{release}.txt', 'w') as output:
        subprocess.run(
            [sys.executable, '-m', 'pytest', '--quiet', '--numprocesses', '2', '--dist', 'worksteal',
             '--blepera', options.blepera, '--contract', options.contract, '--logs', OUT / release,
             '--junitxml', results, pathlib.Path(__file__).parent],
            env={**os.environ, 'BLUEZ': release}, cwd=ROOT, stdout=output)
    suites: dict[str, collections.Counter] = collections.defaultdict(collections.Counter)
    seconds = 0.0
    for suite in xml.etree.ElementTree.parse(results).iter('testsuite'):
        seconds += float(suite.get('time'))
        for case in suite.iter('testcase'):
            found = {child.tag for child in case}
            outcome = 'failed' if found & {'failure', 'error'} else 'skipped' if 'skipped' in found else 'passed'
            name = case.get('classname').split('.')[-1].removeprefix('test_')
            suites[name][outcome] += 1
    return suites, seconds


def cell(counts: collections.Counter) -> str:
    """`12`, or `10 + 2 skipped, 1 failed`."""
    extra = ', '.join(f'{counts[name]} {name}' for name in OUTCOMES[1:] if counts[name])
    return f'{counts["passed"]} + {extra}' if extra else str(counts['passed'])


def table(results: dict[str, tuple[dict[str, collections.Counter], float]]) -> str:
    suites = sorted({suite for found, _ in results.values() for suite in found})
    rows = [['suite', *results], ['---'] * (len(results) + 1)]
    rows += [[suite, *(cell(found.get(suite, collections.Counter())) for found, _ in results.values())]
             for suite in suites]
    rows.append(['minutes', *(f'{seconds / 60:.1f}' for _, seconds in results.values())])
    return '\n'.join('| ' + ' | '.join(row) + ' |' for row in rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--blepera', type=pathlib.Path, required=True)
    parser.add_argument('--contract', type=pathlib.Path, required=True)
    parser.add_argument('releases', nargs='*', default=[release.version for release in RELEASES], metavar='RELEASE')
    options = parser.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)
    results = {}
    for release in options.releases:
        print(f'BlueZ {release} ...', file=sys.stderr, flush=True)
        results[release] = play(release, options)
    print(table(results))
    return 1 if any(counts['failed'] for found, _ in results.values() for counts in found.values()) else 0


if __name__ == '__main__':
    sys.exit(main())
