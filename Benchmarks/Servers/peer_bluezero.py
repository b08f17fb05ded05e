"""bluezero with the database of perf.h: --services N."""

import logging
import struct
import sys

# dbus and gi are Debian's: neither is on PyPI as a wheel.
sys.path.append('/usr/lib/python3/dist-packages')

from bluezero import adapter, peripheral

logging.disable(logging.CRITICAL)
COUNT = int(sys.argv[2]) if len(sys.argv) > 2 else 1
VALUE = list(range(20))


def uuid(service, kind):
    return f'{service:08x}-7065-7266-0000-{kind:012x}'


def main():
    server = peripheral.Peripheral(next(iter(adapter.Adapter.available())).address, local_name='Bluezero')
    value, subscribed = VALUE, []

    def add(service, kind, flags, initial=VALUE, **callbacks):
        server.add_characteristic(
            srv_id=service, chr_id=kind, uuid=uuid(service, kind), value=initial, notifying=False, flags=flags,
            **callbacks)

    def write(written, options):
        nonlocal value
        value = list(written)

    def burst(written, options):
        (count,) = struct.unpack('<I', bytes(written))
        for number in range(count):
            subscribed[0].set_value([*struct.pack('<I', number), *bytes(16)])

    for service in range(COUNT):
        server.add_service(srv_id=service, uuid=uuid(service, 0), primary=True)
        add(service, 1, ['read'])
    add(0, 2, ['read', 'write'], read_callback=lambda: value, write_callback=write)
    add(0, 3, ['read', 'notify'], notify_callback=lambda is_on, characteristic: subscribed.append(characteristic))
    add(0, 4, ['write'], [], write_callback=burst)
    # bluezero sends a written value as an update by itself.
    add(0, 5, ['write', 'notify'], [], write_callback=lambda written, options: None)
    # All services are advertised, of which an advertisement could hold one.
    del server.primary_services[1:]
    server.publish()


main()
