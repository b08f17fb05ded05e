"""Updates of an app on their way to the phone."""

from __future__ import annotations

import asyncio
import collections
from collections.abc import Callable
from typing import Any

from .phone import PhoneError


class Updates:
    """Sends one update at a time to the phone, so that a full transmit queue (R13) delays later updates too."""

    def __init__(self, send: Callable[..., None]) -> None:
        self._send = send
        self._loop = asyncio.get_running_loop()
        self._waiting: collections.deque[tuple[dict[str, Any], asyncio.Future[None]]] = collections.deque()
        self._is_sent = False
        self._is_full = False

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, update: dict[str, Any]) -> asyncio.Future[None]:
        queued: asyncio.Future[None] = self._loop.create_future()
        self._waiting.append((update, queued))
        # A function that responds to a write updates before it returns; the response is sent first.
        self._loop.call_soon(self._send_next)
        return queued

    def answered(self, is_queued: bool, error: str | None) -> None:
        self._is_sent = False
        self._is_full = not is_queued and error is None
        if not self._is_full and self._waiting:
            _, queued = self._waiting.popleft()
            if not queued.done():
                queued.set_exception(PhoneError(error)) if error else queued.set_result(None)
        self._send_next()

    def become_ready(self) -> None:
        self._is_full = False
        self._send_next()

    def end(self) -> None:
        for _, queued in self._waiting:
            if not queued.done():
                queued.set_exception(PhoneError('the app has ended'))
                queued.exception()  # who does not wait for it does not miss it
        self._waiting.clear()

    def _send_next(self) -> None:
        if self._waiting and not self._is_sent and not self._is_full:
            self._is_sent = True
            self._send('updateValue', **self._waiting[0][0])
