"""An app while it runs: what the phone sends, and the functions that handle it."""

from __future__ import annotations

import asyncio
import inspect
import logging
import threading
from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any

from .attributes import (
    INVALID_OFFSET, ATTError, Central, Channel, Characteristic, PublishedChannel, Service, is_same, joined,
)
from .central import BLUETOOTH
from .link import Link
from .phone import PhoneError
from .updates import Updates

if TYPE_CHECKING:
    from .app import App

UNLIKELY_ERROR = 0x0E
log = logging.getLogger('blepera')


class Session:
    """One run of an app, from `hello` to the end of its link."""

    def __init__(self, app: App, link: Link, started: Callable[[], None]) -> None:
        self.link = link
        self.loop = asyncio.get_running_loop()
        self.thread = threading.get_ident()
        self._app = app
        self._started = started
        self._updates = Updates(self.send)
        self._numbers: dict[Service, int] = {}
        self._next_number = 0
        self._advertised: dict[str, Any] | None = None
        self._requested: list[PublishedChannel] = []
        """The channels that have no number yet; the phone answers in their order."""
        self._unanswered: set[object] = set()
        """The calls before whose answers the app has not started."""
        self._tasks: set[asyncio.Task[Any]] = set()
        self._parked: set[asyncio.Task[Any]] = set()
        """Those that wait for what may never happen."""
        self._is_busy = False
        self._termination: str | None = None
        if app._central:
            self._unanswered.add('central')
        self._receivers: dict[str, Callable[..., None]] = {
            'welcome': self._welcome, 'refused': self._refused, 'error': self._not_a_phone,
            'didChangeState': self._state_changed, 'willTerminate': self._will_terminate,
            'willRestoreState': self._restore, 'didUpdateState': self._bluetooth_changed,
            'didAddService': self._service_added, 'didStartAdvertising': self._advertising_started,
            'didSubscribe': self._subscribed, 'didUnsubscribe': self._unsubscribed,
            'didReceiveRead': self._read, 'didReceiveWrite': self._write,
            'didUpdateValue': self._update_answered, 'isReadyToUpdateSubscribers': self._updates.become_ready,
            'didPublishL2CAPChannel': self._channel_published, 'didOpenL2CAPChannel': self._channel_opened,
            'central': self._for_central,
        }

    async def run(self) -> str | None:
        """Handles what the phone sends; returns why it has terminated the app, None where the link has just ended."""
        try:
            async for message, fields in self.link.messages():
                if receive := self._receivers.get(message):
                    self._is_busy = True
                    receive(**fields)
                    await asyncio.sleep(0)  # what is called runs until it first waits, before the next message
                    self._report_idle()
        finally:
            self._updates.end()
            if self._app._central:
                self._app._central._end()
            for service in self._app._services:
                service._forget_subscribers()
            self._forget_channels()
            for task in self._tasks:
                task.cancel()
        return self._termination

    def send(self, message: str, **fields: object) -> None:
        self.link.send(message, **fields)

    # Calls of the app.

    def publish(self) -> None:
        """Publishes what is not published yet; without Bluetooth Core Bluetooth ignores these calls."""
        if self._app.bluetooth != 'on':
            return
        for service in self._app._services:
            if service not in self._numbers:
                service._check()
                self._numbers[service] = self._next_number
                self._unanswered.add(self._next_number)
                self.send('addService', id=self._next_number, service=service._definition())
                self._next_number += 1
        for channel in self._app._channels:
            if channel.psm is None and channel not in self._requested:
                self._requested.append(channel)
                self._unanswered.add(channel)
                self.send('publishL2CAPChannel', encryptionRequired=channel._encrypted)

    def unpublish_channel(self, channel: PublishedChannel) -> None:
        if channel.psm is not None:
            self.send('unpublishL2CAPChannel', psm=channel.psm)
            channel.psm = None

    def _forget_channels(self) -> None:
        self._requested.clear()
        for channel in self._app._channels:
            channel.psm = None

    def remove(self, service: Service) -> None:
        service._forget_subscribers()
        if (number := self._numbers.pop(service, None)) is not None:
            self._unanswered.discard(number)
            self.send('removeService', id=number)

    def advertise(self) -> None:
        request = self._app._requested_advertisement()
        if self._app.bluetooth == 'on' and request and request != self._advertised:
            if self._advertised:
                self.send('stopAdvertising')
            self._advertised = request
            self._unanswered.add('advertisement')
            self.send('startAdvertising', advertisement=request)

    def stop_advertising(self) -> None:
        self._advertised = None
        self.send('stopAdvertising')

    def update(
        self, characteristic: Characteristic, value: bytes, centrals: tuple[Central, ...]
    ) -> asyncio.Future[None]:
        service = characteristic.service
        if (number := self._numbers.get(service)) is None:
            done: asyncio.Future[None] = self.loop.create_future()
            done.set_result(None)
            return done
        place = {'service': number, 'index': service.characteristics.index(characteristic)}
        update: dict[str, Any] = {'characteristic': place, 'value': list(value)}
        return self._updates.add({**update, 'centrals': [one.id for one in centrals]} if centrals else update)

    # What the phone sends.

    def _welcome(self, version: int, nextService: int = 0, **_: object) -> None:
        self._next_number = nextService
        if self._app._central:
            self._app._central._begin(self)

    def _refused(self, reason: str) -> None:
        raise PhoneError(f'the phone refuses the app: {reason}')

    def _not_a_phone(self, reason: str) -> None:
        raise PhoneError(f'no phone that takes apps is at the socket: {reason}')

    def _state_changed(self, state: Any) -> None:
        self._app.state = state
        self.call(self._app._on_state, state)

    def _will_terminate(self, reason: str) -> None:
        self._termination = reason

    def _restore(self, state: dict[str, Any]) -> None:
        declared = list(self._app._services)
        for restored in state['services']:
            same = next((one for one in declared if is_same(restored['service'], one._definition())), None)
            if same is None:
                log.warning('%s: the restored service %s is removed: the app has another now, or none',
                            self._app.identifier, restored['service']['uuid'])
                self.send('removeService', id=restored['id'])
                continue
            declared.remove(same)
            self._numbers[same] = restored['id']
            self._next_number = max(self._next_number, restored['id'] + 1)
            for subscription in restored['subscriptions']:
                for central in subscription['centrals']:
                    same.characteristics[subscription['index']]._subscribed(described(central))
        self._advertised = state.get('advertisement')
        self.call(self._app._on_restore)

    def _bluetooth_changed(self, state: int) -> None:
        self._app.bluetooth = BLUETOOTH[state]
        if self._app.bluetooth == 'on':
            self.publish()
            self.advertise()
        else:
            self._unanswered &= {'central'}
        if self._app.bluetooth == 'resetting':
            self._numbers.clear()
            self._forget_channels()
            self._advertised = None
            for service in self._app._services:
                service._forget_subscribers()
        self.call(self._app._on_bluetooth, self._app.bluetooth)
        self._answered(None)

    def _service_added(self, id: int, error: str | None = None) -> None:
        if error:
            uuid = next((service.uuid for service, number in self._numbers.items() if number == id), '')
            raise PhoneError(f'the phone does not publish the service {uuid}: {error}')
        self._answered(id)

    def _advertising_started(self, error: str | None = None) -> None:
        if error:
            raise PhoneError(f'the phone does not advertise: {error}')
        self._answered('advertisement')

    def _channel_published(self, psm: int | None = None, error: str | None = None) -> None:
        if error:
            raise PhoneError(f'the phone does not publish an L2CAP channel: {error}')
        channel = self._requested.pop(0)
        channel.psm = psm
        if channel not in self._app._channels:  # it was unpublished meanwhile
            self.unpublish_channel(channel)
        self._answered(channel)

    def _channel_opened(self, channel: dict[str, Any]) -> None:
        stream = self.link.take_stream()
        published = next((one for one in self._app._channels if one.psm == channel['psm']), None)
        if published is None:
            return stream.close()

        async def use(function: Callable[[Channel], Awaitable[None]]) -> None:
            opened = await Channel._open(stream, channel['psm'], described(channel['central']))
            try:
                await self._called(function, opened)
            finally:
                opened.writer.close()

        # An open channel does not keep the app from being suspended.
        self._parked.add(task := self._start(use(published._on_open)))
        task.add_done_callback(self._parked.discard)

    def _answered(self, call: object) -> None:
        self._unanswered.discard(call)
        if not self._unanswered and self._app.bluetooth != 'unknown':
            self._started()

    def _subscribed(self, central: dict[str, Any], characteristic: dict[str, int]) -> None:
        if found := self._characteristic(characteristic):
            found._subscribed(described(central))
            self.call(found._on_subscribe, described(central))

    def _unsubscribed(self, central: dict[str, Any], characteristic: dict[str, int]) -> None:
        if found := self._characteristic(characteristic):
            found._unsubscribed(described(central))
            self.call(found._on_unsubscribe, described(central))

    def _read(self, request: dict[str, Any]) -> None:
        async def read() -> bytes:
            found = self._characteristic(request['characteristic'])
            if found is None or found._on_read is None:
                raise ATTError(UNLIKELY_ERROR)
            value = await result(found._on_read, described(request['central']))
            if request['offset'] > len(value):
                raise ATTError(INVALID_OFFSET)
            return bytes(value[request['offset']:])

        self._start(self._respond(request['id'], read()))

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

        self._start(self._respond(requests[0]['id'], write()))

    def _for_central(self, callback: dict[str, Any], **_: object) -> None:
        [(name, fields)] = callback.items()
        if self._app._central:
            self._app._central._receive(name, fields)
        if name == 'didUpdateState':
            self._answered('central')

    def _update_answered(self, queued: bool, error: str | None = None, **_: object) -> None:
        self._updates.answered(queued, error)

    # Functions of the app.

    async def _respond(self, request: int, work: Coroutine[Any, Any, bytes]) -> None:
        """Responds to a request; an exception is for the log, and an unlikely error for the central."""
        value, refusal = b'', {}
        try:
            value = await work
        except ATTError as error:
            refusal = {'error': error.code}
        except Exception:
            log.exception('%s: a function that responds to a central has failed', self._app.identifier)
            refusal = {'error': UNLIKELY_ERROR}
        self.send('respond', request=request, value=list(value), **refusal)

    def call(self, function: Callable[..., Any] | None, *arguments: object) -> None:
        if function:
            self._start(self._called(function, *arguments))

    async def _called(self, function: Callable[..., Any], *arguments: object) -> None:
        try:
            await result(function, *arguments)
        except Exception:
            log.exception('%s: the function %s has failed', self._app.identifier, getattr(function, '__name__', ''))

    async def park(self, work: Awaitable[Any]) -> Any:
        """Waits without keeping the app from being suspended."""
        task = asyncio.current_task()
        assert task
        self._parked.add(task)
        self._report_idle()
        try:
            return await work
        finally:
            self._parked.discard(task)

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = self.loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._report_idle()

    def _report_idle(self) -> None:
        """Lets a phone that has woken the app suspend it, when everything that it was woken for is done."""
        if self._is_busy and not self._tasks - self._parked and not self._updates:
            self._is_busy = False
            if self._app.state == 'background':
                self.send('didBecomeIdle')

    def _characteristic(self, place: dict[str, int]) -> Characteristic | None:
        for service, number in self._numbers.items():
            if number == place['service'] and place['index'] < len(service.characteristics):
                return service.characteristics[place['index']]
        return None


def described(central: dict[str, Any]) -> Central:
    return Central(central['id'], central['maximumUpdateValueLength'])


async def result(function: Callable[..., Any], *arguments: object) -> Any:
    value = function(*arguments)
    return await value if inspect.isawaitable(value) else value
