"""The attributes that an app publishes: services, characteristics and descriptors, with functions for requests."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Awaitable, Callable
from typing import Any, Literal, TypeVar, Union, get_args

Property = Literal[
    'read', 'write', 'writeWithoutResponse', 'notify', 'indicate', 'authenticatedSignedWrites',
    'notifyEncryptionRequired', 'indicateEncryptionRequired',
]
WRITABLE = {'write', 'writeWithoutResponse', 'authenticatedSignedWrites'}
UUID = re.compile('[0-9A-F]{4}|[0-9A-F]{8}|[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}')
INVALID_OFFSET, UNLIKELY_ERROR = 0x07, 0x0E


@dataclasses.dataclass(frozen=True)
class Central:
    """A central as an app sees it: `CBCentral`."""

    id: str
    maximum_update_length: int = dataclasses.field(compare=False)
    """The bytes that one notification can carry."""


OnRead = TypeVar('OnRead', bound=Callable[[Central], Union[bytes, Awaitable[bytes]]])
OnWrite = TypeVar('OnWrite', bound=Callable[[Central, bytes], Union[None, Awaitable[None]]])
OnSubscription = TypeVar('OnSubscription', bound=Callable[[Central], Union[None, Awaitable[None]]])


class ATTError(Exception):
    """Raised by a function that responds to a read or a write: the central receives this error, 0x01 to 0xFF."""

    def __init__(self, code: int) -> None:
        if not 0 < code < 256:
            raise ValueError(f'an ATT error is a number from 0x01 to 0xFF, not {code}')
        super().__init__(f'ATT error 0x{code:02X}')
        self.code = code


class Service:
    """A service; centrals can discover it once it is added to an app that runs."""

    def __init__(self, uuid: str, *, primary: bool = True, includes: tuple[Service, ...] = ()) -> None:
        self.uuid = checked_uuid(uuid)
        self.characteristics: list[Characteristic] = []
        self.is_primary = primary
        self._includes = includes
        self._send_update: Callable[[Characteristic, bytes, tuple[Central, ...]], Awaitable[None]] | None = None
        """Sends a value of a characteristic to subscribers; None until the service is added to an app."""

    def characteristic(
        self, uuid: str, *properties: Property, value: bytes | None = None, encrypted: bool = False
    ) -> Characteristic:
        """Adds a characteristic; with a cached `value` the phone responds to reads itself (R10)."""
        if self._send_update:
            raise ValueError(f'add the characteristic {uuid} before its service is added to the app')
        added = Characteristic(self, uuid, properties, value, encrypted)
        self.characteristics.append(added)
        return added

    def _definition(self) -> dict[str, Any]:
        return {
            'uuid': self.uuid,
            'isPrimary': self.is_primary,
            'includedServices': [one.uuid for one in self._includes],
            'characteristics': [one._definition() for one in self.characteristics],
        }

    def _check(self) -> None:
        for one in self.characteristics:
            one._check()

    def _forget_subscribers(self) -> None:
        for one in self.characteristics:
            one._subscribers.clear()


class Characteristic:
    """A characteristic of a service; `subscribers` are the centrals that are subscribed."""

    def __init__(
        self, service: Service, uuid: str, properties: tuple[Property, ...], value: bytes | None, encrypted: bool
    ) -> None:
        self.service = service
        self.uuid = checked_uuid(uuid)
        if unknown := set(properties) - set(get_args(Property)):
            raise ValueError(f'{uuid} has no property {min(unknown)!r}; there are {", ".join(get_args(Property))}')
        self._value = value
        self._properties: list[str] = list(properties)
        self._permissions: list[str] = []
        if 'read' in properties:
            self._permissions.append('readEncryptionRequired' if encrypted else 'readable')
        if WRITABLE & set(properties):
            self._permissions.append('writeEncryptionRequired' if encrypted else 'writeable')
        if encrypted:
            renamed = {'notify': 'notifyEncryptionRequired', 'indicate': 'indicateEncryptionRequired'}
            self._properties = [renamed.get(name, name) for name in properties]
        self._descriptors: list[dict[str, Any]] = []
        self._subscribers: dict[str, Central] = {}
        self._on_read: Callable[[Central], bytes | Awaitable[bytes]] | None = None
        self._on_write: Callable[[Central, bytes], None | Awaitable[None]] | None = None
        self._on_subscribe: Callable[[Central], None | Awaitable[None]] | None = None
        self._on_unsubscribe: Callable[[Central], None | Awaitable[None]] | None = None

    @property
    def subscribers(self) -> list[Central]:
        return list(self._subscribers.values())

    def descriptor(self, uuid: str, value: bytes | str) -> None:
        """Adds a descriptor, to which the phone responds itself: text for 2901, seven bytes for 2904."""
        if self.service._send_update:
            raise ValueError(f'add the descriptor {uuid} before its service is added to the app')
        data = value.encode() if isinstance(value, str) else value
        self._descriptors.append({'uuid': checked_uuid(uuid), 'value': list(data), 'permissions': ['readable']})

    def on_read(self, function: OnRead) -> OnRead:
        """Registers a function for reads: called with the central, returns the whole value or raises `ATTError`."""
        self._on_read = function
        return function

    def on_write(self, function: OnWrite) -> OnWrite:
        """Registers a function for writes: called with the central and the value, may raise `ATTError`."""
        self._on_write = function
        return function

    def on_subscribe(self, function: OnSubscription) -> OnSubscription:
        """Registers a function for each central that has subscribed."""
        self._on_subscribe = function
        return function

    def on_unsubscribe(self, function: OnSubscription) -> OnSubscription:
        """Registers a function for each central that has unsubscribed or disconnected."""
        self._on_unsubscribe = function
        return function

    def update(self, value: bytes, *centrals: Central) -> Awaitable[None]:
        """Sends a value to these subscribers, or to all.

        Updates are sent in order, and wait where the phone's transmit queue is full. Awaited, it returns when the phone
        has queued the update; called from another thread than the app's, it blocks until then. PhoneError says why an
        update cannot be sent.
        """
        if self.service._send_update is None:
            raise ValueError(f'the service {self.service.uuid} is not added to an app: app.add(service)')
        return self.service._send_update(self, bytes(value), centrals)

    def _subscribed(self, central: Central) -> None:
        self._subscribers[central.id] = central

    def _unsubscribed(self, central: Central) -> None:
        self._subscribers.pop(central.id, None)

    def _definition(self) -> dict[str, Any]:
        definition: dict[str, Any] = {
            'uuid': self.uuid, 'properties': self._properties, 'permissions': self._permissions,
            'descriptors': self._descriptors,
        }
        return definition if self._value is None else {**definition, 'value': list(self._value)}

    def _check(self) -> None:
        if 'read' in self._properties and self._value is None and not self._on_read:
            raise ValueError(
                f'centrals can read {self.uuid}, but nothing responds: decorate a function with on_read, or set a value')
        if WRITABLE & set(self._properties) and not self._on_write:
            raise ValueError(f'centrals can write {self.uuid}, but nothing responds: decorate a function with on_write')


def checked_uuid(uuid: str) -> str:
    text = str(uuid).upper()
    if not UUID.fullmatch(text):
        raise ValueError(f"{uuid!r} is not a UUID: '180D', or '6E400001-B5A3-F393-E0A9-E50E24DCCA9E'")
    return text


def joined(requests: list[dict[str, Any]]) -> bytes:
    """The value of the writes of one characteristic; a long write has several."""
    value = b''
    for request in requests:
        if request['offset'] > len(value):
            raise ATTError(INVALID_OFFSET)
        value = value[: request['offset']] + bytes(request['value'])
    return value


def is_same(restored: dict[str, Any], declared: dict[str, Any]) -> bool:
    """Whether two definitions of a service agree, in whatever order they list properties."""

    def normal(service: dict[str, Any]) -> object:
        characteristics = [
            (one['uuid'], sorted(one['properties']), sorted(one['permissions']), one.get('value'),
             [(descriptor['uuid'], descriptor['value']) for descriptor in one.get('descriptors', [])])
            for one in service.get('characteristics', [])
        ]
        return service['uuid'], service.get('isPrimary', True), service.get('includedServices', []), characteristics

    return normal(restored) == normal(declared)
