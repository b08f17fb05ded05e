"""Runs a command in the micro-VM, beside its bluetoothd and an adapter that is powered on:

    Scripts/python-of lane Tests/RealLane/vm.py bluetoothctl show
    Scripts/python-of lane Tests/RealLane/vm.py .build/release/blepera doctor

The command sees this machine's files, read-only under a layer that is discarded afterwards. The exit status is the same.
"""

import argparse
import asyncio
import os
import pathlib
import shutil
import sys
import tempfile
from signal import SIGINT

from rig.air import Air
from rig.bluez import BlueZ, Settings
from rig.errors import Failure, RigError
from rig.process import Line
from rig.vm import VM


def on_line(line: Line) -> None:
    stream = sys.stdout if line.stream == 'out' else sys.stderr
    try:
        print(line.text, file=stream, flush=True)
    except BrokenPipeError:  # nobody reads on
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


async def run(options: argparse.Namespace, out: pathlib.Path) -> int:
    async with VM(out) as vm:
        await BlueZ(vm, Settings(experimental=options.experimental)).set_up(Air(vm))
        process = await vm.start_program(*options.command, terminal=sys.stdout.isatty(), on_line=on_line)
        try:
            return await process.wait(options.limit)
        except asyncio.CancelledError:
            process.signal(SIGINT)  # Ctrl-C is for the command first
            return await process.wait(5)


def main() -> int:
    parser = argparse.ArgumentParser(prog='vm', description='Runs a command beside a real bluetoothd in a micro-VM.')
    parser.add_argument('--limit', type=float, default=3600, help='seconds that the command may take')
    parser.add_argument('--experimental', action='store_true', help='start bluetoothd with -E')
    parser.add_argument('--out', type=pathlib.Path, help='where to keep the logs')
    parser.add_argument('command', nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if not options.command:
        parser.error('say which command')
    out = (options.out or pathlib.Path(tempfile.mkdtemp(prefix='blepera-vm-'))).resolve()
    out.mkdir(parents=True, exist_ok=True)
    try:
        return asyncio.run(run(options, out))
    except (Failure, RigError) as error:
        print(f'vm: {error}', file=sys.stderr)
        return 125
    except KeyboardInterrupt:
        return 130
    finally:
        if not options.out:
            shutil.rmtree(out, ignore_errors=True)


if __name__ == '__main__':
    sys.exit(main())
