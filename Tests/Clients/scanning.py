"""What Bleak's scanner hears of a device."""

import asyncio

from bleak import BleakScanner
from program import PATIENCE


async def find(address: str, **options):
    """The device and what it advertises.

    The callback is there before the scan is: what comes while the scan begins is not in `advertisement_data()`, and
    a device that does not change is told of once.
    """
    heard = asyncio.get_running_loop().create_future()

    def detected(device, seen):
        if device.address == address and not heard.done():
            heard.set_result((device, seen))

    async with BleakScanner(detected, **options):
        return await asyncio.wait_for(heard, PATIENCE)
