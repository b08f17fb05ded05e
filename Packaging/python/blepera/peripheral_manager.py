"""The peripheral role of an app: what an iOS app does with `CBPeripheralManager`."""

from __future__ import annotations

import logging
import threading
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Literal, TypeVar, Union

from .attributes import (
    INVALID_OFFSET, UNLIKELY_ERROR, ATTError, Central, Characteristic, Service, checked_uuid, is_same, joined,
)
from .peripheral import Channel
from .phone import PhoneError
from .session import BLUETOOTH, Done, Manager, Session, perform, result, wait
from .updates import Updates

OnBluetooth = TypeVar('OnBluetooth', bound=Callable[[Any], Union[None, Awaitable[None]]])
OnRestore = TypeVar('OnRestore', bound=Callable[[], Union[None, Awaitable[None]]])
log = logging.getLogger('blepera')


class PublishedChannel:
    """An L2CAP channel that centrals can open: `App.publish_channel`."""

    psm: int | None = None
    """The number of the channel, which the phone chooses; None before the app is published."""

    def __init__(self, on_open: Callable[[Channel], Awaitable[None]], encrypted: bool) -> None:
        self._on_open = on_open
        self._encrypted = encrypted


class PeripheralManager(Manager):
    """Publishes services and advertises: `app.peripheral`, whose functions the app has too, and those that
    `app.add_peripheral_manager` makes.
    """

    role: Literal['peripheral'] = 'peripheral'

    def __init__(self, app: str, id: int | str) -> None:
        super().__init__(app, id)
        self._services: list[Service] = []
        self._channels: list[PublishedChannel] = []
        self._advertisement: tuple[str | None, list[str] | None] | None = None
        self._on_bluetooth: Callable[[Any], None | Awaitable[None]] | None = None
        self._on_restore: Callable[[], None | Awaitable[None]] | None = None
        self._updates: Updates | None = None
        self._numbers: dict[Service, int] = {}
        self._advertised: dict[str, Any] | None = None
        self._requested: list[PublishedChannel] = []
        """The channels that have no number yet; the phone answers in their order."""
        self._receivers: dict[str, Callable[..., None]] = {
            'willRestoreState': self._restore, 'didUpdateState': self._bluetooth_changed,
            'didAddService': self._service_added, 'didStartAdvertising': self._advertising_started,
            'didSubscribe': self._subscribed, 'didUnsubscribe': self._unsubscribed,
            'didReceiveRead': self._read, 'didReceiveWrite': self._write,
            'didUpdateValue': self._update_answered, 'isReadyToUpdateSubscribers': self._ready,
            'didPublishL2CAPChannel': self._channel_published, 'didOpenL2CAPChannel': self._channel_opened,
        }

    # Publishing.

    def add(self, service: Service) -> None:
        """Publishes a service when the app starts, or at once if the app runs."""
        if service._send_update:
            raise ValueError(f'the service {service.uuid} is added already')
        service._send_update = self._update
        self._services.append(service)
        perform(self._session, lambda session: self._publish())

    def remove(self, service: Service) -> None:
        self._services.remove(service)
        service._send_update = None
        perform(self._session, lambda session: self._remove(service))

    def publish_channel(
        self, on_open: Callable[[Channel], Awaitable[None]], *, encrypted: bool = False
    ) -> PublishedChannel:
        """Publishes an L2CAP channel: the function is called with each one that a central opens, and closes it when it
        returns. With `encrypted` a central has to be paired. In a process that is suspended nothing is read or sent.
        """
        self._channels.append(published := PublishedChannel(on_open, encrypted))
        perform(self._session, lambda session: self._publish())
        return published

    def unpublish_channel(self, published: PublishedChannel) -> None:
        """Unpublishes an L2CAP channel; open channels stay open."""
        self._channels.remove(published)
        perform(self._session, lambda session: self._unpublish(published))

    def advertise(self, name: str | None = None, services: Iterable[Service | str] | None = None) -> None:
        """Advertises a name and services, by default all primary ones.

        What an app in the background advertises is on the air at the next foreground (R12).
        """
        uuids = None if services is None else [
            one.uuid if isinstance(one, Service) else checked_uuid(one) for one in services]
        self._advertisement = name, uuids
        perform(self._session, lambda session: self._start_advertising())

    def stop_advertising(self) -> None:
        self._advertisement = None
        perform(self._session, lambda session: self._stop_advertising())

    # Events.

    def on_bluetooth(self, function: OnBluetooth) -> OnBluetooth:
        """Registers a function for the state of Bluetooth: on, off, resetting, unauthorized or unsupported."""
        self._on_bluetooth = function
        return function

    def on_restore(self, function: OnRestore) -> OnRestore:
        """Registers a function for a relaunch, which is called when the app's services have their subscribers again."""
        self._on_restore = function
        return function

    # The link.

    def _begin(self, session: Session) -> None:
        super()._begin(session)
        self._updates = Updates(self._send)

    def _check(self) -> None:
        for service in self._services:
            service._check()

    def _end(self) -> None:
        if self._updates is not None:
            self._updates.end()
        super()._end()
        self._updates = None
        self._clear()

    def _clear(self) -> None:
        """Drops the record of everything that was published."""
        self._numbers.clear()
        self._advertised = None
        self._forget_channels()
        for service in self._services:
            service._forget_subscribers()

    def _forget_channels(self) -> None:
        self._requested.clear()
        for channel in self._channels:
            channel.psm = None

    def _is_busy(self) -> bool:
        return bool(self._updates)

    def _send(self, call: str, /, **fields: object) -> None:
        if self._session:
            self._session.send('peripheral', id=self._id, call={call: fields})

    def _await(self, answer: object) -> None:
        if self._session:
            self._session.awaited.add((self, answer))

    def _answered(self, answer: object) -> None:
        if self._session:
            self._session.answered((self, answer))

    def _call(self, function: Callable[..., Any] | None, *arguments: object) -> None:
        if self._session:
            self._session.call(function, *arguments)

    def _receive(self, callback: str, fields: dict[str, Any]) -> None:
        if receive := self._receivers.get(callback):
            receive(**fields)

    def _publish(self) -> None:
        """Publishes what is not published yet; without Bluetooth Core Bluetooth ignores these calls."""
        if self.bluetooth != 'on' or not self._session:
            return
        for service in self._services:
            if service not in self._numbers:
                service._check()
                self._numbers[service] = number = self._session.next_number()
                self._await(number)
                self._send('addService', id=number, service=service._definition())
        for channel in self._channels:
            if channel.psm is None and channel not in self._requested:
                self._requested.append(channel)
                self._await(channel)
                self._send('publishL2CAPChannel', encryptionRequired=channel._encrypted)

    def _unpublish(self, channel: PublishedChannel) -> None:
        if channel.psm is not None:
            self._send('unpublishL2CAPChannel', psm=channel.psm)
            channel.psm = None

    def _remove(self, service: Service) -> None:
        service._forget_subscribers()
        if (number := self._numbers.pop(service, None)) is not None:
            if self._session:
                self._session.awaited.discard((self, number))
            self._send('removeService', id=number)

    def _requested_advertisement(self) -> dict[str, Any] | None:
        if self._advertisement is None:
            return None
        name, uuids = self._advertisement
        if uuids is None:
            uuids = [service.uuid for service in self._services if service.is_primary]
        return {'serviceUUIDs': uuids} if name is None else {'localName': name, 'serviceUUIDs': uuids}

    def _start_advertising(self) -> None:
        request = self._requested_advertisement()
        if self.bluetooth == 'on' and request and request != self._advertised:
            if self._advertised:
                self._send('stopAdvertising')
            self._advertised = request
            self._await('advertisement')
            self._send('startAdvertising', advertisement=request)

    def _stop_advertising(self) -> None:
        self._advertised = None
        self._send('stopAdvertising')

    def _update(self, characteristic: Characteristic, value: bytes, centrals: tuple[Central, ...]) -> Awaitable[None]:
        if (session := self._session) is None:
            return Done()  # nobody can be subscribed
        if session.thread == threading.get_ident():
            return self._add_update(characteristic, value, centrals)

        async def update() -> None:
            await self._add_update(characteristic, value, centrals)

        wait(session, update())
        return Done()

    def _add_update(
        self, characteristic: Characteristic, value: bytes, centrals: tuple[Central, ...]
    ) -> Awaitable[None]:
        service = characteristic.service
        if (number := self._numbers.get(service)) is None or self._updates is None:
            return Done()
        place = {'service': number, 'index': service.characteristics.index(characteristic)}
        update: dict[str, Any] = {'characteristic': place, 'value': list(value)}
        return self._updates.add({**update, 'centrals': [one.id for one in centrals]} if centrals else update)

    # Callbacks.

    def _restore(self, state: dict[str, Any]) -> None:
        declared = list(self._services)
        for restored in state['services']:
            same = next((one for one in declared if is_same(restored['service'], one._definition())), None)
            if same is None:
                log.warning('%s: the restored service %s is removed: the app has another now, or none',
                            self._app, restored['service']['uuid'])
                self._send('removeService', id=restored['id'])
                continue
            declared.remove(same)
            self._numbers[same] = restored['id']
            for subscription in restored['subscriptions']:
                for central in subscription['centrals']:
                    same.characteristics[subscription['index']]._subscribed(described(central))
        self._advertised = state.get('advertisement')
        self._call(self._on_restore)

    def _bluetooth_changed(self, state: int) -> None:
        self.bluetooth = BLUETOOTH[state]
        if self.bluetooth == 'on':
            self._publish()
            self._start_advertising()
        elif self._session:
            self._session.awaited = {one for one in self._session.awaited if one[0] is not self}
        if self.bluetooth == 'resetting':
            self._clear()
        self._call(self._on_bluetooth, self.bluetooth)

    def _service_added(self, id: int, error: str | None = None) -> None:
        if error:
            uuid = next((service.uuid for service, number in self._numbers.items() if number == id), '')
            raise PhoneError(f'the phone does not publish the service {uuid}: {error}')
        self._answered(id)

    def _advertising_started(self, error: str | None = None, **_: object) -> None:
        if error:
            raise PhoneError(f'the phone does not advertise: {error}')
        self._answered('advertisement')

    def _channel_published(self, psm: int | None = None, error: str | None = None) -> None:
        if error:
            raise PhoneError(f'the phone does not publish an L2CAP channel: {error}')
        if not self._requested:  # Bluetooth was reset meanwhile
            return
        channel = self._requested.pop(0)
        channel.psm = psm
        if channel not in self._channels:  # it was unpublished meanwhile
            self._unpublish(channel)
        self._answered(channel)

    def _channel_opened(self, channel: dict[str, Any]) -> None:
        if not (session := self._session):
            return
        stream = session.link.take_stream()
        published = next((one for one in self._channels if one.psm == channel['psm']), None)
        if published is None:
            return stream.close()

        central = described(channel['central'])

        async def use(function: Callable[[Channel], Awaitable[None]]) -> None:
            opened = await Channel._open(stream, channel['psm'], central)
            try:
                await session.called(function, opened)
            finally:
                opened.writer.close()

        # An open channel does not keep the app from being suspended.
        session.parked.add(task := session.start(use(published._on_open)))
        task.add_done_callback(session.parked.discard)

    def _subscribed(self, central: dict[str, Any], characteristic: dict[str, int]) -> None:
        if found := self._characteristic(characteristic):
            found._subscribed(described(central))
            self._call(found._on_subscribe, described(central))

    def _unsubscribed(self, central: dict[str, Any], characteristic: dict[str, int]) -> None:
        if found := self._characteristic(characteristic):
            found._unsubscribed(described(central))
            self._call(found._on_unsubscribe, described(central))

    def _read(self, request: dict[str, Any]) -> None:
        async def read() -> bytes:
            found = self._characteristic(request['characteristic'])
            if found is None or found._on_read is None:
                raise ATTError(UNLIKELY_ERROR)
            value = await result(found._on_read, described(request['central']))
            if request['offset'] > len(value):
                raise ATTError(INVALID_OFFSET)
            return bytes(value[request['offset']:])

        self._respond(request['id'], read)

    def _write(self, requests: list[dict[str, Any]]) -> None:
        async def write() -> bytes:
            places = {tuple(sorted(one['characteristic'].items())): one['characteristic'] for one in requests}
            for place in places.values():
                found = self._characteristic(place)
                if found is None or found._on_write is None:
                    raise ATTError(UNLIKELY_ERROR)
                value = joined([one for one in requests if one['characteristic'] == place])
                await result(found._on_write, described(requests[0]['central']), value)
            return b''

        self._respond(requests[0]['id'], write)

    def _respond(self, request: int, work: Callable[[], Awaitable[bytes]]) -> None:
        """Responds to a request. An exception is logged, and the central receives the error Unlikely Error."""
        async def respond() -> None:
            value, refusal = b'', {}
            try:
                value = await work()
            except ATTError as error:
                refusal = {'error': error.code}
            except Exception:
                log.exception('%s: a function that responds to a central has failed', self._app)
                refusal = {'error': UNLIKELY_ERROR}
            self._send('respond', request=request, value=list(value), **refusal)

        if self._session:
            self._session.start(respond())

    def _update_answered(self, queued: bool, error: str | None = None, **_: object) -> None:
        if self._updates is not None:
            self._updates.answered(queued, error)

    def _ready(self) -> None:
        if self._updates is not None:
            self._updates.become_ready()

    def _characteristic(self, place: dict[str, int]) -> Characteristic | None:
        for service, number in self._numbers.items():
            if number == place['service'] and place['index'] < len(service.characteristics):
                return service.characteristics[place['index']]
        return None


def described(central: dict[str, Any]) -> Central:
    return Central(central['id'], central['maximumUpdateValueLength'])
