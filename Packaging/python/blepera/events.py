"""The events of phones in their order, and the place up to which a test has waited for them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

Event = dict[str, Any]


class Events:
    """The events of one phone, or of all; threads that wait are woken through `changed`."""

    def __init__(self, changed: threading.Condition, has_ended: Callable[[], bool]) -> None:
        self._changed = changed
        self._has_ended = has_ended
        self._all: list[Event] = []
        self._place = 0
        """The number of events up to and with the one that was last waited for."""

    def append(self, event: Event) -> None:
        """The caller holds `changed`."""
        self._all.append(event)

    def so_far(self) -> list[Event]:
        with self._changed:
            return list(self._all)

    def wait_for(self, name: str, timeout: float, since: int | None, fields: dict[str, object]) -> Event:
        end = time.monotonic() + timeout
        with self._changed:
            start = self._place if since is None else since
            place = start
            while True:
                while place < len(self._all):
                    event = self._all[place]
                    place += 1
                    if matches(event, name, fields):
                        self._place = place
                        return event
                rest = end - time.monotonic()
                if rest <= 0 or self._has_ended():
                    raise TimeoutError(self._missing(name, timeout, start, fields))
                self._changed.wait(rest)

    def _missing(self, name: str, timeout: float, start: int, fields: dict[str, object]) -> str:
        words = ' '.join([name, *(f'{field}={value}' for field, value in fields.items())])
        text = f'no event {words} within {timeout} s'
        if start:
            last = self._all[:start][-1]
            text += f' after the event {last.get("event")} of {str(last.get("time", ""))[11:23]}'
        if any(matches(event, name, fields) for event in self._all[:start]):
            text += '; an earlier one is there, which since=0 finds'
        return text


def matches(event: Event, name: str, fields: dict[str, object]) -> bool:
    return event.get('event') == name and all(
        field in event and event[field] == value for field, value in fields.items())
