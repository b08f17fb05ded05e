"""The ATT requests in a capture of a virtual air."""

import pathlib
import struct
from collections.abc import Iterator

ADVERTISING = bytes.fromhex('D6 BE 89 8E')  # the access address
CONNECT_IND, FROM_CENTRAL, START, CONTINUATION, ATTRIBUTES, CONFIRMATION = 5, 2, 2, 1, 4, 0x1E


def packets(file: pathlib.Path) -> Iterator[tuple[int, bytes]]:
    """Each packet from its access address on, with its direction."""
    data, at = file.read_bytes(), 24
    while at + 16 <= len(data):
        [length] = struct.unpack_from('<I', data, at + 8)
        [flags] = struct.unpack_from('<H', data, at + 24)
        yield flags >> 7 & 7, data[at + 26 : at + 16 + length]
        at += 16 + length


def requests(file: pathlib.Path) -> list[str]:
    """The requests of the central, as hexadecimal digits; `connection` at the start of a connection."""
    sent, frame = [], b''
    for direction, packet in packets(file):
        kind, payload = packet[4] & 3, packet[6 : 6 + packet[5]]
        if packet.startswith(ADVERTISING):
            sent += ['connection'] * (packet[4] & 0x0F == CONNECT_IND)
        elif direction == FROM_CENTRAL and kind in (START, CONTINUATION):
            frame = payload if kind == START else frame + payload
            length, channel = struct.unpack_from('<HH', frame)
            is_whole = len(frame) == 4 + length
            # PDUs with odd opcodes are responses.
            if is_whole and channel == ATTRIBUTES and frame[4] % 2 == 0 and frame[4] != CONFIRMATION:
                sent.append(frame[4:].hex())
    return sent
