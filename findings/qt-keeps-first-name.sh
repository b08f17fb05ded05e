#!/bin/sh
# QtBluetooth of Qt 6.12.0 never learns a name or service UUIDs that come after the device, in the whole discovery.
#
# bluetoothd adds a device with its advertisement where the scan response was missed or comes in an event of its own, and
# signals what the scan response has later: Name, UUIDs and ManufacturerData. Expected: QBluetoothDeviceDiscoveryAgent
# takes over what bluetoothd signals, and emits deviceUpdated. Seen: the agent takes the manufacturer data and the signal
# strength, without deviceUpdated, and keeps the name and the UUIDs that the device had first. So a device whose name was
# missed once has its address for a name until the discovery is started again, and its UUIDs are missing, although
# bluetoothd lists them. The guess before the run was the same, but with deviceUpdated.
#
# Needs python3 with venv and dbus-daemon, and installs PySide6 6.12.0 and dbus-fast 5.2.0 from PyPI (about 150 MB);
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
from dbus_fast import BusType, Message, MessageType, Variant
from dbus_fast.aio import MessageBus

ADAPTER, DEVICE = '/org/bluez/hci0', '/org/bluez/hci0/dev_00_00_5E_00_53_02'
THERMOMETER = ['00001809-0000-1000-8000-00805f9b34fb']

def manufacturer_data(data):
    return Variant('a{qv}', {0xFFFF: Variant('ay', data)})

adapter = {'Address': Variant('s', '00:00:5E:00:53:01'), 'Powered': Variant('b', True), 'Discovering': Variant('b', False)}
device = {
    'Address': Variant('s', '00:00:5E:00:53:02'), 'Alias': Variant('s', '00-00-5E-00-53-02'), 'RSSI': Variant('n', -50),
    'Adapter': Variant('o', ADAPTER), 'UUIDs': Variant('as', []), 'ManufacturerData': manufacturer_data(b'\x01'),
}
response = {
    'Name': Variant('s', 'Thermometer'), 'Alias': Variant('s', 'Thermometer'), 'UUIDs': Variant('as', THERMOMETER),
    'ManufacturerData': manufacturer_data(b'\x02'),
}
objects = {ADAPTER: {'org.bluez.Adapter1': adapter}}

async def main():
    bus = await MessageBus(bus_type=BusType.SYSTEM).connect()

    def signal(path, interface, member, signature, body):
        bus.send(Message(
            message_type=MessageType.SIGNAL, path=path, interface=f'org.freedesktop.DBus.{interface}', member=member,
            signature=signature, body=body))

    def change(path, interface, known, changed):
        known.update(changed)
        signal(path, 'Properties', 'PropertiesChanged', 'sa{sv}as', [interface, changed, []])

    async def discover():
        change(ADAPTER, 'org.bluez.Adapter1', adapter, {'Discovering': Variant('b', True)})
        if DEVICE in objects:
            return
        await asyncio.sleep(0.3)
        objects[DEVICE] = {'org.bluez.Device1': device}
        signal('/', 'ObjectManager', 'InterfacesAdded', 'oa{sa{sv}}', [DEVICE, {'org.bluez.Device1': dict(device)}])
        await asyncio.sleep(0.3)
        change(DEVICE, 'org.bluez.Device1', device, response)
        await asyncio.sleep(0.3)
        change(DEVICE, 'org.bluez.Device1', device, {'RSSI': Variant('n', -40)})

    def answer(message):
        if message.message_type is not MessageType.METHOD_CALL:
            return None
        words = [one for one in message.body if isinstance(one, str)]
        known = objects.get(message.path, {}).get(words[0], {}) if words else {}
        if message.member == 'GetManagedObjects':
            return Message.new_method_return(message, 'a{oa{sa{sv}}}', [objects])
        if message.member == 'GetAll':
            return Message.new_method_return(message, 'a{sv}', [known])
        if message.member == 'Get' and message.body[1] in known:
            return Message.new_method_return(message, 'v', [known[message.body[1]]])
        if message.member == 'Get':
            return Message.new_error(message, 'org.freedesktop.DBus.Error.InvalidArgs', 'no such property')
        if message.member == 'StartDiscovery':
            asyncio.ensure_future(discover())
        if message.member == 'StopDiscovery':
            change(ADAPTER, 'org.bluez.Adapter1', adapter, {'Discovering': Variant('b', False)})
        return Message.new_method_return(message)

    bus.add_message_handler(answer)
    await bus.request_name('org.bluez')
    print('ready', flush=True)
    await bus.wait_for_disconnect()

asyncio.run(main())
PYTHON
cat > "$folder/central.py" <<'PYTHON'
from PySide6.QtBluetooth import QBluetoothDeviceDiscoveryAgent
from PySide6.QtCore import QCoreApplication, QTimer

application = QCoreApplication([])
agent = QBluetoothDeviceDiscoveryAgent()
agent.setLowEnergyDiscoveryTimeout(2000)
method = QBluetoothDeviceDiscoveryAgent.DiscoveryMethod.LowEnergyMethod
ended = []

def show(what, device):
    uuids = [uuid.toString().strip('{}')[4:8] for uuid in device.serviceUuids()]
    print(what, device.name(), uuids, bytes(device.manufacturerData(0xFFFF)).hex(), device.rssi(), sep='; ')

def finished():
    for device in agent.discoveredDevices():
        show('at the end', device)
    ended.append(1)
    agent.start(method) if len(ended) == 1 else application.quit()

agent.deviceDiscovered.connect(lambda device: show('discovered', device))
agent.deviceUpdated.connect(lambda device, _: show('updated', device))
agent.finished.connect(finished)
agent.start(method)
QTimer.singleShot(30_000, application.quit)
application.exec()
PYTHON
cat > "$folder/expected" <<'TEXT'
discovered; 00-00-5E-00-53-02; []; 01; -50
at the end; 00-00-5E-00-53-02; []; 02; -40
discovered; Thermometer; ['1809']; 02; -40
at the end; Thermometer; ['1809']; 02; -40
TEXT

DBUS_SYSTEM_BUS_ADDRESS=unix:path=$folder/bus BLUETOOTH_FORCE_DBUS_LE_VERSION=5.66
export DBUS_SYSTEM_BUS_ADDRESS BLUETOOTH_FORCE_DBUS_LE_VERSION
dbus-daemon --session --address="unix:path=$folder/bus" --nofork --nopidfile 2> /dev/null &
bus=$!
while [ ! -S "$folder/bus" ]; do sleep 0.1; done
"$folder/venv/bin/python" "$folder/owner.py" > "$folder/ready" &
owner=$!
while [ ! -s "$folder/ready" ]; do sleep 0.1; done
"$folder/venv/bin/python" "$folder/central.py" 2> "$folder/errors" > "$folder/seen" || cat "$folder/errors" >&2
cat "$folder/seen"
diff "$folder/expected" "$folder/seen" > /dev/null || { echo "changed; expected:" >&2; cat "$folder/expected" >&2; exit 1; }
