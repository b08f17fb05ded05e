#!/bin/sh
# Home Assistant's manager keeps a phone whose packets it drops, with the last packet that it did not drop.
#
# habluetooth 7.1.2, on which Home Assistant's Bluetooth integration is built, drops advertisements whose only data is
# Apple's, unless the first item is one of five types. An iPhone sends Nearby Info, type 10, which is one of them; on a
# scanner that keeps one item of a company, an app in the background replaces Nearby Info by the overflow area, type 01,
# which is not. Expected: for the manager, such a phone is as one that went away. Seen: a silent phone is removed, a phone
# that sends overflow areas stays as long as a scanner receives the phone, here 33 minutes, with the data, the strength
# and the time of the last Nearby Info. So whether a tracker has the phone depends on which packet it received first.
#
# Needs python3 with venv, and installs habluetooth 7.1.2 from PyPI; blepera and an adapter are not used. Exit status: 0
# where this is still so, 1 where the behavior has changed, 2 where the packages could not be installed.
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv" || exit 2
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check habluetooth==7.1.2 || exit 2

cat > "$folder/phones.py" <<'PYTHON'
import asyncio
from time import monotonic

from bleak_retry_connector import BleakSlotManager
from bluetooth_adapters import BluetoothAdapters
from habluetooth import BaseHaRemoteScanner, BluetoothManager, set_manager

APPLE = 0x004C
NEARBY_INFO, OVERFLOW_AREA = bytes.fromhex('1005018D1E5A2C'), bytes.fromhex('01' + '00' * 7 + '20' + '00' * 8)
SILENT, HIDDEN, NEW = (f'7A:00:00:00:00:0{number}' for number in (1, 2, 3))

class Adapters(BluetoothAdapters):
    history, adapters, default_adapter = {}, {}, 'none'

    async def refresh(self):
        pass

class Manager(BluetoothManager):
    def _discover_service_info(self, info):
        pass

async def main():
    manager = Manager(Adapters(), BleakSlotManager())
    set_manager(manager)
    await manager.async_setup()
    scanner = BaseHaRemoteScanner('00:00:5E:00:53:01', 'proxy', None, False)
    scanner.async_setup()
    manager.async_register_scanner(scanner)

    def receive(address, data, seconds_ago):
        time = monotonic() - seconds_ago
        scanner._async_on_advertisement(address, -60, None, [], {}, {APPLE: data}, None, {}, time)

    for address in (SILENT, HIDDEN):
        receive(address, NEARBY_INFO, 2000)
    for seconds_ago in range(1990, 0, -10):
        receive(HIDDEN, OVERFLOW_AREA, seconds_ago)
        receive(NEW, OVERFLOW_AREA, seconds_ago)
    scanner._async_expire_devices()
    manager._async_check_unavailable()
    kept = {info.address: info for info in manager.async_discovered_service_info(False)}
    received = scanner.discovered_devices_and_advertisement_data
    for name, address in (('silent', SILENT), ('hidden', HIDDEN), ('never had Nearby Info', NEW)):
        of_manager = f'{kept[address].manufacturer_data[APPLE][0]:02x}' if address in kept else 'nothing'
        seconds = f' of {round(monotonic() - kept[address].time)} s ago' if address in kept else ''
        of_scanner = f'{received[address][1].manufacturer_data[APPLE][0]:02x}' if address in received else 'nothing'
        print(f'{name}: the manager has {of_manager}{seconds}, the scanner {of_scanner}')
    manager.async_stop()

asyncio.run(main())
PYTHON
cat > "$folder/expected" <<'TEXT'
silent: the manager has nothing, the scanner nothing
hidden: the manager has 10 of 2000 s ago, the scanner 01
never had Nearby Info: the manager has nothing, the scanner 01
TEXT
"$folder/venv/bin/python" "$folder/phones.py" > "$folder/seen" 2> "$folder/errors" || cat "$folder/errors" >&2
cat "$folder/seen"
diff "$folder/expected" "$folder/seen" > /dev/null || { echo "changed; expected:" >&2; cat "$folder/expected" >&2; exit 1; }
