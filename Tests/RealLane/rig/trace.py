"""HCI packets between the VM's kernel and its adapters, in btsnoop's monitor format: for btmon and Wireshark."""

import pathlib
import struct
import subprocess
import time
from collections import deque

MONITOR = 2001  # the format in which a record's flags hold an adapter's index and the kind of its packet
EPOCH = 0x00DCDDB30F2F8000  # 1970-01-01, in microseconds since the year 0
FROM_KERNEL, FROM_CONTROLLER = 'kernel', 'controller'
NEW_ADAPTER = 0
COMMAND, EVENT, DATA_OF_KERNEL = 2, 3, 4
# H4 packet type and sender to btsnoop's kind of packet: commands, ACL data in both directions, events.
KINDS = {(1, FROM_KERNEL): COMMAND, (4, FROM_CONTROLLER): EVENT, (2, FROM_KERNEL): DATA_OF_KERNEL, (2, FROM_CONTROLLER): 5}
LIMIT = 200_000  # packets


class Trace:
    """The packets since the last `clear`."""

    def __init__(self):
        self.records: deque[tuple[int, float, bytes]] = deque(maxlen=LIMIT)
        self.adapters: dict[int, bytes] = {}

    def add_adapter(self, adapter: int, address: bytes) -> None:
        self.adapters[adapter] = struct.pack('<BB6s8s', 0, 0, address, f'hci{adapter}'.encode())

    def add(self, adapter: int, sender: str, packet: bytes) -> None:
        if (kind := KINDS.get((packet[0], sender))) is not None:
            self.records.append((adapter << 16 | kind, time.time(), packet[1:]))

    def clear(self) -> None:
        self.records.clear()

    def write(self, folder: pathlib.Path) -> None:
        """Writes `air.btsnoop`, and `air.txt` as btmon prints it."""
        begin = self.records[0][1] if self.records else time.time()
        adapters = [(number << 16 | NEW_ADAPTER, begin, data) for number, data in self.adapters.items()]
        with open(folder / 'air.btsnoop', 'wb') as file:
            file.write(struct.pack('>8sII', b'btsnoop\0', 1, MONITOR))
            for flags, at, data in (*adapters, *self.records):
                length = len(data)
                file.write(struct.pack('>IIIIq', length, length, flags, 0, EPOCH + int(at * 1e6)) + data)
        with open(folder / 'air.txt', 'wb') as text:
            words = ['btmon', '-T', '-C', '160', '-r', folder / 'air.btsnoop']
            subprocess.run(words, stdout=text, stderr=subprocess.DEVNULL)
