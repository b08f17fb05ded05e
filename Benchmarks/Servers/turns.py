"""Work that several servers get in turns, and the figures of each."""

import statistics
import sys

from servers import drive


class Turns:
    """Plays work to servers, another one first in each round, and keeps every figure."""

    def __init__(self, rounds: int, is_quick: bool, only: set[str]):
        self.rounds = rounds
        self.is_quick = is_quick
        self._only = only
        self.figures: list[dict] = []

    def play(
        self, subject: str, servers: dict, work: str, sizes: tuple = (1,), rounds: int | None = None, **more
    ) -> None:
        """`servers` has for each name a function from the number of services to the command."""
        names = [name for name in servers if not self._only or name.split(',')[0] in self._only]
        for number in range(rounds or self.rounds):
            for size in sizes:
                shift = number % max(1, len(names))
                for name in names[shift:] + names[:shift]:
                    for line in drive(work, servers[name](size), size, **more):
                        self.add(subject, **line, server=name, size=size, round=number)
                    print('.', end='', flush=True, file=sys.stderr)

    def add(self, subject: str, **figure) -> None:
        self.figures.append({'subject': subject, **figure})

    def values(self, subject: str, figure: str, **match) -> list:
        """`figure` may be a path: background.registered.p50."""
        found = []
        for line in self.figures:
            if line['subject'] != subject or any(line.get(key) != value for key, value in match.items()):
                continue
            value = line
            for key in figure.split('.'):
                value = value.get(key) if isinstance(value, dict) else None
            if value is not None:
                found.append(value)
        return found

    def median(self, subject: str, figure: str, **match) -> float | None:
        """The median of the rounds in which the work was done; None if it never was."""
        found = self.values(subject, figure, ok=True, **match)
        return statistics.median(found) if found else None

    def names(self, subject: str) -> list[str]:
        return list(dict.fromkeys(line['server'] for line in self.figures if line['subject'] == subject))

    def sizes(self, subject: str) -> list[int]:
        return sorted({line['size'] for line in self.figures if line['subject'] == subject})
