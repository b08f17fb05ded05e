"""A demonstration: blepera serves a heart rate profile on a real bluetoothd, a central on the air uses it, and the app
moves to the background and back. The lines of both sides are printed as things happen.

    Scripts/python-of lane Tests/RealLane/demo.py --blepera .build/release/blepera
"""

import argparse
import asyncio
import logging
import os
import pathlib
import shutil
import sys
import tempfile
import time
from collections.abc import Callable

from blepera_tests.paths import ROOT
from bumble.core import UUID, AdvertisingData
from bumble.device import Advertisement
from bumble.gatt_client import CharacteristicProxy
from rig.air import Air
from rig.blepera import Blepera
from rig.bluez import BlueZ, Settings
from rig.central import name_of, services_of
from rig.errors import Failure, RigError
from rig.vm import VM

PROFILE = 'profiles/heart-rate.plist'
MEASUREMENT, LOCATION = '2A37', '2A38'
LOCATIONS = ('other', 'chest', 'wrist', 'finger', 'hand', 'ear lobe', 'foot')
NOTIFICATIONS = 5


class Paint:
    """Colors where the output is a terminal."""

    def __init__(self):
        self.on = sys.stdout.isatty() and not os.environ.get('NO_COLOR') and os.environ.get('TERM') != 'dumb'

    def __call__(self, code: str, text: str) -> str:
        return f'\x1b[{code}m{text}\x1b[0m' if self.on else text


class Transcript:
    """The lines of both sides, each with its own mark."""

    def __init__(self):
        self.paint = Paint()

    def blepera(self, text: str) -> None:
        print(f'{self.paint("36", "phone   │")} {text}', flush=True)

    def central(self, text: str) -> None:
        print(f'{self.paint("35", "central │")} {self.paint("35", text)}', flush=True)

    def aside(self, text: str) -> None:
        print(self.paint('2', text), flush=True)


def title(uuid: UUID) -> str:
    return f'{uuid.to_hex_str("-")} {uuid.name}' if uuid.name else uuid.to_hex_str('-')


def properties(characteristic: CharacteristicProxy) -> str:
    return ', '.join(str(flag.name).lower().replace('_', ' ') for flag in characteristic.properties)


def pulse(value: bytes) -> str:
    """A Heart Rate Measurement: flags, then one byte, or two where bit 0 of the flags says so."""
    rate = int.from_bytes(value[1:3] if value[0] & 1 else value[1:2], 'little')
    return f'{value.hex(" ")}  {rate} beats a minute'


async def serve(vm: VM, binary: pathlib.Path, transcript: Transcript) -> Blepera:
    transcript.blepera(transcript.paint('1', f'$ blepera serve {PROFILE}'))
    process = await vm.start_program(
        *(binary, 'serve', ROOT / PROFILE),
        terminal=transcript.paint.on,
        on_line=lambda line: transcript.blepera(line.text),
    )
    return Blepera(process)


def describe(advertisement: Advertisement) -> str:
    """The text of a scan about an advertisement."""
    name = name_of(advertisement)
    parts = [advertisement.address.to_string(False), f'"{name}"' if name else 'no name']
    services = ', '.join(title(uuid) for uuid in services_of(advertisement))
    parts.append(f'with {services}' if services else 'no services')
    if data := advertisement.data.get(AdvertisingData.MANUFACTURER_SPECIFIC_DATA, raw=True):
        parts.append(f'manufacturer data {data[1::-1].hex().upper()} {data[2:].hex().upper()}')
    return ', '.join(parts)


async def use(vm: VM, binary: pathlib.Path, air: Air, transcript: Transcript) -> None:
    """Prints what the central does before it does it, and the result a moment later, below blepera's lines."""
    say = transcript.central

    async def narrate(text: str) -> None:
        await asyncio.sleep(0.1)
        say(text)

    async def scan(is_wanted: Callable[[Advertisement], bool]) -> Advertisement:
        say('scans')
        advertisement = await central.next_advertisement(lambda one: one.is_connectable and is_wanted(one))
        if advertisement is None:
            raise Failure('the central receives no advertisement')
        await narrate(f'discovers {describe(advertisement)}')
        return advertisement

    async def move(command: str) -> None:
        """The toggle, from another terminal."""
        transcript.blepera(transcript.paint('1', f'$ blepera {command}'))
        moved = await vm.run(binary, command)
        if moved.status:
            raise Failure(f'blepera {command} ended with status {moved.status}: {moved.text()}')

    central = await air.central()
    advertisement = await scan(lambda advertisement: bool(name_of(advertisement)))
    say(f'connects as {central.address}')
    await central.connect(advertisement.address)
    await central.discover()
    await narrate('lists the services')
    for service in central.gatt.services:
        say(f'  {title(service.uuid)}')
        for characteristic in service.characteristics:
            say(f'    {title(characteristic.uuid)}: {properties(characteristic)}')
    location, measurement = (central.characteristic(uuid) for uuid in (LOCATION, MEASUREMENT))
    say(f'reads {title(location.uuid)}')
    where = await central.read(location)
    await narrate(f'  {where.hex(" ")}  {LOCATIONS[where[0]]}')
    say(f'subscribes to {title(measurement.uuid)}')
    subscription = await central.subscribe(measurement)
    for _ in range(NOTIFICATIONS):
        value = await subscription.next()
        await narrate(f'  {pulse(value)}')
    say('unsubscribes and disconnects')
    await central.unsubscribe(measurement, subscription)
    await central.disconnect()
    await asyncio.sleep(0.3)
    await move('background')
    advertisement = await scan(lambda advertisement: not name_of(advertisement))
    await move('suspend')
    say('connects and subscribes again')
    await central.connect(advertisement.address)
    await central.discover()
    measurement = central.characteristic(MEASUREMENT)
    subscription = await central.subscribe(measurement)
    await narrate(f'  {pulse(await subscription.next())}')
    say('disconnects')
    await central.disconnect()
    await asyncio.sleep(0.3)
    await move('foreground')
    await scan(lambda advertisement: bool(name_of(advertisement)))


async def show(binary: pathlib.Path, out: pathlib.Path) -> None:
    transcript = Transcript()
    transcript.aside("Booting a micro-VM with Debian's kernel and bluetoothd ...")
    started = time.monotonic()
    async with VM(out) as vm:
        bluez, air = BlueZ(vm, Settings(experimental=True)), Air(vm)
        await bluez.set_up(air)
        version = bluez.version
        passed = time.monotonic() - started
        transcript.aside(f'bluetoothd {version} is up after {passed:.0f} s, with -E so that it honors intervals.\n')
        blepera = await serve(vm, binary, transcript)
        using = asyncio.create_task(use(vm, binary, air, transcript))
        ended = asyncio.create_task(blepera.process.wait(120))
        await asyncio.wait([using, ended], return_when=asyncio.FIRST_COMPLETED)
        if not using.done():
            using.cancel()
            raise Failure(f'blepera ended with status {blepera.process.status}')
        using.result()
        await asyncio.sleep(0.3)  # what blepera says to that
        transcript.blepera(transcript.paint('1', '^C'))
        if status := await blepera.interrupt():
            raise Failure(f'blepera ended with status {status}')
        ended.cancel()
    done = f'blepera served {PROFILE} on a real bluetoothd {version}'
    print(f'\n{done}, in the foreground and the background, and a central was notified {NOTIFICATIONS + 1} times.')


def main() -> int:
    parser = argparse.ArgumentParser(prog='demo', description='Shows blepera at work, both sides.')
    parser.add_argument('--blepera', type=pathlib.Path, required=True, help='the program to show')
    parser.add_argument('--out', type=pathlib.Path, help='where the logs go (default: a new folder)')
    options = parser.parse_args()
    out = (options.out or pathlib.Path(tempfile.mkdtemp(prefix='blepera-demo-'))).resolve()
    out.mkdir(parents=True, exist_ok=True)
    logging.basicConfig(filename=out / 'bumble.txt', level=logging.WARNING)
    try:
        asyncio.run(show(options.blepera.resolve(), out))
    except (Failure, RigError) as error:
        print(f'demo: {error}; logs in {out}', file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print('\ndemo: interrupted', file=sys.stderr)
        return 130
    if not options.out:
        shutil.rmtree(out, ignore_errors=True)
    return 0


if __name__ == '__main__':
    sys.exit(main())
