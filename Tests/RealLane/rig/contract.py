"""The contract: what programs can rely on of org.bluez, played by `blepera-contract` on the real bluetoothd. One adapter
is the phone's and one the central's; both are bluetoothd's own, on one air.
"""

import asyncio
import pathlib
import time

from .air import Air
from .bluez import BlueZ
from .process import Line
from .vm import VM

LIMIT = 1500  # seconds for all of it


async def play(program: pathlib.Path, words: list[str], out: pathlib.Path) -> int:
    """Plays the cases that have the words, in a micro-VM of its own; the exit status of the program."""
    started = time.monotonic()
    async with VM(out) as vm:
        # -E, or an advertisement comes every 1.28 s.
        air, bluez = Air(vm), BlueZ(vm, experimental=True, again=True)
        await air.plug(0)
        await bluez.start_bus()
        await air.plug(1)
        await bluez.start()
        await bluez.until_powered()
        print(f'A micro-VM with two adapters and bluetoothd -E is up after {time.monotonic() - started:.1f} s.', flush=True)
        orders: set[asyncio.Task] = set()

        def hear(line: Line) -> None:
            match line.text.split():
                case ['@', 'plug', number]:
                    orders.add(asyncio.ensure_future(air.plug(int(number))))
                case ['@', 'unplug', number]:
                    orders.add(asyncio.ensure_future(air.unplug(int(number))))
                case ['@', 'cut']:
                    air.cut()
                case _:
                    print(line.text, flush=True)

        process = await vm.start_program(program, *words, hear=hear)
        status = await process.wait(LIMIT)
        if status:
            if status not in (1, 2, 3):
                print(f'The program that plays the contract ended with status {status}.')
            print(f'What bluetoothd said, and what was on the air: {out}/bluetoothd.txt, btmon.txt')
        return status
