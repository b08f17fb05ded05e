"""The cost of printing events, and the number of lost events."""

import os
import pty
import re
import threading

from report import Report
from servers import BUILD, phone, serve
from turns import Turns

RATE = 2000
SERVERS = {
    'phone, no events': (phone('--detached'), None),
    'phone, text in a terminal': (phone(), 'terminal'),
    'phone, JSON': (phone('--json'), 'file'),
    'serve, text to nowhere': (serve(), None),
    'serve, text in a terminal': (serve(), 'terminal'),
    'serve, JSON': (serve('--json'), 'file'),
}
# The event of a read as JSON, and as text with colors.
READ = re.compile(rb'"event":"read"|read(\x1b\[0m)? {12}')


class Output:
    """A terminal or a file that a server prints on; counts the reads in it."""

    def __init__(self, kind: str | None):
        self.path, self.reads = '/dev/null', 0
        self._file = None
        if kind == 'terminal':
            self._reader, self._end = pty.openpty()
            self.path = os.ttyname(self._end)
            self._thread = threading.Thread(target=self._count, daemon=True)
            self._thread.start()
        elif kind == 'file':
            self._file = BUILD / 'events'
            self._file.unlink(missing_ok=True)
            self.path = str(self._file)

    def _count(self) -> None:
        rest = b''
        try:
            while block := os.read(self._reader, 65536):
                *lines, rest = (rest + block).split(b'\n')
                self.reads += sum(1 for line in lines if READ.search(line))
        except OSError:
            pass  # nobody has the terminal anymore

    def close(self) -> int:
        if self._file:
            with self._file.open('rb') as lines:
                self.reads = sum(1 for line in lines if READ.search(line))
            self._file.unlink()
        elif self.path != '/dev/null':
            os.close(self._end)
            self._thread.join(10)
            os.close(self._reader)
        return self.reads


def measure(turns: Turns, report: Report) -> None:
    n, count = (500, 4000) if turns.is_quick else (3000, 20000)
    work = f'connect; sleep 0.3; write dynamic 0 1 1; read cached 0 {n} 1; read dynamic 0 {n} 1; ' \
        f'rate cached 0 {count} {RATE}; sleep 0.5'
    names = list(SERVERS)
    for number in range(turns.rounds):
        shift = number % len(names)
        for name in names[shift:] + names[:shift]:
            server, kind = SERVERS[name]
            output = Output(kind)
            before = len(turns.figures)
            turns.play('events', {name: server}, work, rounds=1, options=('--output', output.path))
            reads = sum(line['calls'] for line in turns.figures[before:] if line['work'] in ('read', 'rate'))
            printed = output.close()
            if kind:
                turns.add('events', work='lost', server=name, round=number, ok=True, lost=reads - printed)
    report.heading('Events')
    rows = {
        f'{title}, in microseconds': [turns.median('events', 'cpu', server=name, **match) for name in names]
        for title, match in (
            ('cached read, 1 at a time', {'work': 'read', 'kind': 'cached'}),
            ('dynamic read, 1 at a time', {'work': 'read', 'kind': 'dynamic'}),
            (f'cached read, {RATE:,} a second', {'work': 'rate'}))}
    rows['events lost'] = [max(turns.values('events', 'lost', server=name), default=None) for name in names]
    report.table('Processor time of a request, with its event printed', names, rows)
