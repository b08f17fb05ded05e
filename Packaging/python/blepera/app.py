"""An app on a phone: what an iOS app does with Core Bluetooth, in Python."""

from __future__ import annotations

import asyncio
import contextlib
import io
import itertools
import logging
import os
import signal
import sys
import threading
from collections.abc import Awaitable, Callable, Iterable, Iterator
from types import TracebackType
from typing import Any, Literal, TypeVar, Union

from .attributes import Service
from .central import CentralManager
from .link import LAUNCH_VARIABLE, Link
from .peripheral import Channel
from .peripheral_manager import OnRestore, PeripheralManager, PublishedChannel
from .phone import PhoneError
from .session import Bluetooth, Manager, Session, State, perform

OnState = TypeVar('OnState', bound=Callable[[State], Union[None, Awaitable[None]]])
OnBluetooth = TypeVar('OnBluetooth', bound=Callable[[Bluetooth], Union[None, Awaitable[None]]])
Kind = TypeVar('Kind', PeripheralManager, CentralManager)
log = logging.getLogger('blepera')


class App:
    """An app: while it runs, what is added to it is published, and its functions are called.

    `run` and `serve` are for a program that is the app: the phone stops its process while the app is suspended, and
    starts it again. `with` and `async with` are for a program that does more, such as a test.

    `restore_identifier` opts in to state restoration, `central_restore_identifier` to that of the central role, which
    `central` is. An app that uses the central role alone has no peripheral manager. `background` is for the background
    modes of the roles that the app has when it starts; to have the mode of one role alone, name it. The phone ends an
    app that restores a manager without the mode, as iOS does: PhoneError.
    """

    def __init__(
        self, identifier: str, *, name: str | None = None, restore_identifier: str | None = None,
        central_restore_identifier: str | None = None, background: bool | Literal['central', 'peripheral'] = True,
    ) -> None:
        self.identifier = identifier
        self.state: State = 'notRunning'
        self.bluetooth: Bluetooth = 'unknown'
        self._identity: dict[str, Any] = {
            'bundleIdentifier': identifier, 'name': name or identifier.rpartition('.')[2],
        }
        self._managers: list[Manager] = []
        self._on_state: Callable[[State], None | Awaitable[None]] | None = None
        self._on_bluetooth: Callable[[Bluetooth], None | Awaitable[None]] | None = None
        self._session: Session | None = None
        self._running: asyncio.Task[str | None] | None = None
        self._thread: threading.Thread | None = None
        self._tasks = itertools.count(1)
        self._background = background
        self._peripheral = self._make(PeripheralManager, restore_identifier) if restore_identifier else None
        self._central = self._make(CentralManager, central_restore_identifier) if central_restore_identifier else None

    @property
    def peripheral(self) -> PeripheralManager:
        """The peripheral role of the app: the app itself publishes and advertises through this manager."""
        if self._peripheral is None:
            self._peripheral = self._make(PeripheralManager, None)
        return self._peripheral

    @property
    def central(self) -> CentralManager:
        """The central role of the app, which the app has only if this property is used before the app runs."""
        if self._central is None:
            if self._session:
                raise RuntimeError(f'use the central role of {self.identifier} before it runs')
            self._central = self._make(CentralManager, None)
        return self._central

    def add_peripheral_manager(self, restore_identifier: str | None = None) -> PeripheralManager:
        """Creates another manager beside `peripheral`, with its own services and advertisement."""
        return self._make(PeripheralManager, restore_identifier)

    def add_central_manager(self, restore_identifier: str | None = None) -> CentralManager:
        """Creates another manager beside `central`, with its own scan and connections."""
        return self._make(CentralManager, restore_identifier)

    def _make(self, kind: type[Kind], restore_identifier: str | None) -> Kind:
        made = kind(self.identifier, len(self._managers) if restore_identifier is None else restore_identifier)
        if any(one.role == made.role and one._id == made._id for one in self._managers):
            raise ValueError(f'{self.identifier} has a {made.role} manager with the identifier {restore_identifier}')
        self._managers.append(made)
        self._perform(lambda session: session.create(made))
        return made

    def _described(self) -> dict[str, Any]:
        roles = sorted({one.role for one in self._managers}, reverse=True)
        modes = [f'bluetooth-{role}' for role in roles if self._background in (True, role)]
        return {**self._identity, 'backgroundModes': modes}

    # Publishing, by `peripheral`.

    def add(self, service: Service) -> None:
        """Publishes a service when the app starts, or at once if the app runs."""
        self.peripheral.add(service)

    def remove(self, service: Service) -> None:
        self.peripheral.remove(service)

    def publish_channel(
        self, on_open: Callable[[Channel], Awaitable[None]], *, encrypted: bool = False
    ) -> PublishedChannel:
        """Publishes an L2CAP channel: the function is called with each one that a central opens, and closes it when it
        returns. With `encrypted` a central has to be paired. In a process that is suspended nothing is read or sent.
        """
        return self.peripheral.publish_channel(on_open, encrypted=encrypted)

    def unpublish_channel(self, published: PublishedChannel) -> None:
        """Unpublishes an L2CAP channel; open channels stay open."""
        self.peripheral.unpublish_channel(published)

    def advertise(self, name: str | None = None, services: Iterable[Service | str] | None = None) -> None:
        """Advertises a name and services, by default all primary ones.

        What an app in the background advertises is on the air at the next foreground (R12).
        """
        self.peripheral.advertise(name, services)

    def stop_advertising(self) -> None:
        self.peripheral.stop_advertising()

    # Events of the app.

    def on_state(self, function: OnState) -> OnState:
        """Registers a function for the state of the app: inactive, foreground, background or suspended."""
        self._on_state = function
        return function

    def on_bluetooth(self, function: OnBluetooth) -> OnBluetooth:
        """Registers a function for the state of Bluetooth: on, off, resetting, unauthorized or unsupported."""
        self._on_bluetooth = function
        return function

    def on_restore(self, function: OnRestore) -> OnRestore:
        """Registers a function for a relaunch, which is called when the app's services have their subscribers again."""
        return self.peripheral.on_restore(function)

    def _bluetooth_changed(self, manager: Manager, session: Session) -> None:
        """Updates the app's state of Bluetooth, which follows `peripheral` or, without it, the first manager."""
        if manager is (self._peripheral or self._managers[0]):
            self.bluetooth = manager.bluetooth
            session.call(self._on_bluetooth, self.bluetooth)

    @contextlib.contextmanager
    def background_task(self) -> Iterator[None]:
        """Keeps the app running in the background, for 30 s at most: after that the phone terminates it."""
        task = next(self._tasks)
        self._perform(lambda session: session.send('beginBackgroundTask', id=task))
        try:
            yield
        finally:
            self._perform(lambda session: session.send('endBackgroundTask', id=task))

    # Running.

    def run(self) -> None:
        """Runs the app until it is terminated, or Ctrl-C; ends the program with a message if no phone accepts it."""
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(line_buffering=True)  # a process that is killed writes nothing more
        try:
            termination = asyncio.run(self._serve())
        except KeyboardInterrupt:
            return
        except PhoneError as error:
            raise SystemExit(str(error)) from None
        if termination:
            log.warning('%s is terminated: %s', self.identifier, termination)
            raise SystemExit(128 + signal.SIGKILL)

    async def serve(self) -> None:
        """Runs the app as `run` does, in a loop with other tasks; raises PhoneError if no phone accepts the app."""
        await self._serve()

    async def wait_closed(self) -> None:
        """Returns when the app has ended, for use within `async with`."""
        if self._running:
            await asyncio.shield(self._running)

    async def _serve(self) -> str | None:
        environment = {name: value for name, value in os.environ.items() if name != LAUNCH_VARIABLE}
        arguments = [sys.executable, *getattr(sys, 'orig_argv', [sys.executable, *sys.argv])[1:]]
        return await self._run({
            'arguments': arguments, 'folder': os.getcwd(), 'environment': environment, 'isSuspendable': True})

    async def _run(self, process: dict[str, Any] | None, started: Callable[[], None] = lambda: None) -> str | None:
        """Runs the app; returns the reason of its termination by the phone."""
        if self._session:
            raise RuntimeError(f'{self.identifier} runs already')
        if not self._managers:
            self._peripheral = self._make(PeripheralManager, None)
        for manager in self._managers:
            manager._check()
        link = await Link.open()
        try:
            self._session = Session(self, link, started)
            hello: dict[str, Any] = {'version': 1, 'app': self._described()}
            self._session.send('hello', **(hello if process is None else {**hello, 'process': process}))
            return await self._session.run()
        finally:
            self._session = None
            self.state, self.bluetooth = 'notRunning', 'unknown'
            link.close()

    async def __aenter__(self) -> App:
        started = asyncio.Event()
        self._running = asyncio.ensure_future(self._run(None, started.set))
        starting = asyncio.ensure_future(started.wait())
        try:
            await asyncio.wait({self._running, starting}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            self._running.cancel()
            raise
        finally:
            starting.cancel()
        if self._running.done():
            self._running.result()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._running:
            if self._session:
                self._session.link.close()
            await self._running

    def __enter__(self) -> App:
        """Runs the app in its own thread, where its functions are called."""
        started = threading.Event()
        failures: list[BaseException] = []

        def run() -> None:
            try:
                asyncio.run(self._run(None, started.set))
            except BaseException as failure:  # noqa: BLE001, raised by who waits
                failures.append(failure)
            started.set()

        self._thread = threading.Thread(target=run, name=self.identifier, daemon=True)
        self._thread.start()
        started.wait()
        if failures:
            raise failures[0]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._perform(lambda session: session.link.close())
        if self._thread:
            self._thread.join()

    def _perform(self, action: Callable[[Session], object]) -> None:
        perform(self._session, action)
