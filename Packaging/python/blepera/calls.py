"""The calls of the central role, and the phone's responses."""

from __future__ import annotations

import asyncio
import collections
from collections.abc import Callable
from typing import Any, TypeVar, Union

from .phone import PhoneError
from .session import Manager

Function = TypeVar('Function', bound=Callable[..., Any])
Key = tuple[Union[str, int, None], ...]


class CentralCalls(Manager):
    """The base of a central manager and its peripherals: calls that wait for a response, and the app's functions."""

    def __init__(self, app: str, id: int | str) -> None:
        super().__init__(app, id)
        self._functions: dict[str, Callable[..., Any]] = {}
        self._pending: collections.defaultdict[Key, collections.deque[asyncio.Future[Any]]] = collections.defaultdict(
            collections.deque)

    def _register(self, event: str, function: Function) -> Function:
        self._functions[event] = function
        return function

    def _call(self, event: str, *arguments: object) -> None:
        if self._session:
            self._session.call(self._functions.get(event), *arguments)

    def _send(self, call: str, /, **fields: object) -> None:
        if self._session is None:
            raise PhoneError('the app does not run')
        if self.bluetooth != 'on':
            raise PhoneError(f'Bluetooth is {self.bluetooth}')
        self._session.send('central', id=self._id, call={call: fields})

    def _wait(self, *key: str | int | None) -> asyncio.Future[Any]:
        """The phone's response to the call that was sent; calls with the same key get their responses in order."""
        response: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._pending[key].append(response)
        return response

    async def _park(self, work: Any) -> Any:
        """Waits for an event that may never happen; the app may be suspended meanwhile."""
        return await (self._session.park(work) if self._session else work)

    def _resolve(self, key: Key, value: object) -> bool:
        """Ends the oldest call that waits for this key; returns whether there was one."""
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

    def _resolve_everything(self, value: object, owner: str | None = None) -> None:
        """Ends all waiting calls, or all waiting calls of a peripheral."""
        for key in list(self._pending):
            if owner is None or key[0] == owner:
                self._resolve_all(key, value)
