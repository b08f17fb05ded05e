"""`blepera` in the micro-VM: what it prints with --json is read as events."""

import json
from signal import SIGINT, SIGKILL

from .errors import Failure
from .process import Process


class Blepera:
    def __init__(self, process: Process):
        self.process = process

    @property
    def events(self) -> list[dict]:
        """What it told so far; a line that is not a JSON object is a failure of its own."""
        told = []
        for line in self.process.lines:
            if line.stream == 'out':
                try:
                    told.append({'time': None, 'event': None} | json.loads(line.text))
                except (ValueError, TypeError):
                    raise Failure(f'with --json blepera printed a line that is no JSON object: {line.text}') from None
        return told

    @property
    def mark(self) -> int:
        """How many events it told so far; `until` can start from there."""
        return len(self.events)

    async def until(self, event: str, limit: float = 20, after: int = 0, **fields) -> dict:
        """The first event of that name with those fields, already told or still to come."""

        def look() -> dict | bool:
            for told in self.events[after:]:
                if told['event'] == event and all(told.get(name) == value for name, value in fields.items()):
                    return told
            return self.process.status is not None

        wanted = ' '.join([f'"{event}"', *(f'{name}={value}' for name, value in fields.items())])
        told = await self.process.until(look, limit, f'the event {wanted}')
        if told is True:
            raise Failure(f'blepera ended with status {self.process.status} before the event {wanted}')
        return told

    async def interrupt(self, limit: float = 10) -> int:
        """Ctrl-C; its exit status."""
        self.process.signal(SIGINT)
        return await self.process.wait(limit)

    async def kill(self) -> None:
        self.process.signal(SIGKILL)
        await self.process.wait()
