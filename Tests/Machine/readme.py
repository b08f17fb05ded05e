"""The lines that README has for a reader with an adapter."""

import re
from dataclasses import dataclass, field

from blepera_tests.paths import ROOT

HEADING = '## On your adapter\n'
TIME = re.compile(r'^\d\d:\d\d:\d\d\.\d{3} +')


@dataclass
class Step:
    line: str  # what is typed
    shown: list[str] = field(default_factory=list)  # lines that have to be shown, in this order

    def missing(self, lines: list[str]) -> list[str]:
        """The lines that are not shown, without their time, after those before."""
        rest = iter([TIME.sub('', line).rstrip() for line in lines])
        return [line for line in self.shown if TIME.sub('', line) not in rest]


def steps() -> list[Step]:
    text = (ROOT / 'README.md').read_text().partition(HEADING)[2]
    block = re.search(r'(?m)(^    .*\n)+', text).group()
    found: list[Step] = []
    for line in (line[4:].rstrip() for line in block.splitlines()):
        if line.startswith('$ '):
            found.append(Step(line[2:]))
        elif line != '...':
            found[-1].shown.append(line)
    return found
