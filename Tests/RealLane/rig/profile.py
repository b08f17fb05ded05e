"""The attributes that a central must see of a profile, read with Python's own reader if the property list is XML."""

import pathlib
import plistlib
import subprocess
from dataclasses import dataclass, field

from bumble.core import UUID

# The bits of the characteristic declaration; the two that need encryption show as plain notify and indicate.
BITS = {
    'broadcast': 0x01,
    'read': 0x02,
    'writeWithoutResponse': 0x04,
    'write': 0x08,
    'notify': 0x10,
    'indicate': 0x20,
    'authenticatedSignedWrites': 0x40,
    'extendedProperties': 0x80,
    'notifyEncryptionRequired': 0x10,
    'indicateEncryptionRequired': 0x20,
}
TIME_LIMIT = 4.5  # seconds that the system waits for an app, a little less than bluetoothd does
ADVERTISING_BYTES = 28  # for service UUIDs, beside the flags


@dataclass
class Attribute:
    uuid: UUID
    value: bytes | None
    permissions: set[str]

    @property
    def readable(self) -> bool:
        return bool(self.permissions & {'readable', 'readEncryptionRequired'})

    @property
    def writeable(self) -> bool:
        return bool(self.permissions & {'writeable', 'writeEncryptionRequired'})

    @property
    def read_needs_encryption(self) -> bool:
        return 'readEncryptionRequired' in self.permissions

    @property
    def write_needs_encryption(self) -> bool:
        return 'writeEncryptionRequired' in self.permissions


@dataclass
class Characteristic(Attribute):
    properties: set[str]
    behavior: str | None
    source: UUID | None = None  # whose writes it echoes; none for its own
    descriptors: list[Attribute] = field(default_factory=list)
    answer_delay: float = 0  # seconds

    @property
    def bits(self) -> int:
        bits = 0
        for name in self.properties:
            bits |= BITS[name]
        return bits

    @property
    def readable(self) -> bool:
        return 'read' in self.properties and super().readable

    @property
    def can_notify(self) -> bool:
        return bool(self.bits & 0x30)

    @property
    def notifying_needs_encryption(self) -> bool:
        return bool(self.properties & {'notifyEncryptionRequired', 'indicateEncryptionRequired'})

    @property
    def answers_too_late(self) -> bool:
        """Whether a central receives an error before the app answers."""
        return self.answer_delay > TIME_LIMIT

    @property
    def produces(self) -> bool:
        """Whether it has new values of its own accord."""
        return self.behavior not in (None, 'echo')

    def repeats(self, written: 'Characteristic') -> bool:
        """Whether it shows what is written to a characteristic of its service; without a behavior it keeps that too,
        but notifies nothing."""
        if self.value is not None or self.produces:
            return False
        return self.uuid == written.uuid if self.source is None else self.source == written.uuid


@dataclass
class Service:
    uuid: UUID
    primary: bool
    includes: list[UUID]
    characteristics: list[Characteristic]


@dataclass
class Profile:
    path: pathlib.Path
    services: list[Service]
    local_name: str | None
    advertised: list[UUID]
    has_background_mode: bool

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def all_advertised_fit(self) -> bool:
        """Whether every UUID fits into the advertisement: a list a width, each with a header of two bytes."""
        widths = [len(uuid.to_bytes()) for uuid in self.advertised]
        return sum(widths) + 2 * len(set(widths)) <= ADVERTISING_BYTES


def load(path: pathlib.Path, blepera: str) -> Profile:
    """`blepera` converts a property list in text."""
    content = path.read_bytes()
    if not content.startswith(b'<'):
        content = subprocess.run([blepera, 'convert', str(path)], check=True, capture_output=True).stdout
    information = plistlib.loads(content)
    peripheral = information['BLEPeripheral']
    advertisement = peripheral.get('Advertisement', {})
    return Profile(
        path,
        [service(entry) for entry in peripheral.get('Services', [])],
        advertisement.get('LocalName'),
        [UUID(uuid) for uuid in advertisement.get('ServiceUUIDs', [])],
        'bluetooth-peripheral' in information.get('UIBackgroundModes', []),
    )


def service(entry: dict) -> Service:
    return Service(
        UUID(entry['UUID']),
        entry.get('Primary', True),
        [UUID(uuid) for uuid in entry.get('IncludedServices', [])],
        [characteristic(one) for one in entry.get('Characteristics', [])],
    )


def characteristic(entry: dict) -> Characteristic:
    behavior = entry.get('Behavior', {})
    return Characteristic(
        UUID(entry['UUID']),
        value(entry),
        set(entry.get('Permissions', [])),
        set(entry['Properties']),
        behavior.get('Kind'),
        UUID(behavior['Source']) if 'Source' in behavior else None,
        [descriptor(one) for one in entry.get('Descriptors', [])],
        entry.get('AnswerDelay', 0),
    )


def descriptor(entry: dict) -> Attribute:
    return Attribute(UUID(entry['UUID']), value(entry), set(entry.get('Permissions', ['readable'])))


def value(entry: dict) -> bytes | None:
    if 'Text' in entry:
        return entry['Text'].encode()
    found = entry.get('Value')
    return bytes.fromhex(found.replace('0x', '')) if isinstance(found, str) else found
