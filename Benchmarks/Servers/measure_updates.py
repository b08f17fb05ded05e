"""Updates: bursts with 1 to 100 subscribers, echoes, values that count, and subscriptions."""

from plot import Plot
from report import Report
from servers import PEERS, floor, phone, serve
from turns import Turns

BURSTS = {'floor': floor(), 'blepera, app in C': phone()}
ECHOES = {'floor': floor(), 'blepera': serve(queue=1_000_000), **PEERS}
COUNTERS = 50
COUNTING = {'floor': floor('--counters', COUNTERS), 'blepera': serve(queue=1_000_000, counters=COUNTERS)}
SUBSCRIPTIONS = {'blepera': serve(), 'blepera, restorable': serve(restore='restore')}
SUBSCRIBERS = (1, 10, 100)
COUNT = 10_000


def most(turns: Turns, subject: str, figure: str, **match) -> float | None:
    return max(turns.values(subject, figure, **match), default=None)


def measure(turns: Turns, report: Report) -> None:
    for subscribers in SUBSCRIBERS:
        work = f'connect {subscribers}; sleep 0.2; subscribe notify 0 0 {subscribers}; burst {COUNT}'
        turns.play(f'burst {subscribers}', BURSTS, work)
    work = f'connect; sleep 0.2; subscribe notify 0 0; burst {COUNT}'
    turns.play('burst 1', PEERS, work, may_fail=True)
    n = 500 if turns.is_quick else 3000
    turns.play('echoes', ECHOES, f'connect; sleep 0.2; subscribe echo 0 0; echo {n} 1; echo {n} 16')
    seconds = 3 if turns.is_quick else 10
    turns.play(
        'counting', COUNTING, f'connect; sleep 0.2; subscribe counter 0 {COUNTERS - 1}; sleep 1; listen {seconds}',
        (COUNTERS,))
    turns.play('subscriptions', SUBSCRIPTIONS, 'connect 50; sleep 0.2; subscribe notify 0 0 50')

    report.heading('Updates')
    report.text(
        'The subscribers are devices on the private bus, each of which subscribes by AcquireNotify where the server has '
        'that; for all of them bluetoothd gets one signal. The transmit queue of blepera has room for a million '
        'updates; that of an iPhone, the default, for four, which a connection event of 30 ms empties.')
    columns = list(BURSTS) + list(PEERS)
    plot = Plot(f'Updates a second in a burst of {COUNT:,}', 'subscribers', 'updates a second')
    for title, figure in (
        (f'Updates a second, burst of {COUNT:,}', 'rate'),
        ('Processor time of an update, in microseconds', 'cpu'),
        ('Lost', 'lost'),
        ('Out of order', 'disordered'),
    ):
        # Lost updates are shown for servers that lose updates, too.
        shown = most if figure in ('lost', 'disordered') else Turns.median
        report.table(title, columns, {
            f'{subscribers} subscriber{"s" if subscribers > 1 else ""}': [
                shown(turns, f'burst {subscribers}', figure, server=server, work='burst') for server in columns]
            for subscribers in SUBSCRIBERS})
    for server in BURSTS:
        plot.add(server, [
            (count, turns.median(f'burst {count}', 'rate', server=server, work='burst')) for count in SUBSCRIBERS])
    report.plot('updates', plot)
    columns = turns.names('echoes')
    for title, figure in (
        ('Write until its update, processor time in microseconds', 'cpu'),
        ('Write until its update, a second', 'rate'),
    ):
        report.table(title, columns, {
            f'{flight} at a time': [
                turns.median('echoes', figure, server=name, work='echo', flight=flight) for name in columns]
            for flight in (1, 16)})
    columns = turns.names('counting')
    report.table(f'{COUNTERS} values that count 50 times a second', columns, {
        title: [turns.median('counting', figure, server=name, work='listen') for name in columns]
        for title, figure in (
            ('updates a second', 'rate'), ('processor time of an update, in microseconds', 'cpu'), ('lost', 'lost'),
            ('out of order', 'disordered'), ('longest gap of a value, in milliseconds', 'longest_gap'))})
    columns = turns.names('subscriptions')
    report.table('A subscription, in microseconds; a restorable one is on the disk when it is answered', columns, {
        title: [turns.median('subscriptions', figure, server=name, work='subscribe') for name in columns]
        for title, figure in (('median', 'p50'), ('99th percentile', 'p99'))})
