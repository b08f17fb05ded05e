"""A running app: the messages of the phone, and the functions that handle them."""

from __future__ import annotations

import asyncio
import concurrent.futures
import inspect
import logging
import threading
from collections.abc import Awaitable, Callable, Coroutine, Generator, Sequence
from typing import Any, Literal, Protocol

from .link import Link
from .phone import PhoneError

State = Literal['notRunning', 'inactive', 'foreground', 'background', 'suspended']
Bluetooth = Literal['unknown', 'resetting', 'unsupported', 'unauthorized', 'off', 'on']
BLUETOOTH: Sequence[Bluetooth] = ('unknown', 'resetting', 'unsupported', 'unauthorized', 'off', 'on')
log = logging.getLogger('blepera')


class Manager:
    """A manager of either role, which a session creates on the phone and hands its callbacks."""

    role: Literal['central', 'peripheral']

    def __init__(self, app: str, id: int | str) -> None:
        self.bluetooth: Bluetooth = 'unknown'
        """The app's state of Bluetooth, or `unsupported` if the phone's radio does not have the role."""
        self._app = app
        """The identifier of the app, for the log."""
        self._id = id
        self._session: Session | None = None

    def _begin(self, session: Session) -> None:
        self._session = session

    def _check(self) -> None:
        """Raises ValueError if the app cannot run with what this manager publishes."""

    def _end(self) -> None:
        self._session, self.bluetooth = None, 'unknown'

    def _is_busy(self) -> bool:
        """Whether the app has work that keeps the phone from suspending it."""
        return False

    def _receive(self, callback: str, fields: dict[str, Any]) -> None:
        raise NotImplementedError


class SessionApp(Protocol):
    """The part of an app that its session uses."""

    identifier: str
    state: State
    _managers: list[Manager]
    _on_state: Callable[[State], None | Awaitable[None]] | None

    def _bluetooth_changed(self, manager: Manager, session: Session) -> None: ...


class Session:
    """One run of an app, from `hello` to the end of its link."""

    def __init__(self, app: SessionApp, link: Link, started: Callable[[], None]) -> None:
        self.link = link
        self.loop = asyncio.get_running_loop()
        self.thread = threading.get_ident()
        self.awaited: set[tuple[Manager, object]] = set()
        """The keys of the responses that the app needs before it has started, each with its manager."""
        self.parked: set[asyncio.Task[Any]] = set()
        """The tasks that wait for events which may never happen."""
        self._app = app
        self._started = started
        self._last_number = -1
        self._is_welcome = False
        self._tasks: set[asyncio.Task[Any]] = set()
        self._is_busy = False
        self._termination: str | None = None
        self._receivers: dict[str, Callable[..., None]] = {
            'welcome': self._welcome, 'refused': self._refused, 'error': self._not_a_phone,
            'didChangeState': self._state_changed, 'willTerminate': self._will_terminate,
        }

    async def run(self) -> str | None:
        """Handles the phone's messages; returns the reason of the app's termination, or None if only the link ended."""
        try:
            async for message, fields in self.link.messages():
                self._is_busy = True
                self._receive(message, fields)
                await asyncio.sleep(0)  # what is called runs until it first waits, before the next message
                self._report_idle()
        finally:
            for manager in self._app._managers:
                manager._end()
            for task in self._tasks:
                task.cancel()
        return self._termination

    def _receive(self, message: str, fields: dict[str, Any]) -> None:
        """Handles a message, which may have a peer's content: an error is logged, and the app continues.

        A PhoneError ends the app, because the phone refuses the app's request.
        """
        try:
            if receive := self._receivers.get(message):
                receive(**fields)
            else:
                self._deliver(message, fields)
        except PhoneError:
            raise
        except Exception:
            log.exception('%s: the message %s has failed: %s', self._app.identifier, message, fields)

    def send(self, message: str, **fields: object) -> None:
        self.link.send(message, **fields)

    def create(self, manager: Manager) -> None:
        """Creates a manager, if the phone has accepted the app."""
        if not self._is_welcome or manager._session is self:
            return
        manager._begin(self)
        self.awaited.add((manager, 'state'))
        self.send('create', id=manager._id, role=manager.role)

    def next_number(self) -> int:
        """A number for a service."""
        self._last_number += 1
        return self._last_number

    def answered(self, answer: tuple[Manager, object]) -> None:
        self.awaited.discard(answer)
        if not self.awaited:
            self._started()

    # Messages of the phone.

    def _welcome(self, version: int, nextService: int = 0, **_: object) -> None:
        self._last_number = nextService - 1
        self._is_welcome = True
        for manager in tuple(self._app._managers):
            self.create(manager)

    def _refused(self, reason: str) -> None:
        raise PhoneError(f'the phone refuses the app: {reason}')

    def _not_a_phone(self, reason: str) -> None:
        raise PhoneError(f'no phone that takes apps is at the socket: {reason}')

    def _state_changed(self, state: Any) -> None:
        self._app.state = state
        self.call(self._app._on_state, state)

    def _will_terminate(self, reason: str) -> None:
        self._termination = reason

    def _deliver(self, role: str, fields: dict[str, Any]) -> None:
        """Passes a callback to its manager."""
        for manager in self._app._managers:
            if manager.role == role and manager._id == fields.get('id'):
                [(callback, content)] = fields['callback'].items()
                manager._receive(callback, content)
                if callback == 'didUpdateState':
                    self._app._bluetooth_changed(manager, self)
                    self.answered((manager, 'state'))

    # Functions of the app.

    def call(self, function: Callable[..., Any] | None, *arguments: object) -> None:
        if function:
            self.start(self.called(function, *arguments))

    async def called(self, function: Callable[..., Any], *arguments: object) -> None:
        try:
            await result(function, *arguments)
        except Exception:
            log.exception('%s: the function %s has failed', self._app.identifier, getattr(function, '__name__', ''))

    async def park(self, work: Awaitable[Any]) -> Any:
        """Waits without keeping the app from being suspended."""
        task = asyncio.current_task()
        assert task
        self.parked.add(task)
        self._report_idle()
        try:
            return await work
        finally:
            self.parked.discard(task)

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = self.loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._report_idle()

    def _report_idle(self) -> None:
        """Reports that the work for an event is done, so that the phone may suspend the app."""
        is_waiting = self._tasks - self.parked or any(manager._is_busy() for manager in self._app._managers)
        if self._is_busy and not is_waiting:
            self._is_busy = False
            if self._app.state == 'background':
                self.send('didBecomeIdle')


async def result(function: Callable[..., Any], *arguments: object) -> Any:
    value = function(*arguments)
    return await value if inspect.isawaitable(value) else value


def perform(session: Session | None, action: Callable[[Session], object]) -> None:
    """Acts in the thread of a session; does nothing for an app that does not run."""
    if session is None:
        return
    if session.thread == threading.get_ident():
        action(session)
        return

    async def act() -> None:
        action(session)

    wait(session, act())


def wait(session: Session, work: Coroutine[Any, Any, None]) -> None:
    """Does something in the thread of a session, which may end meanwhile."""
    try:
        done = asyncio.run_coroutine_threadsafe(work, session.loop)
    except RuntimeError:  # the loop is closed
        work.close()
        return
    while True:
        try:
            return done.result(1)
        except concurrent.futures.CancelledError:
            return
        except concurrent.futures.TimeoutError:
            if session.loop.is_closed():
                return


class Done:
    """An awaitable that is done."""

    def __await__(self) -> Generator[None, None, None]:
        return
        yield
