"""The goals, as ratios to the floor of the same run wherever there is a floor."""

import json

from measure_requests import CALLS
from report import Report
from servers import HERE, PEERS
from turns import Turns

INSTRUCTIONS = json.loads((HERE / 'instructions.json').read_text())
Goal = tuple[str, str, 'float | None', float]


def show(turns: Turns, report: Report) -> None:
    rows = {}
    for name, unit, value, most in [*requests(turns), *the_rest(turns)]:
        if value is None:
            continue
        is_least, limit = most < 0, abs(most)
        verdict = 'met' if (value >= limit if is_least else value <= limit) else '**missed**'
        rows[name] = [f'{"at least" if is_least else "at most"} {limit:g}{unit}', f'{value:,.2f}{unit}', verdict]
    report.heading('Goals')
    report.table('As ratios to the floor of this run, where there is one', ['goal', 'found', ''], rows)


def requests(turns: Turns) -> list[Goal]:
    """The goals for each call; a negative number is a minimum."""
    goals: list[Goal] = []

    def ratio(figure: str, floor: str, call: dict) -> float | None:
        return divided(
            turns.median('requests', figure, server='blepera', **call),
            turns.median('requests', figure, server=floor, **call))

    for name, call in CALLS:
        is_cached = call['kind'] == 'cached'
        floor = 'floor' if is_cached else 'floor, app apart'
        most = 1.6 if is_cached else 2.5
        goals.append((f'{name}: processor time, of the {floor}', '', ratio('cpu', floor, call), most))
        peers = [turns.median('requests', 'cpu', server=peer, **call) for peer in PEERS]
        fastest = min((time for time in peers if time), default=None)
        own = turns.median('requests', 'cpu', server='blepera', **call)
        goals.append((f'{name}: processor time, of the best peer', '', divided(own, fastest), 1))
        if call['flight'] == 1:
            goals.append((f'{name}: 99th percentile, of the {floor}', '', ratio('p99', floor, call), 2))
        else:
            goals.append((f'{name}: rate, of the {floor}', '', ratio('rate', floor, call), -0.6 if is_cached else -0.4))
    return goals


def the_rest(turns: Turns) -> list[Goal]:
    def start(server: str, size: int) -> float | None:
        return turns.median('starts', 'advertisement', server=server, size=size, work='start')

    def memory(figure: str, size: int) -> float | None:
        return divided(turns.median('starts', figure, server='blepera', size=size, work='memory'), 1024)

    def subtracted(value: float | None, other: float | None) -> float | None:
        return None if value is None or other is None else value - other

    def burst(subscribers: int) -> float | None:
        rates = [
            turns.median(f'burst {subscribers}', 'rate', server=server, work='burst')
            for server in ('blepera, app in C', 'floor')]
        return divided(*rates)

    def more(value: float | None, than: float | None) -> float | None:
        part = divided(value, than)
        return None if part is None else 100 * (part - 1)

    crowds = [line for line in turns.figures if line['subject'] == 'offline' and line['work'] == 'crowd']
    speed = min((line['simulated'] / line['time'] for line in crowds if line['phones'] == 1000), default=None)
    scanners = [line for line in turns.figures if line['subject'] == 'offline' and line['work'] == 'scanners']
    round_trip = turns.median('requests', 'p50', server='floor', work='read', kind='cached', flight=1)
    toggle = turns.median('toggles', 'background.registered.p50', server='1 app', work='toggle-socket')
    many = turns.median('toggles', 'background.registered.p50', server='20 apps', work='toggle-socket')
    trips = None if round_trip is None else 2 * round_trip / 1000
    lost = turns.values('events', 'lost')
    growth = [turns.median('growth', 'rss', server='blepera', label=label) for label in ('before', 'after')]
    one, hundred = (
        sum(INSTRUCTIONS[name]['instructions'].values()) for name in ('cached read', 'cached read of 100 services'))
    return [
        *((f'events of the phone as {kind}, {title}: on top of a request', ' %', more(
            turns.median('events', 'cpu', server=f'phone, {kind}', **match),
            turns.median('events', 'cpu', server='phone, no events', **match)), 25)
          for kind in ('text in a terminal', 'JSON')
          for title, match in (
              ('cached read, 1 at a time', {'work': 'read', 'kind': 'cached'}),
              ('dynamic read, 1 at a time', {'work': 'read', 'kind': 'dynamic'}),
              ('cached read, 2,000 a second', {'work': 'rate'}))),
        ('events lost at 2,000 a second', '', max(lost, default=None), 0),
        ('start with 1 service, above the floor', ' ms', subtracted(start('blepera', 1), start('floor', 1)), 30),
        ('start with 250 services, of the split floor', '', divided(
            start('blepera', 250), start('floor, split', 250)), 6),
        ('resident memory with 1 service', ' MiB', memory('rss', 1), 40),
        ('proportional memory with 1 service', ' MiB', memory('pss', 1), 21),
        ('resident memory with 250 services', ' MiB', memory('rss', 250), 42),
        ('resident memory after all cached reads, more than before', ' %', more(growth[1], growth[0]), 1),
        ('instructions of a cached read with 100 services, more than with 1', ' %', more(hundred, one), 10),
        *((f'burst with {count} subscriber{"s" if count > 1 else ""}: rate, of the floor', '', burst(count), -0.6)
          for count in (1, 10, 100)),
        ('toggle with 1 app, above two round trips', ' ms', subtracted(toggle, trips), 2),
        ('toggle with 20 apps, above two round trips', ' ms', subtracted(many, trips), 2),
        ('1,000 phones and 50 scanning centrals, simulated : real', '', speed, -20),
        ('100 phones that scan in the background and 100 accessories, simulated : real', '',
         min((line['simulated'] / line['time'] for line in scanners), default=None), -20),
        ('connecting to a phone of 10 services and discovering it', ' ms',
         turns.median('offline', 'time', work='discovery'), 2),
        ('a day of a phone', ' s', turns.median('offline', 'time', work='day'), 0.7),
    ]


def divided(value: float | None, by: float | None) -> float | None:
    return value / by if value is not None and by else None
