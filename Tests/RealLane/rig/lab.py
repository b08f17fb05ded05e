"""A lab on this machine, to whose controller the micro-VM's kernel attaches: bluetoothd is then the gateway, and meets
the emulated iPhone over the virtual air.
"""

import asyncio
import os
import pathlib
import shlex

from blepera_tests.paths import profile_path
from bumble.transport.common import PacketParser

from .air import Port
from .blepera import Blepera
from .errors import Failure
from .process import Process

LIMIT = 20


class Lab:
    """`blepera lab`, and what its phone prints."""

    def __init__(self, binary: pathlib.Path, folder: pathlib.Path):
        self.binary, self.endpoint = binary, folder / 'hci'
        self.environment: dict[str, str] = {}
        self.tasks: list[asyncio.Task] = []
        self.writer: asyncio.StreamWriter | None = None

    async def start(self, *profiles: str, options: tuple[str, ...] = (), controller: str = '') -> Blepera:
        """With the controller's own options, such as `,dual`."""
        phones = [word for name in profiles for word in ('--serve', str(profile_path(name)))]
        words = [str(self.binary), 'lab', '--json', '--hci', f'unix:{self.endpoint}{controller}', *phones, *options]
        program = await asyncio.create_subprocess_exec(
            *words, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )
        self.program = Process(0, words, lambda id, signal: program.send_signal(signal))
        settings = await asyncio.wait_for(program.stdout.readline(), LIMIT)
        self.environment = dict(setting.split('=', 1) for setting in shlex.split(settings.decode())[1:])
        self.tasks.append(asyncio.create_task(self.read(program)))
        return Blepera(self.program)

    async def read(self, program: asyncio.subprocess.Process) -> None:
        """A lab prints its events beside the output of its command, as it does warnings."""
        while line := (await program.stderr.readline()).decode():
            await self.program.take({'out' if line.startswith('{') else 'err': line})
        await self.program.take({'exit': await program.wait()})

    async def run(self, *words: object) -> Process:
        """A program on this machine, on the lab's bus."""
        texts, pipe = [str(word) for word in words], asyncio.subprocess.PIPE
        program = await asyncio.create_subprocess_exec(
            *texts, env=os.environ | self.environment, stdin=asyncio.subprocess.DEVNULL, stdout=pipe, stderr=pipe
        )
        process = Process(0, texts, lambda id, signal: program.send_signal(signal))
        self.tasks.append(asyncio.create_task(self.follow(program, process)))
        return process

    async def follow(self, program: asyncio.subprocess.Process, process: Process) -> None:
        async def take(name: str, stream: asyncio.StreamReader) -> None:
            while line := await stream.readline():
                await process.take({name: line.decode('latin-1')})

        await asyncio.gather(take('out', program.stdout), take('err', program.stderr))
        await process.take({'exit': await program.wait()})

    async def attach(self, port: Port) -> None:
        """Makes the controller that of the port."""
        reader, self.writer = await asyncio.open_unix_connection(self.endpoint)
        port.set_packet_sink(self)
        self.tasks.append(asyncio.create_task(self.receive(reader, PacketParser(port))))

    async def receive(self, reader: asyncio.StreamReader, parser: PacketParser) -> None:
        while data := await reader.read(65536):
            parser.feed_data(data)

    def on_packet(self, packet: bytes) -> None:
        """Sends a packet of the kernel to the controller."""
        self.writer.write(packet)

    async def ask(self, *words: str) -> None:
        """Runs a command of the phone's user."""
        process = await asyncio.create_subprocess_exec(str(self.binary), *words, env=self.environment)
        if await process.wait():
            raise Failure(f'"blepera {" ".join(words)}" ends with status {process.returncode}')

    async def close(self) -> None:
        if self.writer:
            self.writer.close()
        await Blepera(self.program).interrupt()
        for task in self.tasks:
            task.cancel()
