"""AppLink: the lines of JSON between an app and the phone's socket."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import pathlib
import socket
import stat
from collections import deque
from collections.abc import AsyncIterator
from typing import Any

from .phone import PhoneError

NAME = 'BLEPERA_SYSTEM'
LAUNCH_VARIABLE = 'BLEPERA_BLUETOOTH_MANAGERS'
"""The variable that the phone sets for an app that it launches for an event."""
log = logging.getLogger('blepera')


class Link:
    """A connection with a phone. asyncio's streams would lose the descriptors that come with lines."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._loop = asyncio.get_running_loop()
        self._unsent = bytearray()
        self._descriptors: deque[int] = deque()

    @classmethod
    async def open(cls) -> Link:
        """Connects to the phone that BLEPERA_SYSTEM names, or to the only one."""
        path = socket_path()
        connection = socket.socket(socket.AF_UNIX)
        try:
            check_folder(path.parent)
            connection.connect(os.fspath(path))
            connection.setblocking(False)
            return cls(connection)
        except OSError as error:
            connection.close()
            raise PhoneError(f'no phone is at {path}: {error.strerror}. {advice(path)}') from None

    def send(self, message: str, **fields: object) -> None:
        line = json.dumps({message: fields}, separators=(',', ':'))
        log.debug('-> %s', line)
        self._unsent += line.encode() + b'\n'
        self._flush()

    def _flush(self) -> None:
        try:
            del self._unsent[:self._socket.send(self._unsent)]
        except BlockingIOError:
            pass
        except OSError:  # the phone has ended, as `messages` finds
            self._unsent.clear()
        if self._unsent:
            self._loop.add_writer(self._socket, self._flush)
        elif self._socket.fileno() >= 0:  # `messages` has closed it where the link has ended
            self._loop.remove_writer(self._socket)

    async def messages(self) -> AsyncIterator[tuple[str, dict[str, Any]]]:
        """The messages of the phone, until the link ends."""
        rest = b''
        try:
            while data := await self._receive():
                *lines, rest = (rest + data).split(b'\n')
                for line in lines:
                    log.debug('<- %s', line.decode())
                    [(message, fields)] = json.loads(line).items()
                    yield message, fields if isinstance(fields, dict) else {'reason': fields}
        finally:
            self._loop.remove_writer(self._socket)
            self._socket.close()
            for descriptor in self._descriptors:
                os.close(descriptor)

    async def _receive(self) -> bytes:
        while True:
            try:
                data, descriptors, _, _ = socket.recv_fds(self._socket, 1 << 16, 16)
                self._descriptors += descriptors
                return data
            except BlockingIOError:
                pass
            except OSError:
                return b''
            readable = asyncio.Event()
            self._loop.add_reader(self._socket, readable.set)
            try:
                await readable.wait()
            finally:
                self._loop.remove_reader(self._socket)

    def take_stream(self) -> socket.socket:
        """The open channel that came with the last message."""
        return socket.socket(fileno=self._descriptors.popleft())

    def close(self) -> None:
        """Ends `messages`, after everything was sent."""
        with contextlib.suppress(OSError):  # it has ended already
            if self._unsent:
                self._socket.settimeout(1)
                self._socket.sendall(self._unsent)
            self._socket.shutdown(socket.SHUT_RDWR)


def socket_path() -> pathlib.Path:
    folder = absolute('BLEPERA_RUNTIME_DIR')
    if not folder:
        runtime = absolute('XDG_RUNTIME_DIR')
        folder = runtime / 'blepera' if runtime else pathlib.Path(f'/tmp/blepera-{os.geteuid()}')
    return folder / f'{os.environ.get(NAME) or "default"}.socket'


def absolute(variable: str) -> pathlib.Path | None:
    value = os.environ.get(variable, '')
    return pathlib.Path(value) if value.startswith('/') else None


def check_folder(folder: pathlib.Path) -> None:
    """A phone receives the environment of its apps, so its socket must be in a folder that only its user can enter."""
    info = folder.lstat()
    if not stat.S_ISDIR(info.st_mode) or info.st_uid != os.geteuid() or info.st_mode & 0o077:
        raise PhoneError(
            f'{folder} has to be a folder that only its user can enter: remove it, and start the phone again')


def advice(path: pathlib.Path) -> str:
    if others := sorted(one.stem for one in path.parent.glob('*.socket') if is_listening(one)):
        return f'{NAME} chooses one of: {", ".join(others)}'
    words = ['blepera', 'system']
    if not any(pathlib.Path('/sys/class/bluetooth').glob('hci*')):
        words.append('--virtual')
    if path.stem != 'default':
        words += ['--system', path.stem]
    return f'Start one with: {" ".join(words)}'


def is_listening(path: pathlib.Path) -> bool:
    """Whether a socket has a phone, and is not left over from one that was killed."""
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(os.fspath(path)) == 0
