#!/bin/sh
# QtBluetooth of Qt 6.12.0 takes the release of bluetoothd from a program that the owner of org.bluez names as its own.
#
# Expected: a client on the message bus learns from the bus, from the interfaces that org.bluez exports, what bluetoothd
# can do. Seen: Qt asks the bus for the process that owns org.bluez and runs that process's executable with `--version`;
# where the answer is no release, it runs the first word of the process's command line, which any process chooses for
# itself. The answer decides about the whole backend: D-Bus from 5.42 on, L2CAP sockets of the kernel below. So a program
# that stands in for bluetoothd is unusable for Qt until its argv[0] names a program that prints a release.
# BLUETOOTH_FORCE_DBUS_LE_VERSION in the environment of the Qt program comes before both.
#
# Needs python3 with venv, bash and dbus-daemon, and installs PySide6 6.12.0 and dbus-fast 5.2.0 from PyPI (about 150 MB);
# blepera and an adapter are not used. Exit status: 0 where this is still so, 1 where the behavior has changed, 2 where the
# packages could not be installed.
set -eu

folder=$(mktemp -d)
trap 'kill $owner $bus 2> /dev/null || true; rm -rf "$folder"' EXIT
owner= bus=
command -v dbus-daemon > /dev/null || { echo "dbus-daemon is not in PATH" >&2; exit 2; }
python3 -m venv "$folder/venv" || exit 2
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  PySide6_Essentials==6.12.0 PySide6_Addons==6.12.0 shiboken6==6.12.0 dbus-fast==5.2.0 || exit 2

cat > "$folder/owner.py" <<'PYTHON'
import asyncio
from dbus_fast import BusType
from dbus_fast.aio import MessageBus
from dbus_fast.service import PropertyAccess, ServiceInterface, dbus_property

class Adapter(ServiceInterface):
    def __init__(self):
        super().__init__('org.bluez.Adapter1')

    @dbus_property(access=PropertyAccess.READ)
    def Address(self) -> 's':
        return '00:00:5E:00:53:01'

async def main():
    bus = await MessageBus(bus_type=BusType.SYSTEM).connect()
    bus.export('/org/bluez/hci0', Adapter())
    await bus.request_name('org.bluez')
    print('ready', flush=True)
    await bus.wait_for_disconnect()

asyncio.run(main())
PYTHON
cat > "$folder/central.py" <<'PYTHON'
from PySide6.QtBluetooth import QBluetoothAddress, QBluetoothDeviceInfo, QLowEnergyController
from PySide6.QtCore import QCoreApplication

application = QCoreApplication([])
device = QBluetoothDeviceInfo(QBluetoothAddress('00:00:5E:00:53:02'), 'device', 0)
device.setCoreConfigurations(QBluetoothDeviceInfo.CoreConfiguration.LowEnergyCoreConfiguration)
controller = QLowEnergyController.createCentral(device)
PYTHON

DBUS_SYSTEM_BUS_ADDRESS=unix:path=$folder/bus
export DBUS_SYSTEM_BUS_ADDRESS
dbus-daemon --session --address="unix:path=$folder/bus" --nofork --nopidfile 2> /dev/null &
bus=$!
while [ ! -S "$folder/bus" ]; do sleep 0.1; done

# What Qt uses where the owner of org.bluez has a command line whose first word prints $1; $2 is the forced release.
backend() {
  printf '#!/bin/sh\necho %s\n' "$1" > "$folder/named"
  chmod +x "$folder/named"
  # The virtual environment's packages, without its interpreter's name.
  PYTHONPATH=$(echo "$folder"/venv/lib/python3*/site-packages) bash -c 'exec -a "$0" "$@"' "$folder/named" \
    "$(readlink -f "$folder/venv/bin/python")" "$folder/owner.py" > "$folder/ready" &
  owner=$!
  while [ ! -s "$folder/ready" ]; do sleep 0.1; done
  seen=$(QT_LOGGING_RULES='qt.bluetooth*=true' BLUETOOTH_FORCE_DBUS_LE_VERSION=$2 \
    "$folder/venv/bin/python" "$folder/central.py" 2>&1 | sed -n 's/^qt.bluetooth: Using \(.*\) for central$/\1/p')
  kill $owner
  wait $owner 2> /dev/null || true
  : > "$folder/ready"
  echo "argv[0] prints $1, forced: ${2:-no}: $seen"
}

result=$(backend 5.66 '' && backend 5.41 '' && backend 5.41 5.66)
echo "$result"
expected='argv[0] prints 5.66, forced: no: BlueZ LE DBus API
argv[0] prints 5.41, forced: no: BlueZ kernel ATT interface
argv[0] prints 5.41, forced: 5.66: BlueZ LE DBus API'
if [ "$result" != "$expected" ]; then
  echo "The behavior has changed; PySide6 6.12.0 printed:" >&2
  echo "$expected" >&2
  exit 1
fi
