#!/bin/sh
# The controllers of Bumble 0.0.236 never send scan response data: a scan has the advertisement twice.
#
# Expected: an active scan has the advertisement and then, as a scan response, what the advertiser's host has set with
# LE Set Extended Scan Response Data or LE Set Scan Response Data; a passive scan has the advertisement alone. The guess
# before the run was that passive scans have both. Seen: whatever is set, each report is followed by a second one,
# marked as a scan response, with the data of the advertisement, in active and in passive scans; the reports of legacy
# packets are not marked as legacy. What is in scan responses alone, such as a name that did not fit or the overflow
# area of an iPhone, never arrives.
#
# Needs python3 with venv, and installs bumble 0.0.236 from PyPI; blepera and an adapter are not used. Exit status: 0
# where this is still so, 1 where the behavior has changed, 2 where the packages could not be installed.
set -eu

folder=$(mktemp -d)
trap 'kill $controllers 2> /dev/null || true; rm -rf "$folder"' EXIT
controllers=
python3 -m venv "$folder/venv" || exit 2
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check bumble==0.0.236 || exit 2

cat > "$folder/scan.py" <<'PYTHON'
import asyncio
import sys

from bumble.core import AdvertisingData
from bumble.device import Device
from bumble.hci import Address, HCI_LE_Extended_Advertising_Report_Event
from bumble.transport import open_transport

EventType = HCI_LE_Extended_Advertising_Report_Event.EventType
ADVERTISED, RESPONSE = (AdvertisingData([(AdvertisingData.COMPLETE_LOCAL_NAME, name)]) for name in (b'first', b'second'))

async def device(port, address):
    transport = await open_transport(f'tcp-client:127.0.0.1:{port}')
    device = Device.with_hci('device', Address(address), transport.source, transport.sink)
    await device.power_on()
    return device

async def main(first, second):
    advertiser, scanner = await device(first, 'F1:00:00:00:00:01'), await device(second, 'F1:00:00:00:00:02')
    await advertiser.start_advertising(advertising_data=bytes(ADVERTISED), scan_response_data=bytes(RESPONSE))
    for active in (True, False):
        reports = set()
        scanner.host.on('advertising_report', lambda report: reports.add(
            (bool(report.event_type & EventType.SCAN_RESPONSE), bytes(report.data)[2:].decode(),
             bool(report.event_type & EventType.LEGACY_ADVERTISING_PDU_USED))))
        await scanner.start_scanning(active=active)
        await asyncio.sleep(2)
        await scanner.stop_scanning()
        scanner.host.remove_all_listeners('advertising_report')
        for is_response, name, is_legacy in sorted(reports):
            kind = 'scan response' if is_response else 'advertisement'
            print(f'{"active" if active else "passive"} scan: {kind}: {name}{", legacy" if is_legacy else ""}')

asyncio.run(main(*sys.argv[1:]))
PYTHON
ports=$(python3 -c 'import socket
taken = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
print(*[one.getsockname()[1] for one in taken])')
set -- $ports
"$folder/venv/bin/python" -m bumble.apps.controllers "tcp-server:127.0.0.1:$1" "tcp-server:127.0.0.1:$2" > /dev/null 2>&1 &
controllers=$!
sleep 4
result=$("$folder/venv/bin/python" "$folder/scan.py" "$1" "$2" 2> "$folder/errors") || { cat "$folder/errors" >&2; exit 2; }
echo "$result"
expected='active scan: advertisement: first
active scan: scan response: first
passive scan: advertisement: first
passive scan: scan response: first'
if [ "$result" != "$expected" ]; then
  echo "The behavior has changed; Bumble 0.0.236 printed:" >&2
  echo "$expected" >&2
  exit 1
fi
