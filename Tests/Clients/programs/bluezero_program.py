"""bluezero (dbus-python) in a lab with profiles/heart-rate.plist: python3 bluezero_program.py BLEPERA"""

import json
import subprocess
import sys
import time

from bluezero import adapter, central
from gi.repository import GLib

SERVICE, MEASUREMENT, LOCATION = (f'0000{short}-0000-1000-8000-00805f9b34fb' for short in ('180d', '2a37', '2a38'))
OVERFLOW = bytes.fromhex('0100000000000000200000000000000000')


def phone(*words: str) -> str:
    return subprocess.run([sys.argv[1], *words], check=True, capture_output=True, text=True).stdout


def wait_for(found, what: str):
    """Runs the main loop, which has the signals, until there is something."""
    deadline = time.monotonic() + 60
    while not (result := found()):
        assert time.monotonic() < deadline, f'no {what}'
        GLib.MainContext.default().iteration(False)
        time.sleep(0.01)
    return result


def data_of(device) -> bytes:
    return bytes((device.manufacturer_data or {}).get(0x4C, b''))


class Beats:
    def __init__(self, device):
        self.central = central.Central(device.address)
        self.measurement = self.central.add_characteristic(SERVICE, MEASUREMENT)
        self.location = self.central.add_characteristic(SERVICE, LOCATION)
        self.values: list[bytes] = []
        self.central.connect()
        self.measurement.add_characteristic_cb(self.received)
        self.subscribe()

    def received(self, interface, changed, invalidated) -> None:
        if 'Value' in changed:
            self.values.append(bytes(changed['Value']))

    def subscribe(self) -> None:
        self.values.clear()
        self.measurement.start_notify()
        assert 60 <= wait_for(lambda: self.values, 'value')[0][1] <= 100


devices = []
dongle = adapter.Adapter()
dongle.on_device_found = devices.append
dongle.start_discovery()


def discover(accepts):
    return wait_for(lambda: next(filter(accepts, devices), None), 'device')


first = Beats(discover(lambda device: device.name == 'Heart Rate'))
assert bytes(first.location.value) == b'\x01'

phone('background')
phone('suspend')
first.measurement.stop_notify()
first.subscribe()  # which wakes the app
phone('terminate')
assert first.central.connected and bytes(first.location.value) == b'\x01'  # a cached value

phone('bluetooth', 'off')
wait_for(lambda: not first.central.connected, 'disconnection')
phone('bluetooth', 'on')
phone('launch')
phone('background')
phone('bluetooth', 'off')
phone('bluetooth', 'on')
# The phone may have been found under the address between, too.
address = json.loads(phone('status', '--json'))['address']['current']
device = discover(lambda device: device.address == address and not device.name and data_of(device) == OVERFLOW)
assert device.address != first.central.rmt_device.address
Beats(device).central.disconnect()
