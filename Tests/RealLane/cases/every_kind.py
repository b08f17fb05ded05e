"""The characteristics of profiles/every-kind.plist, by what they are for."""


def uuid(number: int) -> str:
    return f'B1E9E2A0-0000-4000-8000-0000000000{number:02X}'


LONG_READ, ECHO, COMMAND, INDICATED, COUNTER, WRITE_ONLY, NOTIFY_ONLY, DESCRIBED = map(uuid, range(0x11, 0x19))
SECRET, SECRET_WRITE, GUARDED_WRITE, SECRET_NOTIFY, SECRET_INDICATE = map(uuid, range(0x51, 0x56))
