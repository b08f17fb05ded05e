"""Prints the devices that a scan finds in three seconds: python3 scan.py"""

import asyncio
import os

from bumble.core import AdvertisingData
from bumble.device import Device
from bumble.hci import Address
from bumble.transport import open_transport


async def main():
    async with await open_transport(os.environ["BLEPERA_HCI"].split()[0]) as (source, sink):
        device = Device.with_hci("scanner", Address("F0:F1:F2:F3:F4:F5"), source, sink)
        names = {}
        device.on("advertisement", lambda seen: names.update(
            {str(seen.address): seen.data.get(AdvertisingData.COMPLETE_LOCAL_NAME)}))
        await device.power_on()
        await device.start_scanning()
        await asyncio.sleep(3)
        for address, name in names.items():
            print(address, name)


asyncio.run(main())
