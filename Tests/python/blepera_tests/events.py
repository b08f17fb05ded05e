"""The events that blepera prints with --json: one JSON object per line."""

import json
from collections.abc import Iterable


def parse_events(lines: Iterable[str]) -> list[dict]:
    """The events in these lines; a line that is not a JSON object is an error."""
    events = []
    for line in lines:
        try:
            events.append({'time': None, 'event': None} | json.loads(line))
        except (ValueError, TypeError):
            raise AssertionError(f'with --json blepera printed a line that is not a JSON object: {line}') from None
    return events


def find_event(events: Iterable[dict], name: str, **fields) -> dict | None:
    """The first event with this name and these fields; None stands for a field that is absent."""
    for event in events:
        if event['event'] == name and all(event.get(field) == value for field, value in fields.items()):
            return event
    return None
