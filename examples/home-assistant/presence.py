"""Prints what trackers of presence keep of the lab's phone, which its key identifies: python3 presence.py [passive]"""

import asyncio
import json
import subprocess
import sys

from bleak_retry_connector import BleakSlotManager
from bluetooth_adapters import get_adapters
from bluetooth_data_tools import get_cipher_for_irk, resolve_private_address
from habluetooth import BluetoothManager, BluetoothScanningMode, HaScanner, set_manager


class Manager(BluetoothManager):
    """Home Assistant's, without its integrations."""

    def _discover_service_info(self, info):
        pass


def show(tracker, advertisement):
    """Prints Apple's data of the phone, as long as a scanner's app shows it: with the two bytes of the company."""
    if advertisement is None:
        return print(f'{tracker:16}nothing', flush=True)
    apple = advertisement.manufacturer_data.get(0x004C, b'')
    data = f'{len(apple) + 2} bytes of Apple, 4C00 {apple.hex().upper()}' if apple else advertisement.local_name
    power = 'no TX power' if advertisement.tx_power is None else f'TX power {advertisement.tx_power} dBm'
    print(f'{tracker:16}{data}, {power}', flush=True)


async def main():
    status = json.loads(subprocess.run(['blepera', 'status', '--json'], capture_output=True, check=True).stdout)
    cipher = get_cipher_for_irk(bytes.fromhex(status['address']['irk']))
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
    # Private BLE Device, and Bermuda before 0.8.2, have what Home Assistant's manager keeps; Bermuda from 0.8.2 on reads
    # what the scanners have.
    kept = {info.address: info.advertisement for info in manager.async_discovered_service_info(False)}
    received = {address: seen for address, (_, seen) in scanner.discovered_devices_and_advertisement_data.items()}
    for tracker, all_seen in (('Home Assistant', kept), ('Bermuda', received)):
        show(tracker, next((seen for it, seen in all_seen.items() if resolve_private_address(cipher, it)), None))
    unregister()
    await scanner.async_stop()
    manager.async_stop()


asyncio.run(main())
