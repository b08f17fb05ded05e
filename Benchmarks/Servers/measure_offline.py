"""Measurements without a bus: the Swift benchmarks, and the check of a large profile."""

import json
import os
import resource
import subprocess
import sys
import tempfile

from plot import Plot
from report import Report
from servers import BLEPERA, ROOT, profile
from turns import Turns

SERVICES_OF_A_MEGABYTE = 1985
OFFLINE = {
    'policy request': ('an event of a request, in the policy, ns', 'apps'),
    'policy move': ('an event of an app that moves, in the policy, ns', 'apps'),
    'plan': ('a plan of the advertisement, ns', 'apps'),
    'overflow bit': ('an overflow bit, ns', 'bits'),
    'discovery trial': ('a trial of discovery, ns', 'scanInterval'),
    'scenario step': ('a step of a scenario, ns', None),
    'launch on the virtual air': ('a launch on the virtual air, ms', 'services'),
    'discovery': ('a connection with its discovery on the virtual air, ms', 'services'),
    'restoration on the virtual air': ('a restoration on the virtual air, by a read, ms', 'services'),
}


def measure(turns: Turns, report: Report) -> None:
    for program, *arguments in (['OfflineCosts', ROOT / 'scenarios'], ['CrowdedAir'], ['PhoneDay']):
        command = [str(ROOT / '.build' / 'release' / program), *map(str, arguments)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        for line in done.stdout.splitlines():
            turns.add('offline', **json.loads(line), server='blepera', size=1, ok=True)
        print('.', end='', flush=True, file=sys.stderr)
    for line in update_cost():
        turns.add('update', **json.loads(line), server='blepera', size=1, ok=True)
    path = str(profile(SERVICES_OF_A_MEGABYTE))
    plist = f'import plistlib; plistlib.load(open({path!r}, "rb"))'
    for name, command in (('blepera', [BLEPERA, 'check', path]), ('plistlib', [sys.executable, '-c', plist])):
        for _ in range(5):
            turns.add('check', server=name, size=1, ok=True, time=processor_time(command))

    report.heading('Without a bus')
    rows = {}
    for work, (title, key) in OFFLINE.items():
        found = [line for line in turns.figures if line['subject'] == 'offline' and line['work'] == work]
        for line in found:
            amount = f', {line[key]:,.0f} {key if line[key] > 1 else key[:-1]}' if key else ''
            rows[title + amount] = [line['time']]
    report.table('Processor time', ['blepera'], rows, digits=1)
    report.table('A call of updateValue of Core Bluetooth by another process, without subscribers', ['microseconds'], {
        'real time': [turns.median('update', 'time', work='updateValue') / 1000]}, digits=1)
    megabytes = os.path.getsize(path) / 1e6
    report.table(f'Check of a profile of {megabytes:.1f} MB, in milliseconds', ['blepera', 'Python\'s plistlib'], {
        'processor time': [turns.median('check', 'time', server=name) for name in ('blepera', 'plistlib')]})
    crowds = [line for line in turns.figures if line['subject'] == 'offline' and line['work'] == 'crowd']
    columns = ['simulated, s', 'time, s', 'simulated : real', 'phone-hours a second', 'memory, MB']
    report.table('Phones on one air, each with a central that has subscribed', columns, {
        crowd(line): [
            line['simulated'], f'{line["time"]:.3f}', line['simulated'] / line['time'], phone_hours(line), line['memory']]
        for line in crowds})
    title = 'Phone-hours that are simulated in a second, with 50 scanning centrals'
    plot = Plot(title, 'phones', 'phone-hours a second')
    plot.add('blepera', [(line['phones'], phone_hours(line)) for line in crowds if line['centrals'] == 50])
    report.plot('air', plot)
    report.table('A day of a phone whose app is woken, terminated and restored every minute', ['seconds'], {
        'processor time': [turns.median('offline', 'time', work='day')]}, digits=2)


def update_cost() -> list[str]:
    """The figures of an app that starts its own virtual phone."""
    with tempfile.TemporaryDirectory() as folder:
        settings = {
            'BLEPERA_RADIO': 'virtual',
            'BLEPERA_PROGRAM': str(BLEPERA),
            'BLEPERA_RUNTIME_DIR': f'{folder}/run',
            'XDG_STATE_HOME': f'{folder}/state',
        }
        command = [str(ROOT / '.build' / 'release' / 'UpdateCost')]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env={**os.environ, **settings})
        return done.stdout.splitlines()


def crowd(line: dict) -> str:
    phones = f'{line["phones"]:,.0f} phone{"s" if line["phones"] > 1 else ""}'
    return f'{phones}, {line["centrals"]:.0f} centrals{" that scan" if line["scanning"] else ""}'


def phone_hours(line: dict) -> float:
    return line['phones'] * line['simulated'] / 3600 / line['time']


def processor_time(command: list) -> float:
    """The processor time of a command, in milliseconds."""

    def used() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    before = used()
    subprocess.run(list(map(str, command)), stdout=subprocess.DEVNULL, check=True)
    return 1000 * (used() - before)
