"""The driver, the profiles and the servers."""

import json
import pathlib
import plistlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = ROOT / '.build' / 'bench'
BLEPERA = ROOT / '.build' / 'release' / 'blepera'
VALUE = bytes(range(20))


def build() -> None:
    """Compiles the driver, the floor and the app with the toolchain's own clang."""
    BUILD.mkdir(parents=True, exist_ok=True)
    flags = subprocess.run(['pkg-config', '--cflags', '--libs', 'dbus-1'], capture_output=True, text=True, check=True)
    programs = {'driver': ['driver.c', 'bluez.c', 'util.c'], 'floor': ['floor.c'], 'app': ['app.c']}
    for program, sources in programs.items():
        files = [str(HERE / source) for source in sources]
        options = ['-O2', '-g', '-std=gnu11', '-Wall', '-Wextra', '-o', str(BUILD / program)]
        subprocess.run(['clang', *options, *files, *flags.stdout.split()], check=True)


def uuid(service: int, kind: int) -> str:
    return f'{service:08X}-7065-7266-0000-{kind:012X}'


def characteristic(service: int, kind: int, properties: str, permissions: str, **more) -> dict:
    return {'UUID': uuid(service, kind), 'Properties': properties.split(), 'Permissions': permissions.split(), **more}


def profile(
    services: int, restore: str | None = None, queue: int | None = None, counters: int = 0, first: int = 0
) -> pathlib.Path:
    """A profile with the database of perf.h, of the services from `first` on.

    `queue` is how many updates may wait for a central, else four; the first `counters` services have a value that counts
    50 times a second."""

    def service(number: int) -> dict:
        characteristics = [characteristic(number, 1, 'read', 'readable', Value=VALUE)]
        if number == 0:
            characteristics += [
                characteristic(0, 2, 'read write', 'readable writeable'),
                characteristic(0, 3, 'read notify', 'readable'),
                characteristic(0, 4, 'write', 'writeable'),
                characteristic(0, 5, 'write notify', 'writeable', Behavior={'Kind': 'echo'}),
            ]
        if number < counters:
            counter = {'Kind': 'counter', 'Format': 'uint32', 'Interval': 0.02}
            characteristics.append(characteristic(number, 6, 'read notify', 'readable', Behavior=counter))
        return {'UUID': uuid(number, 0), 'Characteristics': characteristics}

    name = f'{restore or "perf"}-{first}-{services}-{queue or 0}-{counters}'
    peripheral = {
        'Advertisement': {'LocalName': 'Perf', 'ServiceUUIDs': [uuid(first, 0)]},
        'Services': [service(number) for number in range(first, first + services)],
    }
    if restore:
        peripheral['RestoreIdentifier'] = restore
    if queue:
        peripheral['Rules'] = {'TransmitQueue': queue}
    document = {
        'CFBundleIdentifier': f'org.example.perf{first}',
        'CFBundleName': 'Perf',
        'UIBackgroundModes': ['bluetooth-peripheral'],
        'BLEPeripheral': peripheral,
    }
    path = BUILD / f'{name}.plist'
    path.write_bytes(plistlib.dumps(document, sort_keys=False))
    return path


def drive(
    work: str, server: list, services: int = 1, options: tuple = (), may_fail: bool = False, limit: float = 600
) -> list[dict]:
    """Plays work to a server on a bus of its own; a dictionary for each piece of work that was done."""
    words = [BUILD / 'driver', '--services', services, '--timeout', 60, *options, '--do', work, '--', *server]
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=limit)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    failed = [line for line in lines if not line['ok']]
    if not may_fail and (done.returncode or failed or not lines):
        raise SystemExit(f'{server[0]} does not do "{work}": {failed} {done.stderr.strip()[-400:]}')
    return lines


def python(name: str):
    return lambda services: [sys.executable, HERE / name, '--services', services]


def floor(*options):
    return lambda services: [BUILD / 'floor', '--services', services, *options]


def phone(*options):
    """The phone with an app in C."""
    return lambda services: [BUILD / 'app', BLEPERA, '--services', services, *options]


def serve(*options, **more):
    """The phone and its app, with a profile; `more` is for the profile."""
    return lambda services: [BLEPERA, 'serve', *options, profile(services, **more)]


PEERS = {
    'bluezero': python('peer_bluezero.py'),
    'bluez-peripheral': python('peer_bluez_peripheral.py'),
    'bless': python('peer_bless.py'),
}
