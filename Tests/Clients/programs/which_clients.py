"""One of the clients of docs/clients.md in a lab, looking for one of its devices: python3 which_clients.py CLIENT

Prints a line that says what the client has found and done; what a client prints itself goes to standard error. A client
looks first for what its users would look for: a name or a service. Then it takes the device by Apple's overflow area, as a
phone has neither name nor service in the background.
"""

import asyncio
import contextlib
import sys
import time

SERVICE, MEASUREMENT, LOCATION = (f'0000{short}-0000-1000-8000-00805f9b34fb' for short in ('180d', '2a37', '2a38'))
APPLE, OVERFLOW = 0x004C, 0x01
HEART_RATE = bytes.fromhex('0100000000000000200000000000000000')  # the overflow area with the bit of 180D
UART = bytes.fromhex('0100000000004000000000000000000000')  # and with that of the Nordic UART Service
WAIT = 2  # seconds; how long a client looks for what may not be there
LIMIT = 20  # seconds


async def device_by_bleak(name: str, area: bytes):
    """Bleak's device, and the words for how it was found."""
    from bleak import BleakScanner

    if device := await BleakScanner.find_device_by_name(name, WAIT):
        return device, 'found by its name'
    device = await BleakScanner.find_device_by_filter(lambda _, seen: seen.manufacturer_data.get(APPLE) == area, LIMIT)
    return device, 'not found by its name; by its overflow area'


async def heart_rate(use) -> str:
    """Connects Bleak to the heart rate app, which `use` then uses."""
    from bleak import BleakClient

    device, found = await device_by_bleak('Heart Rate', HEART_RATE)
    async with BleakClient(device) as client:
        return f'{found}; connects; {await asyncio.wait_for(use(client), LIMIT)}'


async def bleak() -> str:
    async def use(client) -> str:
        values = asyncio.Queue()
        location = await client.read_gatt_char(LOCATION)
        await client.start_notify(MEASUREMENT, lambda _, value: values.put_nowait(value))
        await values.get()
        return f'reads {location.hex()}; is notified'

    return await heart_rate(use)


async def pycycling() -> str:
    from pycycling.heart_rate_service import HeartRateService

    async def use(client) -> str:
        values = asyncio.Queue()
        service = HeartRateService(client)
        service.set_hr_measurement_handler(values.put_nowait)
        await service.enable_hr_measurement_notifications()
        value = await values.get()
        return f'beats per minute, {"with" if value.sensor_contact else "without"} contact'

    return await heart_rate(use)


async def bleakheart() -> str:
    from bleakheart import HeartRate

    async def use(client) -> str:
        texts = []
        for unpacks in (True, False):
            values = asyncio.Queue()
            rate = HeartRate(client, queue=values, unpack=unpacks)
            await rate.start_notify()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(values.get(), WAIT)
                texts.append('beats per minute' + ('' if unpacks else ' with `unpack=False`'))
            await rate.stop_notify()
        return '; '.join(texts)

    return await heart_rate(use)


async def nus_logger() -> str:
    from nus_logger.ble_nus import NUSClient

    client, lines = NUSClient(), asyncio.Queue()
    client.on_bytes(lines.put_nowait)
    found = 'found by its name and service'
    if not (devices := await client.scan('UART', WAIT)):
        found = 'not found by its name and service; by its address'
        device, _ = await device_by_bleak('UART', UART)
        devices = await client.scan('', LIMIT, early_addr_substring=device.address, require_adv_nus=False)
        devices = [one for one in devices if one.address == device.address]
    await client.connect_discovered(devices[0])
    await client.write(b'version?')
    line = await asyncio.wait_for(lines.get(), LIMIT)
    await client.disconnect()
    return f'{found}; connects; prints `{line.decode()}`'


def nus_client() -> str:
    from nus_client.client import NUSConnection, get_adapter, pick_peripheral

    adapter, found = get_adapter(), 'found by its name'
    try:
        peripheral = pick_peripheral(adapter, name='UART', timeout=WAIT)
    except TimeoutError:
        found = 'not found by its name; by its address'
        peripheral = pick_peripheral(adapter, addr=peripheral_by_area(adapter, UART).address(), timeout=LIMIT)
    connection = NUSConnection(peripheral)
    connection.open()
    connection.write(b'version?')
    line = connection.tx_queue.get(timeout=LIMIT)
    connection.close()
    return f'{found}; connects; receives `{line.decode()}`'


def peripheral_by_area(adapter, area: bytes):
    """simplepyble's peripheral."""
    deadline = time.monotonic() + LIMIT
    while time.monotonic() < deadline:
        adapter.scan_for(500)
        for one in adapter.scan_get_results():
            if bytes(one.manufacturer_data().get(APPLE, b'')) == area:
                return one
    raise TimeoutError('no phone')


def simplepyble() -> str:
    import queue

    from simplepyble import Adapter

    adapter, values = Adapter.get_adapters()[0], queue.SimpleQueue()
    adapter.scan_for(1000 * WAIT)
    named = [one for one in adapter.scan_get_results() if one.identifier() == 'Heart Rate']
    found = 'found by its name' if named else 'not found by its name; by its overflow area'
    peripheral = named[0] if named else peripheral_by_area(adapter, HEART_RATE)
    peripheral.connect()
    location = bytes(peripheral.read(SERVICE, LOCATION))
    peripheral.notify(SERVICE, MEASUREMENT, values.put)
    values.get(timeout=LIMIT)
    peripheral.disconnect()
    return f'{found}; connects; reads {location.hex()}; is notified'


def qt_bluetooth() -> str:
    from qt_program import Phone

    phone = Phone()
    phone.connect()
    location = phone.read(LOCATION)
    phone.subscribe(MEASUREMENT)
    phone.wait_for(lambda: phone.values, 'a value')
    found = 'found by its name' if phone.is_named else 'not found by its name; by its overflow area'
    return f'{found}; connects; reads {location.hex()}; is notified'


def aranet4() -> str:
    from aranet4.client import find_nearby

    found = {}
    find_nearby(lambda one: found.update({one.device.address: one}), WAIT)
    texts = [f'{one.device.name}, {one.readings.co2} ppm' if one.readings else 'something else' for one in found.values()]
    return f'finds the accessory alone: {"; ".join(texts)}'


async def victron_ble() -> str:
    from victron_ble.devices import detect_device_type
    from victron_ble.scanner import BaseScanner

    class Scanner(BaseScanner):
        found: dict = {}

        def callback(self, device, data, advertisement) -> None:
            self.found[device.address] = f'{device.name}, {detect_device_type(data).__name__}'

    scanner = Scanner()
    await scanner.start()
    await asyncio.sleep(WAIT)
    await scanner.stop()
    return f'finds the accessory alone: {"; ".join(scanner.found.values())}'


CLIENTS = {
    'bleak': bleak, 'PySide6_Addons': qt_bluetooth, 'simplepyble': simplepyble, 'pycycling': pycycling,
    'bleakheart': bleakheart, 'nus-client': nus_client, 'nus-logger': nus_logger, 'aranet4': aranet4,
    'victron-ble': victron_ble,
}

if __name__ == '__main__':
    client = CLIENTS[sys.argv[1]]
    with contextlib.redirect_stdout(sys.stderr):
        text = asyncio.run(client()) if asyncio.iscoroutinefunction(client) else client()
    print(text)
