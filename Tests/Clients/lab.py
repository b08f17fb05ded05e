"""`blepera lab` for a test, and what its phones tell."""

import json
import shlex
import signal

from program import Program


class Lab(Program):
    def __init__(self, blepera: str, *options: str):
        super().__init__(blepera, 'lab', '--json', *options)
        try:
            line = self.line('export DBUS_SYSTEM_BUS_ADDRESS=')
        except AssertionError:
            self.end(signal.SIGTERM)
            raise
        self.bus = shlex.split(line)[1].partition('=')[2]

    @property
    def events(self) -> list[dict]:
        return [json.loads(line) for line in self.errors if line.startswith('{')]

    def event(self, name: str, **wanted) -> dict:
        """The first event of that name with these values; waited for."""

        def found():
            for event in self.events:
                if event['event'] == name and wanted.items() <= event.items():
                    return event
            return None

        return self.wait_for(found, f'{name} {wanted}')

    def close(self) -> None:
        status = self.end(signal.SIGINT)
        assert status == 0, f'blepera lab ended with {status}: {self.errors}'
