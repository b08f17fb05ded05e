"""`blepera serve` on BlueZoo, somebody else's org.bluez without hardware, with Bleak on its other adapter.

BlueZoo knows no air: a device is what another adapter has registered, its values go through to the application, and it
stays listed when it no longer advertises. So each test has one of its own.
"""

import contextlib
import pathlib
import signal
import subprocess
import sys

import pytest
from attributes import ECHO, HEART_RATE, LOCATION, LONG_READ, MEASUREMENT
from blepera_tests.paths import profile_path
from bleak import BleakClient
from bleak.exc import BleakDBusError
from conftest import long_value
from program import Program
from scanning import find

PHONE = '00:22:22:22:22:22'
CENTRAL = {'adapter': 'hci0'}


@pytest.fixture
def serve(blepera, monkeypatch, tmp_path):
    with contextlib.ExitStack() as programs:

        def run(*words: str) -> Program:
            program = Program(*words)
            programs.callback(program.end, signal.SIGTERM)
            return program

        bus = run('dbus-daemon', '--session', '--nofork', '--nopidfile', '--print-address=1',
                  f'--address=unix:path={tmp_path}/bus')
        monkeypatch.setenv('DBUS_SYSTEM_BUS_ADDRESS', bus.line('unix:path='))
        for name in ('XDG_RUNTIME_DIR', 'XDG_STATE_HOME'):
            monkeypatch.setenv(name, str(tmp_path))
        bluezoo = run(str(pathlib.Path(sys.executable).with_name('bluezoo')), '--auto-enable', '--scan-interval=1',
                      '--adapter=00:11:11:11:11:11', f'--adapter={PHONE}')
        bluezoo.line(f'Adding adapter[1][{PHONE}]')

        def serve(profile: str, *options: str) -> Program:
            program = run(blepera, 'serve', '--json', '--adapter=hci1', *options, str(profile_path(profile)))
            program.line('"event":"advertising"')
            return program

        yield serve


async def test_what_is_advertised(serve):
    phone = serve('heart-rate')
    _, seen = await find(PHONE, bluez=CENTRAL)
    assert (seen.local_name, seen.service_uuids) == ('Heart Rate', [HEART_RATE])
    assert phone.end(signal.SIGINT) == 0


def test_to_the_background_and_back(serve, blepera):
    """Not seen through BlueZoo 1.0.2, which declares a device's manufacturer data as a{sv} instead of a{qv}: its list
    of objects is an error as soon as it has found a device with some."""
    phone = serve('heart-rate')
    subprocess.run([blepera, 'background'], check=True)
    phone.line('"overflowServiceUUIDs":["180D"]')
    subprocess.run([blepera, 'foreground'], check=True)
    advertised = ('"event":"advertising"', '"localName":"Heart Rate"')
    phone.wait_for(
        lambda: sum(all(word in line for word in advertised) for line in phone.output) == 2, 'second time in the foreground'
    )
    assert phone.end(signal.SIGINT) == 0


async def test_values(serve):
    phone = serve('every-kind')
    device, _ = await find(PHONE, bluez=CENTRAL)
    async with BleakClient(device) as client:
        phone.line('"connected"')
        # BlueZoo asks once, without the offsets of a long read.
        assert await client.read_gatt_char(LONG_READ) == long_value()
        await client.write_gatt_char(ECHO, b'hello', response=True)
        assert await client.read_gatt_char(ECHO) == b'hello'
        phone.line('"write"')
    phone.line('"disconnected"')


async def test_subscriptions_need_more_than_bluezoo_does(serve):
    """bluetoothd calls StartNotify when an application refuses AcquireNotify; BlueZoo hands the refusal on."""
    phone = serve('heart-rate')
    device, _ = await find(PHONE, bluez=CENTRAL)
    async with BleakClient(device) as client:
        with pytest.raises(BleakDBusError, match='NotSupported'):
            await client.start_notify(MEASUREMENT, lambda *_: None)
        assert await client.read_gatt_char(LOCATION) == b'\1'
    assert phone.end(signal.SIGINT) == 0
