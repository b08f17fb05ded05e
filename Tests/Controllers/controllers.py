"""The controllers of others, and the one at the HCI door of a lab: what a phone takes with --controller, and the air on
which Bumble's centrals find the phone."""

import asyncio
import pathlib
import re
import shlex
import socket
import sys
from collections.abc import Mapping

from bumble.transport.common import StreamPacketSink, StreamPacketSource, Transport
from network import LOCALHOST, Network
from process import Process

import libraries

LIMIT = 20
HCI, FIRST, SECOND = 6402, 7501, 7502


class PromptSource(StreamPacketSource):
    """Acknowledges what the controller sends at once. RootCanal sends the type of a packet apart from the packet, without
    TCP_NODELAY, and waits for the acknowledgment in between: 44 ms."""

    def connection_made(self, transport) -> None:
        self.socket = transport.get_extra_info('socket')
        self.acknowledge()

    def data_received(self, data: bytes) -> None:
        self.acknowledge()
        super().data_received(data)

    def acknowledge(self) -> None:
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)

    def connection_lost(self, error) -> None:
        self.on_transport_lost()


async def transport_over(connected: socket.socket) -> Transport:
    connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    transport, source = await asyncio.get_running_loop().create_connection(PromptSource, sock=connected)
    return Transport(source, StreamPacketSink(transport))


class Controllers:
    """`place` is what --controller is followed by; `centrals` says how many centrals the air has at most."""

    name = ''
    centrals = 2
    has_scan_responses = True
    reports_ends = True  # whether a central is informed of a phone that has been killed

    def __init__(self):
        self.processes: list[Process] = []

    async def start(self) -> None:
        raise NotImplementedError

    @property
    def place(self) -> str:
        raise NotImplementedError

    def words(self, *words: str) -> list[str]:
        """The command that runs a program where it reaches the controller."""
        return list(words)

    async def central(self) -> Transport:
        """The HCI of a central."""
        raise NotImplementedError

    async def close(self) -> None:
        for process in self.processes:
            await process.kill()


class InNetwork(Controllers):
    """In a network namespace: the controllers listen on all addresses."""

    port = HCI

    def __init__(self):
        super().__init__()
        self.network = Network()

    @property
    def place(self) -> str:
        return f'tcp:{LOCALHOST}:{self.port}'

    def words(self, *words: str) -> list[str]:
        return self.network.words(*words)

    async def run(self, *words: str, env: Mapping[str, str] | None = None) -> Process:
        self.processes.append(await Process.start(self.words(*words), env))
        return self.processes[-1]

    async def central_at(self, port: int) -> Transport:
        return await transport_over(self.network.connect(port))

    async def close(self) -> None:
        await super().close()
        self.network.close()


class RootCanal(InNetwork):
    name = 'rootcanal'

    async def start(self) -> None:
        import rootcanal.binaries

        program = pathlib.Path(rootcanal.binaries.get_package_binary_resource_path('rootcanal'))
        program.chmod(0o755)
        await self.run(*libraries.loader(), str(program))
        await self.network.until_listening(HCI)

    async def central(self) -> Transport:
        return await self.central_at(HCI)

    async def stop(self) -> None:
        """Ends RootCanal: all links and all controllers of its air are gone."""
        await self.processes.pop().kill()


class BumbleControllers(InNetwork):
    """Two controllers, each for one host at a time. What they send again as a scan response is the advertisement."""

    name, port, centrals = 'bumble', FIRST, 1
    has_scan_responses = False
    reports_ends = False

    async def start(self) -> None:
        ports = [f'tcp-server:{LOCALHOST}:{port}' for port in (FIRST, SECOND)]
        await self.run(sys.executable, '-m', 'bumble.apps.controllers', *ports)
        for port in (FIRST, SECOND):
            await self.network.until_listening(port)

    async def central(self) -> Transport:
        return await self.central_at(SECOND)


class LabDoors(Controllers):
    """`blepera lab --hci`: a door for the phone, and one for each central."""

    name = 'lab'

    def __init__(self, blepera: str, env: Mapping[str, str]):
        super().__init__()
        self.blepera, self.env = blepera, env

    async def start(self) -> None:
        words = [self.blepera, 'lab', '--quiet', '--link-interval', '7.5', *['--hci', 'tcp:0'] * (self.centrals + 1)]
        process = await Process.start(words, self.env)
        self.processes.append(process)
        line = await process.until(lambda: re.search('export .*', process.text()), LIMIT, 'the settings of the lab')
        settings = dict(word.split('=', 1) for word in shlex.split(line[0])[1:])
        self.doors = [one.removeprefix('tcp-client:') for one in settings['BLEPERA_HCI'].split()]

    @property
    def place(self) -> str:
        return f'tcp:{self.doors[0]}'

    async def central(self) -> Transport:
        self.doors.append(self.doors.pop(1))  # each in turn
        host, port = self.doors[-1].split(':')
        return await transport_over(socket.create_connection((host, int(port))))
