"""The main job, shown: blepera serves a heart rate profile on a real bluetoothd, and a central on the air uses it. Both
sides are told line by line, in the order in which things happen.

    Scripts/lane-python Tests/RealLane/demo.py --blepera .build/release/blepera
"""

import argparse
import asyncio
import logging
import pathlib
import shutil
import sys
import tempfile
import time

from bumble.core import UUID
from bumble.gatt_client import CharacteristicProxy
from rig.air import Air
from rig.blepera import Blepera
from rig.bluez import BlueZ
from rig.central import name_of, services_of
from rig.errors import Failure, RigError
from rig.runner import Paint, wants_colour
from rig.stage import PROJECT
from rig.vm import VM

PROFILE = 'profiles/heart-rate.plist'
MEASUREMENT, LOCATION = '2A37', '2A38'
LOCATIONS = ('other', 'chest', 'wrist', 'finger', 'hand', 'ear lobe', 'foot')
NOTIFICATIONS = 5


class Transcript:
    """What both sides say, each behind its own mark."""

    def __init__(self):
        self.paint = Paint(wants_colour())

    def blepera(self, text: str) -> None:
        print(f'{self.paint("36", "blepera │")} {text}', flush=True)

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
        *(binary, 'serve', PROJECT / PROFILE),
        terminal=transcript.paint.on,
        hear=lambda line: transcript.blepera(line.text),
    )
    return Blepera(process)


async def use(air: Air, transcript: Transcript) -> None:
    """What the central does is told before it does it, and what comes of it a moment after, behind blepera's words."""
    say = transcript.central

    async def tell(text: str) -> None:
        await asyncio.sleep(0.1)
        say(text)

    central = await air.central()
    say('scans')
    heard = await central.hear(lambda advertisement: advertisement.is_connectable)
    if heard is None:
        raise Failure('the central hears nothing')
    services = ', '.join(title(uuid) for uuid in services_of(heard))
    await tell(f'hears {heard.address.to_string(False)}, "{name_of(heard)}", with {services}')
    say(f'connects as {central.address}')
    await central.connect(heard.address)
    await central.discover()
    await tell('lists the services')
    for service in central.gatt.services:
        say(f'  {title(service.uuid)}')
        for characteristic in service.characteristics:
            say(f'    {title(characteristic.uuid)}: {properties(characteristic)}')
    location, measurement = (central.characteristic(uuid) for uuid in (LOCATION, MEASUREMENT))
    say(f'reads {title(location.uuid)}')
    where = await central.read(location)
    await tell(f'  {where.hex(" ")}  {LOCATIONS[where[0]]}')
    say(f'subscribes to {title(measurement.uuid)}')
    subscription = await central.subscribe(measurement)
    for _ in range(NOTIFICATIONS):
        value = await subscription.next()
        await tell(f'  {pulse(value)}')
    say('unsubscribes and disconnects')
    await central.unsubscribe(measurement, subscription)
    await central.disconnect()


async def show(binary: pathlib.Path, out: pathlib.Path) -> None:
    transcript = Transcript()
    transcript.aside("Booting a micro-VM with Debian's kernel and bluetoothd ...")
    started = time.monotonic()
    async with VM(out) as vm:
        bluez, air = BlueZ(vm), Air(vm)
        await bluez.set_up(air)
        version = bluez.version
        transcript.aside(f'bluetoothd {version} is up after {time.monotonic() - started:.0f} s.\n')
        blepera = await serve(vm, binary, transcript)
        using = asyncio.create_task(use(air, transcript))
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
    print(f'\n{done}, and a central was notified {NOTIFICATIONS} times.')


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
