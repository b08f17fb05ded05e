"""The UUIDs that the tests use."""


def short(number: int) -> str:
    return f'0000{number:04x}-0000-1000-8000-00805f9b34fb'


def every_kind(number: int) -> str:
    return f'b1e9e2a0-0000-4000-8000-0000000000{number:02x}'


HEART_RATE, MEASUREMENT, LOCATION = short(0x180D), short(0x2A37), short(0x2A38)
EVERY_KIND = every_kind(0x10)
LONG_READ, ECHO, COMMAND, INDICATED, COUNTER, WRITE_ONLY, NOTIFY_ONLY, DESCRIBED = map(every_kind, range(0x11, 0x19))
REFUSED, SECRET = every_kind(0x21), every_kind(0x51)
