"""The data that Bleak's scanner receives of a device."""

import asyncio
import time

from bleak import BleakScanner
from program import TIMEOUT


async def find(address: str, wanted=lambda seen: True, **options):
    """The device and what it advertises, from the first packet that is wanted.

    A scan response may be missed, and bluetoothd receives an advertisement alone where another device's follows.

    The callback is there before the scan is: what comes while the scan begins is not in `advertisement_data()`, and
    a device that does not change is reported once.
    """
    found = asyncio.get_running_loop().create_future()

    def detected(device, seen):
        if device.address == address and wanted(seen) and not found.done():
            found.set_result((device, seen))

    async with BleakScanner(detected, **options):
        return await asyncio.wait_for(found, TIMEOUT)


def has_name(seen) -> bool:
    return seen.local_name is not None


async def until(found, what: str):
    deadline = time.monotonic() + TIMEOUT
    while not (result := found()):
        assert time.monotonic() < deadline, f'no {what}'
        await asyncio.sleep(0.05)
    return result
