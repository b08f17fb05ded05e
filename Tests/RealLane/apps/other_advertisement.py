"""Another program that advertises on the adapter through bluetoothd: registers one advertisement after the other,
prints for each `registered`, or why not, and keeps them until it is ended.

    other_advertisement.py NAME...      the local names of the advertisements
"""

import sys

from jeepney import DBusAddress, HeaderFields, MessageType, new_error, new_method_call, new_method_return
from jeepney.io.blocking import open_dbus_connection

PLACE = '/other/advertisement'
waiting = list(enumerate(sys.argv[1:]))
names = {f'{PLACE}{number}': name for number, name in waiting}
bus = open_dbus_connection('SYSTEM')
manager = DBusAddress('/org/bluez/hci0', 'org.bluez', 'org.bluez.LEAdvertisingManager1')


def register_next() -> None:
    if waiting:
        number, _ = waiting.pop(0)
        bus.send(new_method_call(manager, 'RegisterAdvertisement', 'oa{sv}', (f'{PLACE}{number}', {})))


register_next()
while message := bus.receive():
    fields = message.header.fields
    match message.header.message_type, fields.get(HeaderFields.member):
        case MessageType.method_return, _:
            print('registered', flush=True)
            register_next()
        case MessageType.error, _:
            print('refused:', fields[HeaderFields.error_name], *message.body, flush=True)
            register_next()
        case MessageType.method_call, 'GetAll':
            shown = {'Type': ('s', 'peripheral'), 'LocalName': ('s', names[fields[HeaderFields.path]])}
            bus.send(new_method_return(message, 'a{sv}', (shown,)))
        case MessageType.method_call, _:
            bus.send(new_error(message, 'org.freedesktop.DBus.Error.UnknownMethod'))
