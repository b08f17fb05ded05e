"""simplepyble (C++) in a lab with profiles/heart-rate.plist: python3 simplepyble_program.py BLEPERA"""

import subprocess
import sys
import time

import simplepyble

SERVICE, MEASUREMENT, LOCATION = (f'0000{short}-0000-1000-8000-00805f9b34fb' for short in ('180d', '2a37', '2a38'))
OVERFLOW = bytes.fromhex('0100000000000000200000000000000000')


def phone(*words: str) -> None:
    subprocess.run([sys.argv[1], *words], check=True, capture_output=True)


def wait_for(found, what: str):
    deadline = time.monotonic() + 60
    while not (result := found()):
        assert time.monotonic() < deadline, f'no {what}'
        time.sleep(0.05)
    return result


def discover(accepts):
    adapter = simplepyble.Adapter.get_adapters()[0]
    adapter.scan_start()
    try:
        return wait_for(lambda: next(filter(accepts, adapter.scan_get_results()), None), 'device')
    finally:
        adapter.scan_stop()


def connect(peripheral) -> list[bytes]:
    """Connects and subscribes; what is received from then on."""
    values: list[bytes] = []
    peripheral.connect()
    subscribe(peripheral, values)
    return values


def subscribe(peripheral, values: list[bytes]) -> None:
    values.clear()
    peripheral.notify(SERVICE, MEASUREMENT, lambda value: values.append(bytes(value)))
    assert 60 <= wait_for(lambda: values, 'value')[0][1] <= 100


first = discover(lambda peripheral: peripheral.identifier() == 'Heart Rate')
assert [service.uuid() for service in first.services()] == [SERVICE]
lost: list[int] = []
first.set_callback_on_disconnected(lambda: lost.append(1))
values = connect(first)
assert bytes(first.read(SERVICE, LOCATION)) == b'\x01'

phone('background')
phone('suspend')
first.unsubscribe(SERVICE, MEASUREMENT)
subscribe(first, values)  # which wakes the app
phone('terminate')
assert first.is_connected() and bytes(first.read(SERVICE, LOCATION)) == b'\x01'  # a cached value

phone('bluetooth', 'off')
wait_for(lambda: lost, 'disconnection')
phone('bluetooth', 'on')
phone('launch')
phone('background')
second = discover(lambda peripheral: bytes(peripheral.manufacturer_data().get(0x4C, b'')) == OVERFLOW)
assert second.identifier() != 'Heart Rate' and second.address() != first.address()
connect(second)
second.disconnect()
