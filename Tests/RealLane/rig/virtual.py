"""The packets of a phone on the virtual radio, by their capture. The virtual radio needs no micro-VM."""

import asyncio
import json
import os
import pathlib
import struct
import tempfile
from collections.abc import Callable, Iterator

from blepera_tests.events import parse_events

from .advertising import Packet, steps
from .errors import Failure

ACCESS_ADDRESS = bytes.fromhex('D6 BE 89 8E')  # of the advertising channels
ADVERTISING, SCAN_RESPONSE = 0, 4  # types of a packet
LIMIT = 20
Advertised = tuple[Packet, tuple[int, int]]  # with the interval in the controller's steps


class VirtualPhone:
    """`blepera serve --virtual` with a folder of its own."""

    def __init__(self, binary: pathlib.Path, folder: str):
        self.binary, self.folder = binary, pathlib.Path(folder)
        self.env = os.environ | {'XDG_RUNTIME_DIR': folder, 'XDG_STATE_HOME': folder}

    async def start(self, *words: object) -> asyncio.subprocess.Process:
        with open(self.folder / 'out', 'ab') as out:
            return await asyncio.create_subprocess_exec(
                str(self.binary), *map(str, words), env=self.env, stdout=out, stderr=out
            )

    def events(self) -> list[dict]:
        """The events about advertising."""
        lines = (self.folder / 'out').read_text().rpartition('\n')[0].splitlines()
        return [event for event in parse_events(lines) if event['event'] in ('advertising', 'advertisingStopped')]

    def packets(self, kind: int) -> Iterator[bytes]:
        """The data of the advertising packets of a type; in the capture each has 10 bytes before its access address."""
        data, at = (self.folder / 'air.pcap').read_bytes(), 24
        while at + 16 <= len(data):
            [length] = struct.unpack_from('<I', data, at + 8)
            packet = data[at + 26 : at + 16 + length]
            if packet.startswith(ACCESS_ADDRESS) and len(packet) >= 6 and packet[4] & 0x0F == kind:
                yield packet[12 : 6 + packet[5]]
            at += 16 + length

    async def until(self, condition: Callable[[], object], what: str) -> None:
        for _ in range(LIMIT * 20):
            if condition():
                return
            await asyncio.sleep(0.05)
        raise Failure(f'no {what} on the virtual radio in {LIMIT} s: {self.events()}')

    async def advertised(self, count: int, foreground: bool) -> frozenset[Advertised]:
        """The packets that the event of this number in one state reports, once they were on the air."""

        def events() -> list[dict]:
            return [event for event in self.events() if (event.get('intervalKind') == 'foreground') == foreground]

        await self.until(lambda: len(events()) >= count, f'event {count} (foreground: {foreground})')
        event = events()[count - 1]
        if event['event'] == 'advertisingStopped':
            return await self.own()
        packet = packet_of(event)
        await self.until(lambda: packet.data in self.packets(ADVERTISING), f'{packet}')
        if packet.response:  # sent to those who scan actively, and then no other
            await self.until(lambda: packet.response in self.packets(SCAN_RESPONSE), f'{packet}')
        return frozenset([(packet, steps(event['interval']))])

    async def own(self) -> frozenset[Advertised]:
        """The packets that the phone sends without an app, by its status, once they were on the air."""
        process = await asyncio.create_subprocess_exec(
            str(self.binary), 'status', '--json', env=self.env, stdout=asyncio.subprocess.PIPE
        )
        text, _ = await process.communicate()
        air = json.loads(text)['air']
        packets = [packet_of(one) for one in air['advertisements']]
        await self.until(lambda: all(one.data in self.packets(ADVERTISING) for one in packets), f'{packets}')
        return frozenset((packet, steps(air['effectiveInterval'])) for packet in packets)


def packet_of(sent: dict) -> Packet:
    return Packet(*(bytes.fromhex(sent[key]) for key in ('advertisingData', 'scanResponse')))


async def on_virtual_air(binary: pathlib.Path, *profiles: pathlib.Path) -> dict[str, frozenset[Advertised]]:
    """The packets by the state of the apps, the last of which is frontmost."""
    with tempfile.TemporaryDirectory(prefix='blepera-air-') as folder:
        phone = VirtualPhone(binary, folder)
        serving = await phone.start('serve', '--virtual', '--json', '--pcap', f'{folder}/air.pcap', *profiles)
        try:
            # Each app is launched when the one before is on the air, which then moves to the background.
            front = await phone.advertised(len(profiles), foreground=True)
            asking = await phone.start('background')
            assert await asking.wait() == 0, 'the status of blepera background'
            return {'foreground': front, 'background': await phone.advertised(len(profiles), foreground=False)}
        finally:
            serving.terminate()
            await serving.wait()
