"""What bench.py and instructions.py share: the driver, the profiles and the servers."""

import base64
import json
import pathlib
import plistlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = ROOT / '.build' / 'bench'
BLEPERA = ROOT / '.build' / 'release' / 'blepera'
VALUE = bytes(range(20))


def build() -> None:
    """Compiles the driver and the floor with the toolchain's own clang."""
    BUILD.mkdir(parents=True, exist_ok=True)
    flags = subprocess.run(['pkg-config', '--cflags', '--libs', 'dbus-1'], capture_output=True, text=True, check=True)
    for program, sources in {'driver': ['driver.c', 'bluez.c', 'util.c'], 'floor': ['floor.c']}.items():
        files = [str(HERE / source) for source in sources]
        options = ['-O2', '-g', '-std=gnu11', '-Wall', '-Wextra', '-o', str(BUILD / program)]
        subprocess.run(['clang', *options, *files, *flags.stdout.split()], check=True)


def profile(services: int, restore: str | None = None, queue: int | None = None) -> pathlib.Path:
    """A profile with the database of perf.h. `queue` is how many updates may wait for a central, else four."""

    def uuid(service: int, kind: int) -> str:
        return f'{service:08X}-7065-7266-0000-{kind:012X}'

    def characteristic(service: int, kind: int, properties: str, permissions: str, **more) -> dict:
        return {
            'UUID': uuid(service, kind),
            'Properties': properties.split(),
            'Permissions': permissions.split(),
            **more,
        }

    def service(number: int) -> dict:
        characteristics = [characteristic(number, 1, 'read', 'readable', Value=VALUE)]
        if number == 0:
            characteristics += [
                characteristic(0, 2, 'read write', 'readable writeable'),
                characteristic(0, 3, 'read notify', 'readable'),
                characteristic(0, 4, 'write', 'writeable'),
                characteristic(0, 5, 'write notify', 'writeable', Behavior={'Kind': 'echo'}),
            ]
        return {'UUID': uuid(number, 0), 'Characteristics': characteristics}

    peripheral = {
        'Advertisement': {'LocalName': 'Perf', 'ServiceUUIDs': [uuid(0, 0)]},
        'Services': [service(number) for number in range(services)],
    }
    if restore:
        peripheral['RestoreIdentifier'] = restore
    if queue:
        peripheral['Rules'] = {'TransmitQueue': queue}
    path = BUILD / f'{restore or "perf"}{"-queue" if queue else ""}-{services}.plist'
    with path.open('wb') as file:
        plistlib.dump(
            {
                'CFBundleIdentifier': 'org.example.perf',
                'CFBundleName': 'Perf',
                'UIBackgroundModes': ['bluetooth-peripheral'],
                'BLEPeripheral': peripheral,
            },
            file,
            sort_keys=False,
        )
    return path


def drive(work: str, server: list, services: int = 1, options: tuple = (), limit: float = 400) -> list[dict]:
    """Plays work to a server on a bus of its own; a dictionary for each piece of work that was done."""
    words = [BUILD / 'driver', '--services', services, '--timeout', 120, *options, '--do', work, '--', *server]
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=limit)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    failed = [line for line in lines if not line['ok']]
    if done.returncode or failed or not lines:
        raise SystemExit(f'{server[0]} does not do "{work}": {failed} {done.stderr.strip()[-400:]}')
    return lines
