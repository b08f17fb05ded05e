"""`blepera` in the micro-VM: what it prints with --json is read as events."""

from signal import SIGINT, SIGKILL

from blepera_tests.events import find_event, parse_events

from .errors import Failure
from .process import Process


class Blepera:
    def __init__(self, process: Process):
        self.process = process

    @property
    def events(self) -> list[dict]:
        """The events printed so far."""
        return parse_events(line.text for line in self.process.lines if line.stream == 'out')

    @property
    def mark(self) -> int:
        """The number of events printed so far; `until` can start there."""
        return len(self.events)

    async def until(self, event: str, limit: float = 20, after: int = 0, **fields) -> dict:
        """The first event with this name and these fields, already printed or still to come."""

        def look() -> dict | bool:
            return find_event(self.events[after:], event, **fields) or self.process.status is not None

        wanted = ' '.join([f'"{event}"', *(f'{name}={value}' for name, value in fields.items())])
        found = await self.process.until(look, limit, f'the event {wanted}')
        if found is True:
            raise Failure(f'blepera ended with status {self.process.status} before the event {wanted}')
        return found

    async def interrupt(self, limit: float = 10) -> int:
        """Sends SIGINT, as Ctrl-C does; the exit status."""
        self.process.signal(SIGINT)
        return await self.process.wait(limit)

    async def kill(self) -> None:
        self.process.signal(SIGKILL)
        await self.process.wait()

    def __str__(self) -> str:
        """The command line, the state and the last lines of the process."""
        process, last = self.process, 30
        state = 'running' if process.status is None else f'exit status {process.status}'
        lines = [f'{"!" if line.stream == "err" else " "} {line.text}' for line in process.lines[-last:]]
        if len(process.lines) > last:
            lines.insert(0, f'  ... {len(process.lines) - last} lines before')
        return '\n'.join([f'$ {process} ({state})', *lines])
