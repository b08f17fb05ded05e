"""A phone that changes: its apps move to the background, it is killed, and it serves for long."""

from report import Report, services
from servers import BLEPERA, floor, profile, serve
from turns import Turns

APPS = 20
TOGGLED = {
    '1 app': serve(),
    '1 app, 100 services': lambda _: [BLEPERA, 'serve', profile(100)],
    f'{APPS} apps': lambda _: [BLEPERA, 'serve', '--split-view', *(profile(1, first=app) for app in range(APPS))],
}
SERVICES = {'1 app': 1, '1 app, 100 services': 100, f'{APPS} apps': APPS}
GROWING = {'floor': floor(), 'blepera': serve()}


def measure(turns: Turns, report: Report) -> None:
    for name, server in TOGGLED.items():
        turns.play(
            'toggles', {name: server}, 'sleep 0.3; toggle-socket 10; toggle 5', (SERVICES[name],),
            options=('--blepera', BLEPERA))
    turns.play('restores', {'blepera': serve(restore='restore')}, 'sleep 0.3; restore', (1, 100, 1000))
    n = 50_000 if turns.is_quick else 1_000_000
    work = f'connect; sleep 0.2; read cached 0 20000 16; memory before; read cached 0 {n} 16; memory after'
    turns.play('growth', GROWING, work, rounds=1)

    report.heading('Changes')
    columns = turns.names('toggles')
    report.table('Until the new advertisement is registered, in milliseconds', columns, {
        f'to the {way}, by the {name}': [
            turns.median('toggles', f'{way}.registered.p50', server=server, work=work) for server in columns]
        for name, work in (('socket', 'toggle-socket'), ('command', 'toggle'))
        for way in ('background', 'foreground')}, digits=1)
    report.table(
        'The phone is killed: until all is registered again, in milliseconds',
        [services(size) for size in turns.sizes('restores')], {
            title: [turns.median('restores', figure, size=size, work='restore') for size in turns.sizes('restores')]
            for title, figure in (('the services', 'all'), ('the advertisement', 'advertisement'))}, digits=1)
    columns = turns.names('growth')
    report.table(f'Memory before and after {n:,} cached reads, in KiB', columns, {
        f'{title} {label}': [turns.median('growth', figure, server=name, label=label) for name in columns]
        for title, figure in (('resident', 'rss'), ('anonymous', 'anonymous'))
        for label in ('before', 'after')})
