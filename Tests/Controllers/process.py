"""A program on this machine, with the interface of `rig.process.Process`."""

import asyncio
import os
import signal as signals
import time
from collections.abc import Mapping

from network import end_with_parent
from rig.process import Line, Program


class Process(Program):
    def __init__(self, words: list[str], process: asyncio.subprocess.Process):
        super().__init__(words, process.pid)
        self.process = process
        self.reading = asyncio.create_task(self.read())

    @classmethod
    async def start(cls, words: list[str], env: Mapping[str, str] | None = None) -> 'Process':
        process = await asyncio.create_subprocess_exec(
            *words, env=env and {**os.environ, **env}, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE, limit=1 << 20, preexec_fn=end_with_parent,
        )
        return cls(words, process)

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

    def appendix(self) -> str:
        return f'; printed:\n{self.text()}'

    def signal(self, signal: signals.Signals) -> None:
        if self.status is None and self.process.returncode is None:
            self.process.send_signal(signal)
