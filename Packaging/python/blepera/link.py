"""AppLink: the lines of JSON between an app and the phone's socket."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import pathlib
import socket
import stat
from collections.abc import AsyncIterator
from typing import Any

from .phone import PhoneError

NAME = 'BLEPERA_SYSTEM'
LAUNCH_VARIABLES = {'BLEPERA_BLUETOOTH_PERIPHERALS', 'BLEPERA_BLUETOOTH_CENTRALS'}
"""What the phone sets for an app that it launches for an event."""
LONGEST_LINE = 5 << 20
log = logging.getLogger('blepera')


class Link:
    """A connection with a phone."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def open(cls) -> Link:
        """Connects to the phone that BLEPERA_SYSTEM names, or to the only one."""
        path = socket_path()
        try:
            check_folder(path.parent)
            return cls(*await asyncio.open_unix_connection(os.fspath(path), limit=LONGEST_LINE))
        except OSError as error:
            raise PhoneError(f'no phone is at {path}: {error.strerror}. {advice(path)}') from None

    def send(self, message: str, **fields: object) -> None:
        line = json.dumps({message: fields}, separators=(',', ':'))
        log.debug('-> %s', line)
        self._writer.write(line.encode() + b'\n')

    async def messages(self) -> AsyncIterator[tuple[str, dict[str, Any]]]:
        """What the phone sends, until the link ends."""
        while True:
            try:
                line = await self._reader.readline()
            except ConnectionError:
                return
            if not line.endswith(b'\n'):
                return
            log.debug('<- %s', line.decode().rstrip())
            [(message, fields)] = json.loads(line).items()
            yield message, fields if isinstance(fields, dict) else {'reason': fields}

    def close(self) -> None:
        self._writer.close()


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
