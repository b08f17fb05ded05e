"""A program on this machine, with the interface of `rig.process.Process`."""

import asyncio
import os
import signal as signals
import time
from collections.abc import Callable, Mapping

from network import end_with_parent
from rig.errors import Failure
from rig.process import Line


class Process:
    def __init__(self, words: list[str], process: asyncio.subprocess.Process):
        self.words, self.process, self.pid = words, process, process.pid
        self.lines: list[Line] = []
        self.status: int | None = None
        self.changed = asyncio.Condition()
        self.reading = asyncio.create_task(self.read())

    @classmethod
    async def start(cls, words: list[str], env: Mapping[str, str] | None = None) -> 'Process':
        process = await asyncio.create_subprocess_exec(
            *words, env=env and {**os.environ, **env}, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE, limit=1 << 20, preexec_fn=end_with_parent,
        )
        return cls(words, process)

    def __str__(self) -> str:
        return ' '.join(self.words)

    async def read(self) -> None:
        streams = [('out', self.process.stdout), ('err', self.process.stderr)]
        # The streams of a phone that a killed `serve` has started stay open; the program's own end counts.
        reading = [asyncio.create_task(self.read_lines(*stream)) for stream in streams]
        self.status = await self.process.wait()
        await asyncio.wait(reading, timeout=0.5)
        for one in reading:
            one.cancel()
        async with self.changed:
            self.changed.notify_all()

    async def read_lines(self, name: str, stream: asyncio.StreamReader) -> None:
        async for line in stream:
            self.lines.append(Line(time.monotonic(), name, line.decode(errors='replace').rstrip('\n')))
            async with self.changed:
                self.changed.notify_all()

    def text(self, *streams: str) -> str:
        return ''.join(f'{line.text}\n' for line in self.lines if line.stream in (streams or ('out', 'err')))

    async def until(self, condition: Callable[[], object], limit: float, what: str):
        """The first true value of `condition`, which is looked at whenever the program prints or ends."""
        try:
            async with asyncio.timeout(limit), self.changed:
                while not (value := condition()):
                    await self.changed.wait()
                return value
        except TimeoutError:
            raise Failure(f'{what} did not happen in {limit:g} s; printed:\n{self.text()}') from None

    async def wait(self, limit: float = 20) -> int:
        """The exit status; minus the number of the signal that ended the program."""
        await self.until(lambda: self.status is not None, limit, f'the end of "{self}"')
        assert self.status is not None
        return self.status

    def signal(self, signal: signals.Signals) -> None:
        if self.status is None and self.process.returncode is None:
            self.process.send_signal(signal)

    async def kill(self) -> None:
        self.signal(signals.SIGKILL)
        await self.wait()
