"""A program that runs in the micro-VM, as the host sees it."""

import asyncio
import codecs
import signal as signals
import time
from collections.abc import Callable
from dataclasses import dataclass

from .errors import Failure


@dataclass
class Line:
    """A line that a program printed, with the host's monotonic time."""

    at: float
    stream: str  # 'out' or 'err'
    text: str


class Program:
    """The output and the end of a program, wherever it runs."""

    def __init__(self, words: list[str], pid: int = 0):
        self.words, self.pid = words, pid
        self.lines: list[Line] = []
        self.status: int | None = None
        self.changed = asyncio.Condition()

    def __str__(self) -> str:
        return ' '.join(self.words)

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
            raise Failure(f'{what} did not happen in {limit:g} s{self.appendix()}') from None

    async def wait(self, limit: float = 20) -> int:
        """The exit status; minus the number of the signal that ended the program."""
        await self.until(lambda: self.status is not None, limit, f'the end of "{self}"')
        assert self.status is not None
        return self.status

    def appendix(self) -> str:
        """The end of the sentence of a failure."""
        return ''

    def signal(self, signal: signals.Signals) -> None:
        raise NotImplementedError

    async def kill(self) -> None:
        self.signal(signals.SIGKILL)
        await self.wait()


class Process(Program):
    def __init__(
        self, id: int, words: list[str], order: Callable[..., None], on_line: Callable[[Line], None] | None = None
    ):
        super().__init__(words)
        self.id, self.order, self.on_line = id, order, on_line
        self.unfinished = {'out': '', 'err': ''}
        self.decoders = {name: codecs.getincrementaldecoder('utf-8')('replace') for name in self.unfinished}

    async def take(self, message: dict) -> None:
        """Handles a message of the guest about this program."""
        if 'pid' in message:
            self.pid = message['pid']
        for stream in ('out', 'err'):
            if stream in message:
                self.unfinished[stream] += self.decoders[stream].decode(message[stream].encode('latin-1'))
        at_end = 'exit' in message
        for stream, text in self.unfinished.items():
            *lines, rest = text.replace('\r\n', '\n').split('\n')
            if at_end and rest:
                lines, rest = [*lines, rest], ''
            self.unfinished[stream] = rest
            for text in lines:
                line = Line(time.monotonic(), stream, text)
                self.lines.append(line)
                if self.on_line:
                    self.on_line(line)
        if at_end:
            self.status = message['exit']
        async with self.changed:
            self.changed.notify_all()

    def signal(self, signal: signals.Signals) -> None:
        if self.status is None:
            self.order(id=self.id, signal=int(signal))

    def type(self, keys: str) -> None:
        """Presses keys on its terminal."""
        if self.status is None:
            self.order(id=self.id, keys=keys)
