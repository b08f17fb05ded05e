"""Another GATT program on the adapter, as many are: registers a service with readable characteristics at /other, says
`registered`, or why not, and answers reads until it is ended.

    other_program.py UUID COUNT [HANDLE]      of the service; where bluetoothd is not to choose it
"""

import sys

from jeepney import DBusAddress, HeaderFields, MessageType, new_error, new_method_call, new_method_return
from jeepney.io.blocking import open_dbus_connection

UUID, COUNT = sys.argv[1], int(sys.argv[2])
SERVICE = {'UUID': ('s', UUID), 'Primary': ('b', True)}
if sys.argv[3:]:
    SERVICE['Handle'] = ('q', int(sys.argv[3], 0))
OBJECTS = {'/other/service': {'org.bluez.GattService1': SERVICE}}
for number in range(COUNT):
    OBJECTS[f'/other/service/char{number}'] = {
        'org.bluez.GattCharacteristic1': {
            'UUID': ('s', UUID[:4] + f'{number:04x}' + UUID[8:]),
            'Service': ('o', '/other/service'),
            'Flags': ('as', ['read']),
        }
    }

bus = open_dbus_connection('SYSTEM')
manager = DBusAddress('/org/bluez/hci0', 'org.bluez', 'org.bluez.GattManager1')
bus.send(new_method_call(manager, 'RegisterApplication', 'oa{sv}', ('/other', {})))
while message := bus.receive():
    member = message.header.fields.get(HeaderFields.member)
    match message.header.message_type, member:
        case MessageType.method_return, _:
            print('registered', flush=True)
        case MessageType.error, _:
            print('refused:', *message.body, flush=True)
        case MessageType.method_call, 'GetManagedObjects':
            bus.send(new_method_return(message, 'a{oa{sa{sv}}}', (OBJECTS,)))
        case MessageType.method_call, 'ReadValue':
            path = message.header.fields[HeaderFields.path]
            bus.send(new_method_return(message, 'ay', (path.encode(),)))
        case MessageType.method_call, _:
            bus.send(new_error(message, 'org.freedesktop.DBus.Error.UnknownMethod'))
