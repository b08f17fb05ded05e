"""Scenarios on the real bluetoothd: each phone and each central has an adapter of its own, all on one air."""

import pathlib
import time
from collections.abc import Sequence

from .air import Air
from .bluez import BlueZ
from .errors import Failure
from .process import Line
from .vm import VM

LIMIT = 300  # seconds for one of them


async def play(program: pathlib.Path, scenarios: Sequence[pathlib.Path], out: pathlib.Path) -> int:
    """Plays the scenarios, in a micro-VM of its own; how many failed."""
    started = time.monotonic()
    async with VM(out) as vm:
        # -E, or an advertisement comes every 1.28 s.
        air, bluez = Air(vm), BlueZ(vm, experimental=True, again=True)
        await air.plug(0)
        await bluez.start_bus()
        await air.plug(1)
        await bluez.start()
        await bluez.until_powered()
        failed = 0
        for scenario in scenarios:
            # The names that bluetoothd has heard it tells of devices that say none.
            await vm.run('sh', '-c', 'rm -rf /var/lib/bluetooth/*/cache')
            lines: list[str] = []

            def hear(line: Line, lines=lines) -> None:
                lines.append(line.text)

            begun = time.monotonic()
            process = await vm.start_program(
                program, 'scenario', 'run', '--bluez', '--adapters', 'hci0,hci1', str(scenario), hear=hear
            )
            try:
                status = await process.wait(LIMIT)
            except Failure as failure:
                await process.kill()
                status = 1
                lines.append(str(failure))
            failed += status != 0
            word = 'FAILED' if status else 'ok    '
            print(f'{word}{time.monotonic() - begun:5.1f} s  {scenario.stem}', flush=True)
            if status:
                print('\n'.join('      ' + line for line in lines), flush=True)
        took = time.monotonic() - started
        print(f'{len(scenarios)} scenarios on bluetoothd in {took:.0f} s: {len(scenarios) - failed} passed, {failed} failed')
        if failed:
            print(f'What bluetoothd said, and what was on the air: {out}/bluetoothd.txt, btmon.txt')
        return failed
