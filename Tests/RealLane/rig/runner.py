"""Runs the cases one after the other and says how each went."""

import asyncio
import os
import pathlib
import sys
import time
import traceback
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bumble.core import BaseBumbleError

from .errors import Failure, RigError, expect
from .stage import Stage

LIMIT = 90  # seconds a case


@dataclass
class Case:
    name: str
    play: Callable[[Stage], Awaitable[str | None]]  # what it says is told behind its name


CASES: list[Case] = []


def case(name: str):
    """Registers a case under a sentence that says what must hold."""

    def register(play):
        CASES.append(Case(name, play))
        return play

    return register


class Paint:
    """Colours where the output is a terminal."""

    def __init__(self, on: bool):
        self.on = on

    def __call__(self, code: str, text: str) -> str:
        return f'\x1b[{code}m{text}\x1b[0m' if self.on else text


def wants_colour(stream=sys.stdout) -> bool:
    return stream.isatty() and not os.environ.get('NO_COLOR') and os.environ.get('TERM') != 'dumb'


async def play_all(stage: Stage, cases: list[Case], out: pathlib.Path) -> int:
    """Plays them; the number of those that failed."""
    paint = Paint(wants_colour())
    failed = 0
    for case in cases:
        started = time.monotonic()
        why, note = await play(stage, case)
        took = f'{time.monotonic() - started:5.1f} s'
        if why is None:
            print(f'{paint("32", "ok    ")}{took}  {case.name}{paint("2", note)}', flush=True)
        else:
            failed += 1
            print(f'{paint("31", "FAILED")}{took}  {case.name}', flush=True)
            print(indent(why + story(stage)), flush=True)
        await stage.clear(everything=why is not None)
    if failed:
        await stage.bluez.finish_trace()
        print(paint('2', f'What bluetoothd said, and what was on the air: {out}/bluetoothd.txt, btmon.txt'))
    return failed


async def play(stage: Stage, case: Case) -> tuple[str | None, str]:
    """Why it failed, none when it did not; and what it has to say."""
    try:
        async with asyncio.timeout(LIMIT):
            note = await case.play(stage)
        expect(not stage.bluez.crash, stage.bluez.crash)
        return None, f' ({note})' if note else ''
    except Failure as failure:
        why = f'{failure}\n  at {place(failure)}'
    except TimeoutError as error:
        why = f'it took more than {LIMIT} s\n  at {place(error)}'
    except (RigError, BaseBumbleError, asyncio.CancelledError) as error:
        if isinstance(error, asyncio.CancelledError) and asyncio.current_task().cancelling():
            raise  # Ctrl-C
        why = f'{type(error).__name__}: {error}\n  at {place(error)}'
    except Exception:
        why = traceback.format_exc().rstrip()
    return why, ''


def place(error: BaseException) -> str:
    """The last line of a case that the error went through."""
    frames = traceback.extract_tb(error.__traceback__)
    mine = [frame for frame in frames if '/cases/' in frame.filename] or frames
    return f'{pathlib.Path(mine[-1].filename).name}:{mine[-1].lineno}  {mine[-1].line}'


def story(stage: Stage, last: int = 30) -> str:
    """What every blepera of the case printed."""
    told = ''
    for number, blepera in enumerate(stage.served, start=1):
        process = blepera.process
        state = 'still running' if process.status is None else f'ended with status {process.status}'
        told += f'\nblepera {number} ({state}): {process}'
        lines = process.lines
        if len(lines) > last:
            told += f'\n  ... {len(lines) - last} lines before'
        told += ''.join(f'\n  {"!" if line.stream == "err" else " "} {line.text}' for line in lines[-last:])
    return told


def indent(text: str) -> str:
    return ''.join(f'      {line}\n' for line in text.splitlines()).rstrip('\n')
