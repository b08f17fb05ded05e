"""A program that leaves the bus 5 ms after it has asked bluetoothd to advertise. bluetoothd counts the advertisement
until it restarts.

    ghost.py COUNT      how often it does that, each time over a connection of its own
"""

import sys
import time

from jeepney import DBusAddress, new_method_call
from jeepney.io.blocking import open_dbus_connection

manager = DBusAddress('/org/bluez/hci0', 'org.bluez', 'org.bluez.LEAdvertisingManager1')
for _ in range(int(sys.argv[1])):
    bus = open_dbus_connection('SYSTEM')
    bus.send(new_method_call(manager, 'RegisterAdvertisement', 'oa{sv}', ('/ghost', {})))
    time.sleep(0.005)
    bus.close()
