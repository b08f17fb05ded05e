"""A gateway: finds a heart rate sensor, connects and prints its beats. python3 gateway.py"""

import asyncio

from bleak import BleakClient, BleakScanner

HEART_RATE = '0000180d-0000-1000-8000-00805f9b34fb'
MEASUREMENT = '00002a37-0000-1000-8000-00805f9b34fb'
APPLE = 0x004C
BIT = 61  # the bit of 180D in the overflow area, says `blepera overflow encode 180D`


def overflow_area(data):
    """The 16 bytes behind type 01 in Apple's manufacturer data; each item before them has a type and a length."""
    while len(data) > 1 and data[0] != 1:
        data = data[2 + data[1]:]
    return data[1:17] if len(data) >= 17 else bytes(16)


def may_have_heart_rate(device, advertisement):
    """A foreground app advertises the service. A background app sets its bit, and so may other services."""
    if HEART_RATE in advertisement.service_uuids:
        return True
    area = overflow_area(advertisement.manufacturer_data.get(APPLE, b''))
    return area[BIT // 8] >> BIT % 8 & 1 == 1


async def beats():
    """The beats per minute, as they arrive, until the sensor disconnects."""
    device = await BleakScanner.find_device_by_filter(may_have_heart_rate, timeout=10)
    if device is None:
        raise LookupError('no heart rate sensor within 10 s')
    values = asyncio.Queue()
    async with BleakClient(device, disconnected_callback=lambda _: values.put_nowait(None)) as client:
        await client.start_notify(MEASUREMENT, lambda _, value: values.put_nowait(value))
        while value := await values.get():
            yield value[1]


async def main():
    async for beat in beats():
        print(beat, 'beats per minute', flush=True)


if __name__ == '__main__':
    try:
        asyncio.run(main())
    except KeyboardInterrupt:
        pass
