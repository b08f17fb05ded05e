"""The real lane: plays every case against the real bluetoothd of the micro-VM.

    Scripts/lane-python Tests/RealLane/lane.py --blepera .build/release/blepera [WORDS OF A CASE ...]
    Scripts/lane-python Tests/RealLane/lane.py --contract .build/release/blepera-contract [WORDS OF A CASE ...]

    Scripts/lane-python Tests/RealLane/lane.py --blepera .build/release/blepera --scenarios [FILE ...]

The second plays the contract, what programs can rely on of org.bluez, which the virtual bluetoothd has to keep too.
With both programs both are played, each in a micro-VM of its own. The third plays scenarios, those that are shipped
where no file is named, and nothing else.
"""

import argparse
import asyncio
import logging
import pathlib
import shutil
import sys
import tempfile
import time

import cases  # noqa: F401  registers them all
from rig import contract, scenarios
from rig.errors import RigError
from rig.runner import CASES, play_all
from rig.stage import Stage
from rig.vm import VM


SCENARIOS = pathlib.Path(__file__).resolve().parent.parent.parent / 'scenarios'


def arguments() -> argparse.Namespace:
    about = 'Runs blepera beside a real bluetoothd, with centrals on the air.'
    parser = argparse.ArgumentParser(prog='lane', description=about)
    parser.add_argument('--blepera', type=pathlib.Path, help='the program under test')
    parser.add_argument('--contract', type=pathlib.Path, help='the program that plays the contract')
    parser.add_argument('--scenarios', action='store_true', help='play scenarios; the words are their files')
    parser.add_argument('--out', type=pathlib.Path, help='where the logs go (default: a new folder)')
    parser.add_argument('--experimental', action='store_true', help='start bluetoothd with -E')
    parser.add_argument('--list', action='store_true', help='say what the cases are and do nothing')
    parser.add_argument('words', nargs='*', help='play only the cases whose name has all of these')
    return parser.parse_args()


async def run(options: argparse.Namespace, chosen: list, out: pathlib.Path) -> int:
    started = time.monotonic()
    async with VM(out) as vm:
        stage = Stage(vm, options.blepera.resolve(), options.experimental)
        await stage.set_up()
        print(f'The micro-VM and its bluetoothd are up after {time.monotonic() - started:.1f} s.', flush=True)
        failed = await play_all(stage, chosen, out)
    print(f'{len(chosen)} cases in {time.monotonic() - started:.0f} s')
    print(f'{len(chosen) - failed} passed, {failed} failed')
    return 1 if failed else 0


def main() -> int:
    options = arguments()
    chosen = [case for case in CASES if all(word.lower() in case.name.lower() for word in options.words)]
    if options.list:
        print('\n'.join(case.name for case in chosen))
        return 0
    programs = [program for program in (options.blepera, options.contract) if program]
    if not programs:
        print('lane: say which program: --blepera, --contract or both', file=sys.stderr)
        return 2
    if options.scenarios and not options.blepera:
        print('lane: say which program plays the scenarios: --blepera', file=sys.stderr)
        return 2
    if options.blepera and not options.scenarios and not chosen:
        print('lane: no case has these words in its name', file=sys.stderr)
        return 2
    for program in programs:
        if not program.is_file():
            print(f'lane: there is no program {program}', file=sys.stderr)
            return 2
    out = (options.out or pathlib.Path(tempfile.mkdtemp(prefix='blepera-lane-'))).resolve()
    out.mkdir(parents=True, exist_ok=True)
    logging.basicConfig(filename=out / 'bumble.txt', level=logging.WARNING)
    try:
        if options.scenarios:
            files = [pathlib.Path(word).resolve() for word in options.words] or sorted(SCENARIOS.glob('*.plist'))
            return 1 if asyncio.run(scenarios.play(options.blepera.resolve(), files, out / 'scenarios')) else 0
        status = asyncio.run(run(options, chosen, out)) if options.blepera else 0
        if options.contract:
            status = asyncio.run(contract.play(options.contract.resolve(), options.words, out / 'contract')) or status
        if not status and not options.out:
            shutil.rmtree(out, ignore_errors=True)
        return status
    except RigError as error:
        print(f'lane: {error}', file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print('\nlane: interrupted', file=sys.stderr)
        return 130


if __name__ == '__main__':
    sys.exit(main())
