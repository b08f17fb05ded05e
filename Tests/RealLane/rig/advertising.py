"""Advertising events: those that a central receives, and those that `blepera explain` predicts."""

import asyncio
import re
import time
from collections.abc import Callable
from dataclasses import dataclass

from bumble.core import UUID, AdvertisingData
from bumble.hci import HCI_LE_Extended_Advertising_Report_Event

from .errors import Failure

EventType = HCI_LE_Extended_Advertising_Report_Event.EventType
NAMES = {AdvertisingData.COMPLETE_LOCAL_NAME, AdvertisingData.SHORTENED_LOCAL_NAME}
UUID_LISTS = {2: 2, 3: 2, 4: 4, 5: 4, 6: 16, 7: 16}  # AD type to the bytes of one UUID
MANUFACTURER_DATA = 0xFF
OVERFLOW = bytes.fromhex('4C 00 01')  # Apple, and the type of the overflow area
STEP = 0.625  # milliseconds, of the controller's intervals


def uuids_in(structures: list[tuple[int, bytes]]) -> list[UUID]:
    """The service UUIDs that the AD structures list."""
    found = []
    for kind, data in structures:
        if width := UUID_LISTS.get(kind):
            found += [UUID.from_bytes(data[at : at + width]) for at in range(0, len(data), width)]
    return found


@dataclass(frozen=True)
class Packet:
    """The content of one advertising event."""

    data: bytes
    response: bytes

    def __repr__(self) -> str:
        return f'{self.data.hex(" ") or "nothing"} | {self.response.hex(" ") or "nothing"}'

    @property
    def structures(self) -> list[tuple[int, bytes]]:
        return [(int(kind), data) for kind, data in AdvertisingData.from_bytes(self.data + self.response).ad_structures]

    @property
    def name(self) -> str | None:
        return next((data.decode() for kind, data in self.structures if kind in NAMES), None)

    @property
    def services(self) -> list[UUID]:
        return uuids_in(self.structures)

    @property
    def untagged(self) -> 'Packet':
        """The packet without the tag of Nearby Info, which the virtual radio draws for each phone."""
        tag = re.compile(rb'(\xff\x4c\x00\x10[\x06\x07]..).{4}', re.DOTALL)
        return Packet(tag.sub(rb'\1', self.data), self.response)

    @property
    def overflow(self) -> int:
        """The bits of its overflow area; 0 without one."""
        areas = [data for kind, data in self.structures if kind == MANUFACTURER_DATA and data.startswith(OVERFLOW)]
        return int.from_bytes(areas[0][len(OVERFLOW) :], 'little') if areas else 0


def overflow_bits(uuids: list[UUID]) -> int:
    """The overflow area of these services: a bit each, CRC-8 over the 16 bytes as printed (polynomial 0x09)."""
    bits = 0
    for uuid in uuids:
        crc = 0
        for byte in reversed(uuid.to_bytes(force_128=True)):
            crc ^= byte
            for _ in range(8):
                crc = (crc << 1 ^ 0x09) & 0xFF if crc & 0x80 else crc << 1
        bits |= 1 << (crc & 0x7F)
    return bits


@dataclass(frozen=True)
class Prediction:
    """The prediction of `explain` for one state of the apps."""

    packets: frozenset[Packet]
    asked: frozenset[tuple[int, int]]  # of the controller: the least and the greatest interval, in its steps
    interval: float | None  # of the rule set, the middle of it, in milliseconds
    iphone: frozenset[Packet]
    iphone_asked: frozenset[tuple[int, int]]  # of the rule set, in the controller's steps

    @classmethod
    def of(cls, state: dict) -> 'Prediction':
        own = state.get('own')  # without an app on the air
        sent, iphone, interval = state['bluez'], state.get('iphone', own), state.get('interval', own and own['interval'])
        return cls(
            frozenset(packet_of(one) for one in sent),
            frozenset(steps(one['interval']) for one in sent),
            interval and (interval['minimum'] + interval['maximum']) / 2,
            frozenset([packet_of(iphone)] if iphone else []),
            frozenset([steps(interval)] if interval else []),
        )


def packet_of(sent: dict) -> Packet:
    return Packet(*(bytes.fromhex(sent[key]['hex']) for key in ('advertisingData', 'scanResponse')))


def steps(interval: dict) -> tuple[int, int]:
    """An interval in the controller's steps, rounded down; those of the rules are whole steps."""
    return int(interval['minimum'] / STEP), int(interval['maximum'] / STEP)


class Reception:
    """Every advertising event that a central receives, in order, with its time."""

    def __init__(self):
        self.events: list[tuple[float, Packet]] = []
        self.changed = asyncio.Event()
        self.unanswered: bytes | None = None

    def __call__(self, report: HCI_LE_Extended_Advertising_Report_Event.Report) -> None:
        if report.event_type & EventType.SCAN_RESPONSE:
            if self.unanswered is None:
                return
            packet, self.unanswered = Packet(self.unanswered, report.data), None
        elif report.event_type & EventType.SCANNABLE_ADVERTISING:
            self.unanswered = report.data
            return
        else:
            packet = Packet(report.data, b'')
        self.events.append((time.monotonic(), packet))
        self.changed.set()

    @property
    def mark(self) -> int:
        """The number of events so far."""
        return len(self.events)

    def packets(self, after: int = 0) -> list[Packet]:
        return [packet for _, packet in self.events[after:]]

    def times(self, after: int = 0) -> list[float]:
        return [at for at, _ in self.events[after:]]

    async def until(self, condition: Callable[[], object], limit: float, what: Callable[[], str]) -> None:
        try:
            async with asyncio.timeout(limit):
                while not condition():
                    self.changed.clear()
                    await self.changed.wait()
        except TimeoutError:
            raise Failure(f'{what()} after {limit:g} s') from None

    async def until_received(self, wanted: frozenset[Packet], after: int = 0, limit: float = 20) -> None:
        """Waits until each of the packets was received."""

        def missing() -> str:
            return f'not on the air: {set(wanted - set(self.packets(after)))}; received: {set(self.packets(after))}'

        await self.until(lambda: wanted <= set(self.packets(after)), limit, missing)

    def check_change(self, old: frozenset[Packet], new: frozenset[Packet], after: int) -> None:
        """From the old packets to the new ones: no other packet between, and no old one after the first new one."""
        packets = self.packets(after)
        assert set(packets) - old - new == set(), 'packets of neither state'
        first = next((index for index, packet in enumerate(packets) if packet in new - old), len(packets))
        assert set(packets[first:]) & (old - new) == set(), 'old packets after the first new one'
