"""`blepera lab`: a message bus with a virtual BlueZ, and phones on its radio."""

from __future__ import annotations

import collections
import json
import os
import pathlib
import shlex
import signal
import subprocess
import threading
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import IO, Any

from .events import Event, Events
from .phone import Phone
from .predict import predict
from .program import find_program, option_words

END_TIMEOUT = 20
"""Seconds that a lab may take to end before it is killed."""


class LabError(Exception):
    """A lab cannot be started, or has failed; the message has what it printed."""


class Lab:
    """Phones on a radio of their own, until `close` or the end of a `with` block.

    `profiles` are paths, one phone each. `app` is a program of one's own for a phone of its own: its path, or its words.
    Keywords are options of `blepera lab`: `ios=14`, `loss=40`, `phone_services=True`. `environment` has what programs
    need to find the radio: the address of the bus.
    """

    def __init__(
        self,
        profiles: Sequence[str | os.PathLike[str]] = (),
        *,
        app: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
        program: str | None = None,
        report: str | os.PathLike[str] | None = None,
        **options: Any,
    ) -> None:
        self.program = program or find_program()
        self.report = pathlib.Path(report) if report else None
        self.phones: dict[str, Phone] = {}
        self.environment: dict[str, str] = {}
        self._profiles = list(profiles)
        self._rules: dict[str, Any] = {name: options[name] for name in ('ios', 'loss') if name in options}
        self._messages: collections.deque[str] = collections.deque(maxlen=100)
        self._settings: str | None = None
        self._open_streams = 2
        self._changed = threading.Condition()
        self._events = Events(self._changed, self._has_ended)
        self._phone_events: collections.defaultdict[str, Events] = collections.defaultdict(
            lambda: Events(self._changed, self._has_ended))
        if report is not None:
            options['report'] = os.fspath(report)
        words = [self.program, 'lab', '--json', *option_words(options)]
        for profile in profiles:
            words += ['--serve', os.fspath(profile)]
        if app is not None:
            program_words = [app] if isinstance(app, (str, os.PathLike)) else app
            words += ['--app', shlex.join(os.fspath(word) for word in program_words)]
        # A session of its own: Ctrl-C ends the test first, which then ends the lab.
        self._process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            start_new_session=True,
        )
        assert self._process.stdout and self._process.stderr
        self._readers = [
            threading.Thread(target=self._read, args=(self._process.stdout, self._read_setting), daemon=True),
            threading.Thread(target=self._read, args=(self._process.stderr, self._read_event), daemon=True),
        ]
        for reader in self._readers:
            reader.start()
        try:
            self._wait_until_started(words)
        except BaseException:
            self._process.kill()
            self._join()
            raise

    def __enter__(self) -> Lab:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def phone(self) -> Phone:
        """The first phone."""
        return next(iter(self.phones.values()))

    @property
    def events(self) -> list[Event]:
        """The events of all phones so far."""
        return self._events.so_far()

    @property
    def messages(self) -> list[str]:
        """The last lines that the lab has printed besides events: what the app prints, and errors."""
        with self._changed:
            return list(self._messages)

    def wait_for(self, event: str, timeout: float = 10, since: int | None = None, **fields: object) -> Event:
        """Waits as `Phone.wait_for` does, for the events of all phones."""
        return self._events.wait_for(event, timeout, since, fields)

    def predict(self, **options: Any) -> list[dict[str, Any]]:
        """Predicts as `blepera.predict` does, for the profile of each phone, and with the `ios` and `loss` of this lab.

        A prediction is computed: no time passes in the lab.
        """
        options = {'program': self.program, **self._rules, **options}
        if 'profile' in options or 'interval' in options:
            return predict(**options)
        return [prediction for profile in self._profiles for prediction in predict(profile, **options)]

    def close(self) -> None:
        """Ends the lab, which writes its report; raises LabError if the lab has failed."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
        try:
            status = self._process.wait(END_TIMEOUT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            raise LabError(f'the lab has not ended within {END_TIMEOUT} s and was killed') from None
        finally:
            self._join()
        if status:
            raise LabError('\n'.join([f'the lab has ended with status {status}', *self._messages]))

    def _wait_until_started(self, words: list[str]) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._settings or self._has_ended(), timeout=60)
        if self._settings is None:
            self._process.kill()
            self._join()
            raise LabError('\n'.join([shlex.join(words), *self._messages]))
        for setting in shlex.split(self._settings)[1:]:  # export NAME='VALUE' ...
            name, value = setting.split('=', 1)
            self.environment[name] = value
        with self._changed:
            for name in self.environment.get('BLEPERA_PHONES', '').split():
                self.phones[name] = Phone(name, self.program, self.environment, self._phone_events[name])

    def _has_ended(self) -> bool:
        return self._open_streams == 0

    def _read(self, stream: IO[str], handle: Callable[[str], None]) -> None:
        for line in stream:
            with self._changed:
                handle(line.rstrip('\n'))
                self._changed.notify_all()
        with self._changed:
            self._open_streams -= 1
            self._changed.notify_all()

    def _read_setting(self, line: str) -> None:
        if self._settings is None and line.startswith('export '):
            self._settings = line

    def _read_event(self, line: str) -> None:
        try:
            event = json.loads(line)
        except ValueError:
            event = None
        if isinstance(event, dict):
            self._events.append(event)
            self._phone_events[event.get('phone', '')].append(event)
        else:
            self._messages.append(line)

    def _join(self) -> None:
        self._process.wait()
        for reader in self._readers:
            reader.join()
