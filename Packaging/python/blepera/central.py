"""The central role of an app: what an iOS app does with `CBCentralManager`."""

from __future__ import annotations

import asyncio
import collections
import dataclasses
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Union

from .attributes import checked_uuid
from .peripheral import CANCELLED, NOT_CONNECTED, WRITES_WITHOUT_RESPONSE, CBError, Peripheral, raised
from .phone import PhoneError

if TYPE_CHECKING:
    from .app import App, Bluetooth
    from .session import Session

BLUETOOTH: Sequence[Bluetooth] = ('unknown', 'resetting', 'unsupported', 'unauthorized', 'off', 'on')
Function = TypeVar('Function', bound=Callable[..., Any])
Key = tuple[Union[str, int, None], ...]


@dataclasses.dataclass(frozen=True)
class Discovery:
    """A peripheral that a scan has found, and what it advertises."""

    peripheral: Peripheral
    local_name: str | None
    services: tuple[str, ...]
    overflow_services: tuple[str, ...]
    solicited_services: tuple[str, ...]
    service_data: dict[str, bytes]
    manufacturer_data: bytes | None
    """With the company's identifier in the first two bytes."""
    tx_power: int | None
    is_connectable: bool
    rssi: int
    """In dBm; 127 where it is not available."""


class Scan:
    """The peripherals that a scan finds, by `async for`, which ends the scan when it is left."""

    def __init__(self, manager: CentralManager) -> None:
        self._manager = manager
        self._found: asyncio.Queue[Discovery | None] = asyncio.Queue()
        self._is_read = False

    async def __aiter__(self) -> AsyncIterator[Discovery]:
        self._is_read = True
        try:
            while found := await self._manager._park(self._found.get()):
                yield found
        finally:
            if self._manager._scan is self:
                self._manager.stop_scan()


class CentralManager:
    """Scans for peripherals and connects to them: `app.central`, whose `async` functions run in the app's loop.

    The functions that are registered with `on_...` may be `async`.
    """

    role: Literal['central'] = 'central'

    def __init__(self, app: App, id: int | str) -> None:
        self.bluetooth: Bluetooth = 'unknown'
        """As of the app, or `unsupported` where the phone's radio has no central role."""
        self._id = id
        self._session: Session | None = None
        self._scan: Scan | None = None
        self._peripherals: dict[str, Peripheral] = {}
        self._functions: dict[str, Callable[..., Any]] = {}
        self._pending: collections.defaultdict[Key, collections.deque[asyncio.Future[Any]]] = collections.defaultdict(
            collections.deque)

    # Calls.

    def scan(self, services: Iterable[str] = (), *, allow_duplicates: bool = False, solicited: Iterable[str] = ()) -> Scan:
        """Scans until `stop_scan`, or until `async for` of what it returns is left; replaces the scan before.

        A peripheral has to advertise one of the services, where there are any: an app in the background finds nothing
        without them. `allow_duplicates` has no effect there.
        """
        request: dict[str, Any] = {'services': [checked_uuid(one) for one in services]}
        if allow_duplicates:
            request['allowsDuplicates'] = True
        if uuids := [checked_uuid(one) for one in solicited]:
            request['solicitedServices'] = uuids
        self._send('scanForPeripherals', scan=request)
        self._end_scan()
        self._scan = Scan(self)
        return self._scan

    def stop_scan(self) -> None:
        self._end_scan()
        if self._session and self.bluetooth == 'on':
            self._send('stopScan')

    async def connect(
        self, peripheral: Peripheral, *, auto_reconnect: bool = False, notify_on_connection: bool = False,
        notify_on_disconnection: bool = False, notify_on_notification: bool = False, start_delay: float = 0,
    ) -> Peripheral:
        """Connects, and waits for the peripheral without a limit; CBError where that fails.

        The phone waits on while the app is suspended, and with an identifier for restoration while it is terminated.
        `notify_on_...` shows alerts to the user for an app that no event wakes; `start_delay` is in seconds.
        """
        options: dict[str, Any] = {name: True for name, is_on in {
            'autoReconnects': auto_reconnect, 'notifiesOnConnection': notify_on_connection,
            'notifiesOnDisconnection': notify_on_disconnection, 'notifiesOnNotification': notify_on_notification,
        }.items() if is_on}
        if start_delay:
            options['startDelayMilliseconds'] = round(start_delay * 1000)
        self._send('connect', peripheral=peripheral.id, **({'options': options} if options else {}))
        if peripheral.state != 'connected':
            peripheral.state = 'connecting'
        await self._park(self._wait('connect', peripheral.id))
        return peripheral

    async def retrieve(self, *identifiers: str) -> list[Peripheral]:
        """Those of the peripherals that the phone knows, by `Peripheral.id`."""
        return await self._retrieve('retrievePeripherals', peripherals=list(identifiers))

    async def retrieve_connected(self, *services: str) -> list[Peripheral]:
        """The peripherals that any app is connected to, and that have one of the services; this app has to connect."""
        return await self._retrieve('retrieveConnectedPeripherals', services=[checked_uuid(one) for one in services])

    def register_for_connection_events(self, services: Iterable[str] = (), peripherals: Iterable[Peripheral] = ()) -> None:
        """Has `on_connection_event` called for these peripherals and those with one of the services; without any, ends that."""
        matching = {
            'services': [checked_uuid(one) for one in services], 'peripherals': [one.id for one in peripherals]}
        self._send('registerForConnectionEvents', **({'matching': matching} if any(matching.values()) else {}))

    async def _retrieve(self, call: str, **fields: object) -> list[Peripheral]:
        self._send(call, **fields)
        return [self._peripheral(one) for one in await self._wait('retrieve')]

    # What happens.

    def on_bluetooth(self, function: Function) -> Function:
        """Is called with the state of Bluetooth; calls are possible while it is `on`."""
        return self._register('bluetooth', function)

    def on_restore(self, function: Function) -> Function:
        """Is called in an app that was launched again, with the peripherals that it was connected to or waited for when it
        ended, each with its present state. Their values and losses since then follow."""
        return self._register('restore', function)

    def on_discover(self, function: Function) -> Function:
        """Is called with each `Discovery`."""
        return self._register('discover', function)

    def on_connect(self, function: Function) -> Function:
        """Is called with a peripheral that is connected."""
        return self._register('connect', function)

    def on_disconnect(self, function: Function) -> Function:
        """Is called with a peripheral and a CBError, or None, when a connection ends or cannot be made.

        `Peripheral.disconnected_at` is the time of the end, which is earlier than the call if the app was suspended.
        """
        return self._register('disconnect', function)

    def on_notify(self, function: Function) -> Function:
        """Is called with a characteristic and each value that is notified, unless `notify` had a function."""
        return self._register('notify', function)

    def on_services_changed(self, function: Function) -> Function:
        """Is called with a peripheral and those of its services that are no longer valid: none where it has added one."""
        return self._register('services_changed', function)

    def on_connection_event(self, function: Function) -> Function:
        """Is called with a peripheral, and whether any app of the phone has connected it or it has disconnected."""
        return self._register('connection_event', function)

    def _register(self, event: str, function: Function) -> Function:
        self._functions[event] = function
        return function

    def _call(self, event: str, *arguments: object) -> None:
        if self._session:
            self._session.call(self._functions.get(event), *arguments)

    # The link.

    def _begin(self, session: Session) -> None:
        self._session = session

    def _check(self) -> None:
        pass

    def _is_busy(self) -> bool:
        return False

    def _end(self) -> None:
        self._session, self.bluetooth = None, 'unknown'
        self._reset(PhoneError('the app has ended'))

    def _reset(self, error: Exception) -> None:
        """Ends what was asked for, as Bluetooth is off or the app has ended."""
        self._end_scan()
        for peripheral in self._peripherals.values():
            peripheral._lost('disconnected')
        for key in list(self._pending):
            self._resolve_all(key, error)

    def _end_scan(self) -> None:
        if self._scan:
            self._scan._found.put_nowait(None)
        self._scan = None

    def _send(self, call: str, /, **fields: object) -> None:
        if self._session is None:
            raise PhoneError('the app does not run')
        if self.bluetooth != 'on':
            raise PhoneError(f'Bluetooth is {self.bluetooth}')
        self._session.send('central', id=self._id, call={call: fields})

    def _wait(self, *key: str | int | None) -> asyncio.Future[Any]:
        """What the phone responds to the call that was sent; it responds to calls of a key in their order."""
        response: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._pending[key].append(response)
        return response

    async def _park(self, work: Any) -> Any:
        """Waits for what may never happen, during which the app may be suspended."""
        return await (self._session.park(work) if self._session else work)

    def _resolve(self, key: Key, value: object) -> bool:
        """Whether a call has waited for this."""
        waiting = self._pending.get(key)
        response = waiting.popleft() if waiting else None
        if response is None or response.done():
            return False
        if isinstance(value, Exception):
            response.set_exception(value)
            response.exception()  # who does not wait for it does not miss it
        else:
            response.set_result(value)
        return True

    def _resolve_all(self, key: Key, value: object) -> None:
        while self._pending.get(key):
            self._resolve(key, value)

    def _peripheral(self, described: dict[str, Any]) -> Peripheral:
        found = self._peripherals.setdefault(described['id'], Peripheral(self, described['id']))
        found.name = described.get('name')
        found.mtu = described['mtu']
        return found

    def _receive(self, name: str, fields: dict[str, Any]) -> None:
        if name == 'peripheral':
            [(callback, content)] = fields['callback'].items()
            if callback == 'didOpenL2CAPChannel' and 'error' not in content and self._session:
                content['stream'] = self._session.link.take_stream()
            if found := self._peripherals.get(fields['peripheral']):
                found._receive(callback, content)
        elif name == 'didUpdateState':
            self.bluetooth = BLUETOOTH[fields['state']]
            if self.bluetooth != 'on':
                self._reset(CBError(NOT_CONNECTED))
            if self.bluetooth == 'resetting':
                self._peripherals.clear()
            self._call('bluetooth', self.bluetooth)
        elif name == 'willRestoreState':
            restored = []
            for one in fields['state']['peripherals']:
                found = self._peripheral(one['peripheral'])
                found._restore(one['services'], one['state'])
                restored.append(found)
            self._call('restore', restored)
        elif name == 'didDiscover':
            discovery = self._discovery(fields['peripheral'], fields['advertisement'])
            if self._scan and self._scan._is_read:
                self._scan._found.put_nowait(discovery)
            self._call('discover', discovery)
        elif name == 'didConnect':
            found = self._peripheral(fields['peripheral'])
            found.state = 'connected'
            if not fields['peripheral'].get('canSendWriteWithoutResponse', True):
                found._unsent = WRITES_WITHOUT_RESPONSE
            self._resolve_all(('connect', found.id), None)
            self._call('connect', found)
        elif name in ('didFailToConnect', 'didDisconnectPeripheral'):
            if found := self._peripherals.get(fields['peripheral']):
                if 'timestamp' in fields:
                    found.disconnected_at = fields['timestamp'] / 1000
                self._disconnected(found, raised(fields), fields.get('isReconnecting', False))
        elif name == 'connectionEventDidOccur':
            self._call('connection_event', self._peripheral(fields['peripheral']), fields['isConnected'])
        elif name == 'didRetrievePeripherals':
            self._resolve(('retrieve',), fields['peripherals'])

    def _disconnected(self, peripheral: Peripheral, error: Exception | None, is_reconnecting: bool) -> None:
        peripheral._lost('connecting' if is_reconnecting else 'disconnected')
        self._resolve_all(('connect', peripheral.id), error or CBError(CANCELLED))
        self._resolve_all(('disconnect', peripheral.id), None)
        for key in list(self._pending):
            if key[0] == peripheral.id:
                self._resolve_all(key, error or CBError(NOT_CONNECTED))
        self._call('disconnect', peripheral, error)

    def _discovery(self, peripheral: dict[str, Any], seen: dict[str, Any]) -> Discovery:
        manufacturer = seen.get('manufacturerData')
        return Discovery(
            peripheral=self._peripheral(peripheral), local_name=seen.get('localName'),
            services=tuple(seen.get('serviceUUIDs', ())), overflow_services=tuple(seen.get('overflowServiceUUIDs', ())),
            solicited_services=tuple(seen.get('solicitedServiceUUIDs', ())),
            service_data={one['service']: bytes(one['data']) for one in seen.get('serviceData', ())},
            manufacturer_data=None if manufacturer is None else bytes(manufacturer),
            tx_power=seen.get('txPowerLevel'), is_connectable=seen['isConnectable'], rssi=seen['rssi'],
        )
