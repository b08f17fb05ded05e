"""The central role of an app: what an iOS app does with `CBCentralManager`."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import AsyncIterator, Iterable
from typing import Any, Literal

from .attributes import checked_uuid
from .calls import CentralCalls, Function
from .peripheral import CANCELLED, NOT_CONNECTED, CBError, Peripheral, raised
from .phone import PhoneError
from .session import BLUETOOTH


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
    """The manufacturer data, with the company's identifier in the first two bytes."""
    tx_power: int | None
    is_connectable: bool
    rssi: int
    """The signal strength in dBm; 127 if it is not available."""


class Scan:
    """The peripherals that a scan discovers, for `async for`; leaving the loop ends the scan."""

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


class CentralManager(CentralCalls):
    """Scans for peripherals and connects to them: `app.central`, whose `async` functions run in the app's loop.

    The functions that are registered with `on_...` may be `async`.
    """

    role: Literal['central'] = 'central'

    def __init__(self, app: str, id: int | str) -> None:
        super().__init__(app, id)
        self._scan: Scan | None = None
        self._peripherals: dict[str, Peripheral] = {}

    def scan(self, services: Iterable[str] = (), *, allow_duplicates: bool = False, solicited: Iterable[str] = ()) -> Scan:
        """Scans until `stop_scan`, or until `async for` over the result is left; replaces the scan before.

        If services are given, a peripheral has to advertise one of them. An app in the background discovers nothing
        without services, and `allow_duplicates` has no effect in the background.
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
        """Connects, and waits for the peripheral without a limit; raises CBError if the connection fails.

        The phone waits also while the app is suspended, and with an identifier for restoration while it is terminated.
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
        """The peripherals with these identifiers (`Peripheral.id`), as far as the phone knows them."""
        return await self._retrieve('retrievePeripherals', peripherals=list(identifiers))

    async def retrieve_connected(self, *services: str) -> list[Peripheral]:
        """The peripherals that any app is connected to, and that have one of the services; this app has to connect."""
        return await self._retrieve('retrieveConnectedPeripherals', services=[checked_uuid(one) for one in services])

    def register_for_connection_events(self, services: Iterable[str] = (), peripherals: Iterable[Peripheral] = ()) -> None:
        """Reports these peripherals, and those with one of the services, to `on_connection_event`; without any, none."""
        matching = {
            'services': [checked_uuid(one) for one in services], 'peripherals': [one.id for one in peripherals]}
        self._send('registerForConnectionEvents', **({'matching': matching} if any(matching.values()) else {}))

    async def _retrieve(self, call: str, **fields: object) -> list[Peripheral]:
        self._send(call, **fields)
        return [self._peripheral(one) for one in await self._wait('retrieve')]

    # Events.

    def on_bluetooth(self, function: Function) -> Function:
        """Registers a function for the state of Bluetooth; calls are possible while the state is `on`."""
        return self._register('bluetooth', function)

    def on_restore(self, function: Function) -> Function:
        """Registers a function for a relaunch. The argument is the peripherals that the app was connected to or waited
        for when it ended, each with its present state. Values and disconnections since then follow."""
        return self._register('restore', function)

    def on_discover(self, function: Function) -> Function:
        """Registers a function for each `Discovery`."""
        return self._register('discover', function)

    def on_connect(self, function: Function) -> Function:
        """Registers a function for each peripheral that is connected."""
        return self._register('connect', function)

    def on_disconnect(self, function: Function) -> Function:
        """Registers a function for the end or the failure of a connection: a peripheral, and a CBError or None.

        `Peripheral.disconnected_at` is the time of the end, which is earlier than the call if the app was suspended.
        """
        return self._register('disconnect', function)

    def on_notify(self, function: Function) -> Function:
        """Registers a function for notified values: a characteristic and a value, unless `notify` had a function."""
        return self._register('notify', function)

    def on_services_changed(self, function: Function) -> Function:
        """Registers a function for changed services: a peripheral and its invalid services, none after an addition."""
        return self._register('services_changed', function)

    def on_connection_event(self, function: Function) -> Function:
        """Registers a function for connections by any app: a peripheral, and whether it was connected."""
        return self._register('connection_event', function)

    # The link.

    def _end(self) -> None:
        super()._end()
        self._reset(PhoneError('the app has ended'))

    def _reset(self, error: Exception) -> None:
        """Ends the scan, the connections and all waiting calls, because Bluetooth is off or the app has ended."""
        self._end_scan()
        for peripheral in self._peripherals.values():
            peripheral._lost('disconnected')
        self._resolve_everything(error)

    def _end_scan(self) -> None:
        if self._scan:
            self._scan._found.put_nowait(None)
        self._scan = None

    def _peripheral(self, described: dict[str, Any]) -> Peripheral:
        found = self._peripherals.setdefault(described['id'], Peripheral(self, described['id']))
        found._describe(described)
        return found

    def _receive(self, callback: str, fields: dict[str, Any]) -> None:
        if callback == 'peripheral':
            [(inner, content)] = fields['callback'].items()
            if inner == 'didOpenL2CAPChannel' and 'error' not in content and self._session:
                content['stream'] = self._session.link.take_stream()
            if found := self._peripherals.get(fields['peripheral']):
                found._receive(inner, content)
        elif callback == 'didUpdateState':
            self.bluetooth = BLUETOOTH[fields['state']]
            if self.bluetooth != 'on':
                self._reset(CBError(NOT_CONNECTED))
            if self.bluetooth == 'resetting':
                self._peripherals.clear()
            self._call('bluetooth', self.bluetooth)
        elif callback == 'willRestoreState':
            restored = []
            for one in fields['state']['peripherals']:
                found = self._peripheral(one['peripheral'])
                found._restore(one['services'], one['state'])
                found._set_places(one['peripheral'])
                restored.append(found)
            self._call('restore', restored)
        elif callback == 'didDiscover':
            discovery = self._discovery(fields['peripheral'], fields['advertisement'])
            if self._scan and self._scan._is_read:
                self._scan._found.put_nowait(discovery)
            self._call('discover', discovery)
        elif callback == 'didConnect':
            found = self._peripheral(fields['peripheral'])
            found.state = 'connected'
            found._set_places(fields['peripheral'])
            self._resolve_all(('connect', found.id), None)
            self._call('connect', found)
        elif callback in ('didFailToConnect', 'didDisconnectPeripheral'):
            if found := self._peripherals.get(fields['peripheral']):
                if 'timestamp' in fields:
                    found.disconnected_at = fields['timestamp'] / 1000
                self._disconnected(found, raised(fields), fields.get('isReconnecting', False))
        elif callback == 'connectionEventDidOccur':
            self._call('connection_event', self._peripheral(fields['peripheral']), fields['isConnected'])
        elif callback == 'didRetrievePeripherals':
            self._resolve(('retrieve',), fields['peripherals'])

    def _disconnected(self, peripheral: Peripheral, error: Exception | None, is_reconnecting: bool) -> None:
        peripheral._lost('connecting' if is_reconnecting else 'disconnected')
        self._resolve_all(('connect', peripheral.id), error or CBError(CANCELLED))
        self._resolve_all(('disconnect', peripheral.id), None)
        self._resolve_everything(error or CBError(NOT_CONNECTED), peripheral.id)
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
