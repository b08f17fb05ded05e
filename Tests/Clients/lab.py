"""`blepera lab` for a test, and what its phones print."""

import shlex
import signal

from blepera_tests.events import find_event, parse_events
from program import Program


class Lab(Program):
    def __init__(self, blepera: str, *options: str):
        super().__init__(blepera, 'lab', '--json', '--link-interval', '7.5', *options)
        try:
            line = self.line('export DBUS_SYSTEM_BUS_ADDRESS=')
        except AssertionError:
            self.end(signal.SIGTERM)
            raise
        self.settings = dict(setting.split('=', 1) for setting in shlex.split(line)[1:])
        self.bus = self.settings['DBUS_SYSTEM_BUS_ADDRESS']

    @property
    def events(self) -> list[dict]:
        return parse_events(line for line in self.errors if line.startswith('{'))

    def event(self, name: str, **fields) -> dict:
        """Waits for the first event with this name and these fields."""
        return self.wait_for(lambda: find_event(self.events, name, **fields), f'{name} {fields}')

    def close(self) -> None:
        status = self.end(signal.SIGINT)
        assert status == 0, f'blepera lab ended with {status}: {self.errors}'
