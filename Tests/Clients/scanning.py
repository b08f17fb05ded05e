"""The data that Bleak's scanner receives of a device."""

import asyncio
import time

from bleak import BleakScanner
from program import TIMEOUT


async def find(address: str, **options):
    """The device and what it advertises.

    The callback is there before the scan is: what comes while the scan begins is not in `advertisement_data()`, and
    a device that does not change is reported once.
    """
    found = asyncio.get_running_loop().create_future()

    def detected(device, seen):
        if device.address == address and not found.done():
            found.set_result((device, seen))

    async with BleakScanner(detected, **options):
        return await asyncio.wait_for(found, TIMEOUT)


async def until(found, what: str):
    deadline = time.monotonic() + TIMEOUT
    while not (result := found()):
        assert time.monotonic() < deadline, f'no {what}'
        await asyncio.sleep(0.05)
    return result
