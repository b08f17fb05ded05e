"""Prints what Home Assistant's Bluetooth stack keeps of the devices around, for four seconds: python3 discovered.py [passive]"""

import asyncio
import sys

from bleak_retry_connector import BleakSlotManager
from bluetooth_adapters import get_adapters
from habluetooth import BluetoothManager, BluetoothScanningMode, HaScanner, set_manager


class Manager(BluetoothManager):
    """Home Assistant's, without its integrations."""

    def _discover_service_info(self, info):
        data = {f'{company:04X}': value.hex().upper() for company, value in info.manufacturer_data.items()}
        print(info.address, info.name, info.service_uuids, data, flush=True)


async def main():
    mode = BluetoothScanningMode.PASSIVE if 'passive' in sys.argv else BluetoothScanningMode.ACTIVE
    manager = Manager(get_adapters(), BleakSlotManager())
    set_manager(manager)
    await manager.async_setup()
    name, details = next(iter((await manager.async_get_bluetooth_adapters()).items()))
    scanner = HaScanner(mode, name, details['address'])
    scanner.async_setup()
    await scanner.async_start()
    unregister = manager.async_register_scanner(scanner)
    await asyncio.sleep(4)
    unregister()
    await scanner.async_stop()
    manager.async_stop()


asyncio.run(main())
