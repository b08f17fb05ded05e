"""A network namespace for controllers that listen on all addresses. A process in the namespace (door.py) makes the
connections and hands the sockets over, so that the tests need no namespace of their own."""

import asyncio
import ctypes
import os
import pathlib
import re
import signal
import socket
import struct
import subprocess
import sys
import time

from rig.errors import Failure

DOOR = pathlib.Path(__file__).with_name('door.py')
LOCALHOST = '127.0.0.1'
PR_SET_PDEATHSIG = 1
libc = ctypes.CDLL(None)


def end_with_parent() -> None:
    """In a new process: it ends when the tests do, killed or not."""
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Network:
    def __init__(self):
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        user = [] if os.geteuid() == 0 else ['--map-root-user']
        with theirs:
            words = ['unshare', '--net', *user, '--', sys.executable, str(DOOR), str(theirs.fileno())]
            self.process = subprocess.Popen(
                words, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, preexec_fn=end_with_parent)
        self.control.settimeout(20)
        if self.control.recv(16) != b'ready':
            raise Failure('there is no network namespace for the test: unshare fails')

    def words(self, *words: str) -> list[str]:
        """The command that runs a program in the namespace."""
        user = [] if os.geteuid() == 0 else ['--user', '--preserve-credentials']
        return ['nsenter', '--target', str(self.process.pid), '--net', *user, '--', *words]

    async def until_listening(self, port: int, limit: float = 20) -> None:
        """Waits without a connection, since a controller takes each for a host."""
        until, table = time.monotonic() + limit, pathlib.Path(f'/proc/{self.process.pid}/net/tcp')
        while not re.search(rf'^ *\d+: [0-9A-F]+:{port:04X} [0-9A-F:]+ 0A ', table.read_text(), re.MULTILINE):
            if time.monotonic() > until:
                raise Failure(f'nothing listens on port {port} after {limit:g} s')
            await asyncio.sleep(0.02)

    def connect(self, port: int) -> socket.socket:
        """A connection to a program of the namespace."""
        self.control.send(struct.pack('<H', port))
        _, descriptors, _, _ = socket.recv_fds(self.control, 16, 1)
        if not descriptors:
            raise Failure(f'nothing listens on port {port}')
        return socket.socket(fileno=descriptors[0])

    def close(self) -> None:
        self.control.close()
        self.process.wait(20)
