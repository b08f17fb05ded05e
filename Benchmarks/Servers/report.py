"""The report: Markdown with its plots beside it."""

import pathlib

from plot import Plot


class Report:
    def __init__(self, folder: pathlib.Path):
        self._folder = folder
        self._parts: list[str] = []

    def heading(self, text: str) -> None:
        self._parts.append(f'## {text}')

    def text(self, text: str) -> None:
        self._parts.append(text)

    def table(self, title: str, columns: list, rows: dict, digits: int = 0) -> None:
        """`rows` has for each name a value for each column; None is what was not measured or not done."""
        lines = [f'**{title}**', '', f'| | {" | ".join(map(str, columns))} |', f'|---|{"---|" * len(columns)}']
        for name, values in rows.items():
            lines.append(f'| {name} | {" | ".join(cell(value, digits) for value in values)} |')
        self._parts.append('\n'.join(lines))

    def plot(self, name: str, plot: Plot) -> None:
        (self._folder / f'{name}.svg').write_text(plot.svg())
        self._parts.append(f'![{plot.title}]({name}.svg)')

    def insert(self, place: int, other: 'Report') -> None:
        self._parts[place:place] = other._parts

    @property
    def markdown(self) -> str:
        return '\n\n'.join(self._parts) + '\n'


def cell(value: float | str | None, digits: int) -> str:
    if value is None:
        return '-'
    return value if isinstance(value, str) else f'{value:,.{digits}f}'


def services(number: int) -> str:
    return f'{number:,} service{"s" if number > 1 else ""}'
