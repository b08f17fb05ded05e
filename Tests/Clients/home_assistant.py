"""Home Assistant's Bluetooth stack, without Home Assistant."""

import contextlib

import bleak_retry_connector
import bluetooth_adapters
import habluetooth
from habluetooth import BluetoothScanningMode


class Manager(habluetooth.BluetoothManager):
    """Home Assistant's manager, without its integrations."""

    def _discover_service_info(self, service_info) -> None:
        pass


@contextlib.asynccontextmanager
async def home_assistant(mode: BluetoothScanningMode = BluetoothScanningMode.ACTIVE, adapter: str = 'hci0'):
    manager = Manager(bluetooth_adapters.get_adapters(), bleak_retry_connector.BleakSlotManager())
    habluetooth.set_manager(manager)
    await manager.async_setup()
    # The machine's own adapters may be there too.
    address = (await manager.async_get_bluetooth_adapters())[adapter]['address']
    scanner = habluetooth.HaScanner(mode, adapter, address)
    scanner.async_setup()
    await scanner.async_start()
    unregister = manager.async_register_scanner(scanner)
    try:
        yield manager
    finally:
        unregister()
        await scanner.async_stop()
        manager.async_stop()
