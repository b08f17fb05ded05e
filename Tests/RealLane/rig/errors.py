"""The two ways in which a run ends early."""


class RigError(Exception):
    """The rig itself cannot go on; the message is one sentence that says why."""


class Failure(AssertionError):
    """What was seen is not what was expected; the message says both."""


def expect(truth: object, message: str) -> None:
    if not truth:
        raise Failure(message)


def expect_equal(seen: object, expected: object, what: str) -> None:
    if seen != expected:
        raise Failure(f'{what}: expected {show(expected)}, seen {show(seen)}')


def show(value: object) -> str:
    if isinstance(value, (bytes, bytearray)):
        text = value.hex(' ')
        return f'{len(value)} bytes {text if len(value) <= 32 else text[:95] + " ..."}'
    return repr(value)
