"""Prints what a scanner receives in three seconds: python3 find.py"""

import asyncio

from bleak import BleakScanner


async def main():
    found = await BleakScanner.discover(timeout=3, return_adv=True)
    for device, advertisement in found.values():
        print(device.address, advertisement.local_name, advertisement.service_uuids)
        for company, data in advertisement.manufacturer_data.items():
            print(f'{company:04X}', data.hex(' '))


asyncio.run(main())
