"""A plot of lines on logarithmic axes, as SVG."""

import math
from dataclasses import dataclass, field
from html import escape

WIDTH, HEIGHT = 760, 420
LEFT, RIGHT, TOP, BOTTOM = 80, 190, 50, 60
COLORS = ('#4269d0', '#d6711b', '#3a9d5d', '#c5364d', '#7b5bb5', '#8a6d3b', '#5c6b7a', '#17a2b8')
FONT = 'font-family="sans-serif" font-size="13" fill="#222"'


@dataclass
class Plot:
    title: str
    x: str
    y: str
    lines: dict[str, list[tuple[float, float]]] = field(default_factory=dict)

    def add(self, name: str, points: list[tuple[float, float | None]]) -> None:
        known = [(x, y) for x, y in points if y]
        if known:
            self.lines[name] = known

    def svg(self) -> str:
        points = [point for line in self.lines.values() for point in line]
        if not points:
            return f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}"/>\n'
        across, up = Axis([x for x, _ in points]), Axis([y for _, y in points], is_wide=True)

        def place(x: float, y: float) -> tuple[float, float]:
            return (
                LEFT + across.share(x) * (WIDTH - LEFT - RIGHT),
                HEIGHT - BOTTOM - up.share(y) * (HEIGHT - TOP - BOTTOM))

        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">',
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
            text(LEFT, 28, self.title, weight='bold'),
            text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 15, self.x, 'middle'),
            f'<g transform="translate(20 {(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)">{text(0, 0, self.y, "middle")}</g>',
        ]
        for value in up.ticks():
            _, y = place(across.least, value)
            parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>')
            parts.append(text(LEFT - 8, y + 4, number(value), 'end'))
        for value in sorted({x for x, _ in points}):
            x, _ = place(value, up.least)
            parts.append(f'<path d="M{x:.1f} {HEIGHT - BOTTOM}v5" stroke="#222"/>')
            parts.append(text(x, HEIGHT - BOTTOM + 20, number(value), 'middle'))
        parts.append(f'<path d="M{LEFT} {HEIGHT - BOTTOM}H{WIDTH - RIGHT}" stroke="#222"/>')
        for index, (name, line) in enumerate(self.lines.items()):
            color = COLORS[index % len(COLORS)]
            places = [place(*point) for point in line]
            path = 'L'.join(f'{x:.1f} {y:.1f}' for x, y in places)
            parts.append(f'<path d="M{path}" fill="none" stroke="{color}" stroke-width="2"/>')
            parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{color}"/>' for x, y in places]
            y = TOP + 10 + 22 * index
            parts.append(f'<path d="M{WIDTH - RIGHT + 15} {y - 4}h18" stroke="{color}" stroke-width="3"/>')
            parts.append(text(WIDTH - RIGHT + 40, y, name))
        return '\n'.join([*parts, '</svg>\n'])


class Axis:
    """A logarithmic axis; a wide one ends at powers of ten, so that small differences look small."""

    def __init__(self, values: list[float], is_wide: bool = False):
        self.least, self.most = min(values), max(values)
        if is_wide:
            self.least = 10.0 ** math.floor(math.log10(self.least))
            self.most = max(10.0 ** math.ceil(math.log10(self.most)), 10 * self.least)

    def share(self, value: float) -> float:
        if self.most == self.least:
            return 0.5
        return math.log(value / self.least) / math.log(self.most / self.least)

    def ticks(self) -> list[float]:
        every = steps(self.least, self.most)
        return every if len(every) < 9 else [step for step in every if is_power(step)]


def steps(least: float, most: float) -> list[float]:
    """1, 2 and 5 of every power of ten."""
    first, last = math.floor(math.log10(least)), math.ceil(math.log10(most))
    every = [digit * 10.0**power for power in range(first, last + 1) for digit in (1, 2, 5)]
    return [step for step in every if least * 0.999 <= step <= most * 1.001]


def is_power(value: float) -> bool:
    return abs(math.log10(value) - round(math.log10(value))) < 0.01


def number(value: float) -> str:
    return f'{value:,.0f}' if value >= 1 else f'{value:g}'


def text(x: float, y: float, content: str, anchor: str = 'start', weight: str = 'normal') -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-weight="{weight}" {FONT}>{escape(content)}</text>'
