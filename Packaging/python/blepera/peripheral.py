"""A peripheral that an app uses as a central: what an iOS app does with `CBPeripheral`."""

from __future__ import annotations

import asyncio
import dataclasses
import socket
from collections.abc import Awaitable, Callable
from typing import Any, Literal, TypeVar, Union

from .attributes import UNLIKELY_ERROR, ATTError, Central, checked_uuid
from .calls import CentralCalls

ERRORS = {
    0: 'unknown', 1: 'invalidParameters', 2: 'invalidHandle', 3: 'notConnected', 5: 'operationCancelled',
    6: 'connectionTimeout', 7: 'peripheralDisconnected', 8: 'uuidNotAllowed', 10: 'connectionFailed',
    11: 'connectionLimitReached', 13: 'operationNotSupported', 14: 'peerRemovedPairingInformation',
    15: 'encryptionTimedOut',
}
NOT_CONNECTED, CANCELLED = 3, 5
PROPERTIES = (
    'broadcast', 'read', 'writeWithoutResponse', 'write', 'notify', 'indicate', 'authenticatedSignedWrites',
    'extendedProperties', 'notifyEncryptionRequired', 'indicateEncryptionRequired',
)
WRITES_WITHOUT_RESPONSE = 20
"""The number of writes without response that the phone accepts before the first is sent."""
OnValue = Callable[[bytes], Union[None, Awaitable[None]]]
Attribute = TypeVar('Attribute', bound='RemoteAttribute')


class CBError(Exception):
    """An error of Core Bluetooth, by its code in `CBError`; an error of the peripheral is an `ATTError`."""

    def __init__(self, code: int) -> None:
        super().__init__(ERRORS.get(code, f'CBError {code}'))
        self.code = code


class Peripheral:
    """A peripheral, one object for each that a manager has discovered, retrieved or restored.

    Requests raise an ATTError of the peripheral, or a CBError, for example if the connection ends.
    """

    def __init__(self, manager: CentralCalls, id: str) -> None:
        self.id = id
        """The phone's identifier of the peripheral: `CBPeripheral.identifier`."""
        self.name: str | None = None
        self.mtu = 23
        self.state: Literal['disconnected', 'connecting', 'connected', 'disconnecting'] = 'disconnected'
        self.disconnected_at: float | None = None
        """The end of the last connection by the phone's clock, in seconds since 1970, as `time.time()`."""
        self._manager = manager
        self._attributes: dict[int, RemoteAttribute] = {}
        self._unsent = 0
        """The writes without response that the phone has not sent."""
        self._places = WRITES_WITHOUT_RESPONSE

    def __repr__(self) -> str:
        return f'<peripheral {self.name or self.id} {self.state}>'

    @property
    def can_send_write_without_response(self) -> bool:
        """Whether there is room for a write without response: `CBPeripheral.canSendWriteWithoutResponse`."""
        return self.state == 'connected' and self._unsent < self._places

    async def services(self, *uuids: str) -> list[RemoteService]:
        """Discovers these services, or all."""
        found = await self._ask('discoverServices', 'didDiscoverServices', None, **wanted('services', uuids))
        return [self._attribute(RemoteService, one) for one in found['services']]

    async def characteristic(self, service: str, uuid: str) -> RemoteCharacteristic:
        """Discovers a characteristic of a service; raises LookupError if the peripheral does not have it."""
        for one in await self.services(service):
            for found in await one.characteristics(uuid):
                return found
        raise LookupError(f'{self.name or self.id} has no characteristic {uuid} in a service {service}')

    async def rssi(self) -> int:
        """The signal strength, in dBm."""
        return int((await self._ask('readRSSI', 'didReadRSSI', None))['rssi'])

    async def open_channel(self, psm: int) -> Channel:
        """Opens an L2CAP channel that the peripheral has published."""
        content = await self._ask('openL2CAPChannel', 'didOpenL2CAPChannel', None, psm=psm)
        return await Channel._open(content['stream'], psm, self)

    async def disconnect(self) -> None:
        """Ends the app's use of the connection, or the wait for one."""
        if self.state != 'disconnected':
            self._manager._send('cancelPeripheralConnection', peripheral=self.id)
            self.state = 'disconnecting'
            await self._manager._wait('disconnect', self.id)

    async def _ask(self, call: str, callback: str, handle: int | None, /, **fields: object) -> dict[str, Any]:
        self._send(call, **fields)
        content: dict[str, Any] = await self._manager._wait(self.id, callback, handle)
        return content

    def _send(self, call: str, /, **fields: object) -> None:
        if self.state != 'connected':
            raise CBError(NOT_CONNECTED)
        self._manager._send('peripheral', peripheral=self.id, call={call: fields})

    def _receive(self, callback: str, content: dict[str, Any]) -> None:
        handle = content.get('handle', content.get('service', content.get('characteristic')))
        attribute = self._attributes.get(handle) if handle is not None else None
        error = raised(content)
        if callback == 'didUpdate':
            self._describe(content['peripheral'])
            self._places = content['peripheral'].get('writePlaces', WRITES_WITHOUT_RESPONSE)
            self._manager._resolve_all((self.id, 'place'), None)
        elif callback == 'didModifyServices':
            lost = [one for one in map(self._attributes.get, content['services']) if isinstance(one, RemoteService)]
            self._attributes = {key: one for key, one in self._attributes.items() if not set(one._owners()) & set(lost)}
            self._manager._call('services_changed', self, lost)
        elif callback == 'didSendWritesWithoutResponse':
            self._unsent -= min(self._unsent, content['count'])
            if not content.get('silent', False):
                self._manager._resolve_all((self.id, 'place'), None)
        else:
            if callback == 'didUpdateNotificationState' and isinstance(attribute, RemoteCharacteristic):
                attribute.is_notifying = content['isNotifying']
            is_response = self._manager._resolve((self.id, callback, handle), error or content)
            if callback == 'didUpdateValue' and not is_response and isinstance(attribute, RemoteCharacteristic):
                attribute._notified(bytes(content['value']))

    def _describe(self, described: dict[str, Any]) -> None:
        self.name = described.get('name')
        self.mtu = described['mtu']

    def _set_places(self, described: dict[str, Any]) -> None:
        self._places = described.get('writePlaces', WRITES_WITHOUT_RESPONSE)
        if not described.get('canSendWriteWithoutResponse', True):
            self._unsent = self._places

    def _attribute(self, kind: Callable[..., Attribute], described: dict[str, Any], owner: Any = None) -> Attribute:
        """The object of an attribute; an attribute that was discovered before keeps its object."""
        made = kind(self, described['uuid'], described['handle'], owner)
        found = self._attributes.get(made.handle)
        if type(found) is not type(made) or found.uuid != made.uuid:
            self._attributes[made.handle] = found = made
        found._describe(described)
        return found

    def _restore(
        self, services: list[dict[str, Any]], state: Literal['disconnected', 'connecting', 'connected']
    ) -> None:
        self.state = state
        for one in services:
            service = self._attribute(RemoteService, one['service'])
            for inner in one['characteristics']:
                characteristic = self._attribute(RemoteCharacteristic, inner['characteristic'], service)
                for descriptor in inner['descriptors']:
                    self._attribute(RemoteDescriptor, descriptor, characteristic)

    def _lost(self, state: Literal['disconnected', 'connecting']) -> None:
        self.state, self._unsent = state, 0
        self._attributes.clear()


@dataclasses.dataclass(frozen=True)
class Channel:
    """An open L2CAP channel, a stream of bytes in both directions: `CBL2CAPChannel`."""

    psm: int
    peer: Central | Peripheral
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    @classmethod
    async def _open(cls, stream: socket.socket, psm: int, peer: Central | Peripheral) -> Channel:
        return cls(psm, peer, *await asyncio.open_unix_connection(sock=stream))


class RemoteAttribute:
    """An attribute of a peripheral, valid until the connection ends or the peripheral changes its services."""

    def __init__(self, peripheral: Peripheral, uuid: str, handle: int, owner: RemoteAttribute | None) -> None:
        self.peripheral = peripheral
        self.uuid = uuid
        self.handle = handle
        self._owner = owner

    def _owners(self) -> list[RemoteAttribute]:
        return [self, *(self._owner._owners() if self._owner else [])]

    def _describe(self, described: dict[str, Any]) -> None:
        pass


class RemoteService(RemoteAttribute):
    """A service of a peripheral."""

    is_primary = True

    def _describe(self, described: dict[str, Any]) -> None:
        self.is_primary = described['isPrimary']

    async def characteristics(self, *uuids: str) -> list[RemoteCharacteristic]:
        """Discovers these characteristics, or all."""
        found = await self.peripheral._ask(
            'discoverCharacteristics', 'didDiscoverCharacteristics', self.handle, service=self.handle,
            **wanted('characteristics', uuids))
        return [self.peripheral._attribute(RemoteCharacteristic, one, self) for one in found['characteristics']]

    async def included_services(self, *uuids: str) -> list[RemoteService]:
        """Discovers the services that the service includes, among these or among all."""
        found = await self.peripheral._ask(
            'discoverIncludedServices', 'didDiscoverIncludedServices', self.handle, service=self.handle,
            **wanted('services', uuids))
        return [self.peripheral._attribute(RemoteService, one) for one in found['services']]


class RemoteDescriptor(RemoteAttribute):
    """A descriptor of a characteristic."""

    async def read(self) -> bytes:
        """Reads the value, which may be longer than a packet; the phone pairs if necessary."""
        content = await self.peripheral._ask('readValue', 'didUpdateValue', self.handle, handle=self.handle)
        return bytes(content['value'])

    async def write(self, value: bytes) -> None:
        await self.peripheral._ask(
            'writeValue', 'didWriteValue', self.handle, handle=self.handle, value=list(value), withResponse=True)


class RemoteCharacteristic(RemoteDescriptor):
    """A characteristic of a peripheral."""

    properties: frozenset[str] = frozenset()
    is_notifying = False
    _function: OnValue | None = None

    def _describe(self, described: dict[str, Any]) -> None:
        bits = described['properties']
        self.properties = frozenset(name for bit, name in enumerate(PROPERTIES) if bits >> bit & 1)
        self.is_notifying = described['isNotifying']

    async def write(self, value: bytes, *, response: bool = True, wait: bool = True) -> None:
        """Writes the value.

        Without a response, waits until the phone reports a place among the writes that it has not sent, unless `wait` is
        False: the write is then made against `Peripheral.can_send_write_without_response`.
        """
        if response:
            return await super().write(value)
        peripheral = self.peripheral
        while wait and not peripheral.can_send_write_without_response and peripheral.state == 'connected':
            await peripheral._manager._wait(peripheral.id, 'place')
        peripheral._send('writeValue', handle=self.handle, value=list(value), withResponse=False)
        peripheral._unsent += 1

    async def notify(self, function: OnValue | None = None) -> None:
        """Subscribes to notifications or indications; the function is called with each value.

        Without a function, or in a relaunched app, the function of `CentralManager.on_notify` is called.
        """
        self._function = function
        await self._set_notify(True)

    async def stop_notify(self) -> None:
        await self._set_notify(False)

    async def descriptors(self) -> list[RemoteDescriptor]:
        """Discovers the descriptors."""
        found = await self.peripheral._ask(
            'discoverDescriptors', 'didDiscoverDescriptors', self.handle, characteristic=self.handle)
        return [self.peripheral._attribute(RemoteDescriptor, one, self) for one in found['descriptors']]

    async def _set_notify(self, is_on: bool) -> None:
        await self.peripheral._ask(
            'setNotifyValue', 'didUpdateNotificationState', self.handle, characteristic=self.handle, enabled=is_on)

    def _notified(self, value: bytes) -> None:
        manager = self.peripheral._manager
        if self._function and manager._session:
            manager._session.call(self._function, value)
        else:
            manager._call('notify', self, value)


def wanted(name: str, uuids: tuple[str, ...]) -> dict[str, object]:
    """The UUIDs to discover; nothing for all."""
    return {name: [checked_uuid(one) for one in uuids]} if uuids else {}


def raised(fields: dict[str, Any]) -> Exception | None:
    """The error of a callback, if any; a peripheral may send the code 0, which becomes Unlikely Error."""
    if 'error' not in fields:
        return None
    [(kind, content)] = fields['error'].items()
    return ATTError(content['code'] or UNLIKELY_ERROR) if kind == 'CBATTError' else CBError(content['code'])
