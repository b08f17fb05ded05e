"""Reads and writes, one at a time and 16."""

from report import Report
from servers import PEERS, floor, phone, serve
from turns import Turns

SERVERS = {
    'floor': floor(),
    'floor, app apart': floor('--app'),
    'blepera': serve(queue=1_000_000),
    'blepera, app in C': phone(),
    **PEERS,
}
CALLS = [
    (f'{kind} {work}, {flight} at a time', {'work': work, 'kind': kind, 'flight': flight})
    for work, kind in (('read', 'cached'), ('read', 'dynamic'), ('write', 'dynamic'))
    for flight in (1, 16)
]


def measure(turns: Turns, report: Report) -> None:
    n = 500 if turns.is_quick else 3000
    calls = '; '.join(f'{call["work"]} {call["kind"]} 0 {n} {call["flight"]}' for _, call in CALLS)
    turns.play('requests', SERVERS, f'connect; sleep 0.2; write dynamic 0 1 1; {calls}')
    names = turns.names('requests')
    report.heading('Requests')
    for title, figure in (
        ('Processor time of a call, in microseconds, all processes of the server', 'cpu'),
        ('Calls a second', 'rate'),
        ('Median, in microseconds', 'p50'),
        ('99th percentile, in microseconds', 'p99'),
    ):
        rows = {
            title: [turns.median('requests', figure, server=name, **call) for name in names] for title, call in CALLS}
        report.table(title, names, rows)
