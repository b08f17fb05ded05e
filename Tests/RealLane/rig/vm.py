"""The micro-VM: QEMU, Debian's kernel, the root file system of this machine (read-only) and a program of ours, which
starts others in it. It needs neither root nor Bluetooth, and no KVM either: without KVM, QEMU emulates the processor.
"""

import asyncio
import json
import os
import pathlib
import re
import shutil
import socket
import tempfile
from collections.abc import Callable, Mapping
from signal import SIGKILL

from . import image, releases
from .errors import RigError
from .process import Line, Process

ADAPTERS = 2  # that can be plugged in
PASSED = ('TZ', 'TERM', 'NO_COLOR')
ARGUMENTS = 'console=ttyS0 quiet loglevel=4 panic=-1 mitigations=off audit=0 lsm= tsc=reliable'
# The kernel's tests of its own ciphers take a second under emulation. Without random addresses a program's pages are at
# the same address in each of its processes, so that QEMU keeps its translation: a start takes a third of the time.
ARGUMENTS += ' cryptomgr.notests norandmaps'


class VM:
    """Boots on entry and ends on exit, whatever happens. The folder `out` keeps the console and the logs."""

    def __init__(self, out: pathlib.Path, boot_limit: float = 90):
        self.out, self.boot_limit, self.release = out, boot_limit, releases.chosen()
        self.folder = os.getcwd()  # of what is started
        self.processes: dict[int, Process] = {}
        self.settings: dict[str, str] = {}  # of the environment of what is started
        self.answers: dict[str, asyncio.Future] = {}
        self.has_ended = False

    async def __aenter__(self):
        self.out.mkdir(parents=True, exist_ok=True)
        self.files = pathlib.Path(tempfile.mkdtemp(prefix='blepera-vm-'))
        try:
            await self.start(*await asyncio.to_thread(self.system))
            await self.boot()
        except BaseException:
            await self.__aexit__()
            raise
        return self

    def system(self) -> list[object]:
        """The options of QEMU for what it boots."""
        self.image = image.image(self.release)
        kernel = image.image(releases.kernel_of(self.release))
        image.initial_files(self.files / 'initrd', kernel)
        root = 'local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap'
        return [
            *('-kernel', kernel.folder / 'vmlinux', '-initrd', self.files / 'initrd', '-append', ARGUMENTS),
            *('-virtfs', root),
        ]

    async def start(self, *system: object) -> None:
        qemu = shutil.which('qemu-system-x86_64')
        if not qemu:
            raise RigError('qemu-system-x86_64 is missing; Scripts/setup lane installs it')
        orders, airs = socket.socketpair(), [socket.socketpair() for _ in range(ADAPTERS)]
        ends = [pair[1].fileno() for pair in (orders, *airs)]
        ports = []
        for name, end in zip(('orders', *(f'air{number}' for number in range(ADAPTERS))), ends, strict=True):
            ports += ['-chardev', f'socket,id={name},fd={end}', '-device', f'virtserialport,chardev={name},name={name}']
        # One processor: the programs in the VM mostly wait for each other, and emulating a second costs more than it
        # brings. QEMU emulates `rep movsb` byte for byte; without erms the kernel copies and clears pages by words.
        self.qemu = await asyncio.create_subprocess_exec(
            *(qemu, *accelerators(), '-cpu', 'max,-erms', '-m', '1024'),
            *('-nodefaults', '-display', 'none', '-no-reboot'),
            *('-chardev', f'file,id=console,path={escape(self.out)}/console.txt', '-serial', 'chardev:console'),
            *system,
            *('-device', 'virtio-rng-pci', '-device', 'virtio-serial-pci'),
            *ports,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=open(self.out / 'qemu.txt', 'wb'),  # noqa: SIM115, QEMU's own
            stderr=asyncio.subprocess.STDOUT,
            pass_fds=ends,
            start_new_session=True,  # Ctrl-C is for this process, which then ends QEMU
        )
        for pair in (orders, *airs):
            pair[1].close()
        self.airs = [await asyncio.open_connection(sock=air[0]) for air in airs]
        reader, self.orders = await asyncio.open_connection(sock=orders[0], limit=1 << 24)
        self.ready = asyncio.get_running_loop().create_future()
        self.listening = asyncio.create_task(self.listen(reader))

    async def boot(self) -> None:
        ended = asyncio.create_task(self.qemu.wait())
        await asyncio.wait([self.ready, ended], timeout=self.boot_limit, return_when=asyncio.FIRST_COMPLETED)
        ended.cancel()
        if not self.ready.done():
            said = f'did not boot in {self.boot_limit:g} s' if self.qemu.returncode is None else 'ended while it booted'
            raise RigError(f'the micro-VM {said}; its last line: {self.last_line()}')

    def last_line(self) -> str:
        """The last line of QEMU or of the console that says something."""
        for name in ('qemu.txt', 'console.txt'):
            path = self.out / name
            lines = [line.strip() for line in path.read_text(errors='replace').splitlines()] if path.exists() else []
            if printed := [line for line in lines if line]:
                return printed[-1]
        return 'none'

    async def listen(self, reader: asyncio.StreamReader) -> None:
        while line := await reader.readline():
            message = json.loads(line)
            if 'ready' in message:
                self.ready.set_result(None)
            elif 'id' not in message:
                [(name, answer)] = message.items()
                self.answers.pop(name).set_result(answer)
            else:
                await self.processes[message['id']].take(message)
        self.has_ended = True
        for process in self.processes.values():
            if process.status is None:
                await process.take({'err': 'the micro-VM has ended\n', 'exit': 125})

    def order(self, **message) -> None:
        self.orders.write(json.dumps(message).encode() + b'\n')

    async def plug(self, adapter: int, plugged: bool) -> None:
        """Gives the VM's kernel a Bluetooth adapter, or takes it away."""
        await self.ask('plugged', adapter=adapter, plug=plugged)

    async def sweep(self, name: str, signal: int = SIGKILL) -> list[str]:
        """Sends a signal, or none (0), to every process of that name, whoever has started it, and waits for the ends of
        those that it kills; their command lines."""
        return await self.ask('swept', sweep=name, **{'with': int(signal)})

    async def ask(self, answer: str, **order):
        self.check_is_there()
        self.answers[answer] = asyncio.get_running_loop().create_future()
        self.order(**order)
        try:
            return await asyncio.wait_for(self.answers[answer], 20)
        except TimeoutError:
            self.check_is_there()
            raise RigError('the micro-VM does not answer for 20 s') from None

    def check_is_there(self) -> None:
        if self.has_ended:
            raise RigError(f'the micro-VM has ended; its last line: {self.last_line()}')

    async def start_program(
        self,
        *words: object,
        env: Mapping[str, str] | None = None,
        terminal: bool = False,
        type: str = '',
        on_line: Callable[[Line], None] | None = None,
    ) -> Process:
        """Starts a program; `type` is what a person would type on its terminal, `on_line` gets every line it prints."""
        self.check_is_there()
        id = len(self.processes) + 1
        process = Process(id, [str(word) for word in words], self.order, on_line)
        self.processes[id] = process
        settings = {**environment(), **self.settings, **(env or {})}
        self.order(id=id, run=process.words, env=settings, folder=self.folder, terminal=terminal, type=type)
        await process.until(lambda: process.pid or process.status is not None, 20, f'the start of "{process}"')
        return process

    async def run(self, *words: object, limit: float = 20, env: Mapping[str, str] | None = None) -> Process:
        """Runs a program to its end."""
        process = await self.start_program(*words, env=env)
        await process.wait(limit)
        return process

    async def __aexit__(self, *_) -> None:
        if hasattr(self, 'listening'):
            self.listening.cancel()
            self.orders.close()
            for air in self.airs:
                air[1].close()
        if hasattr(self, 'qemu') and self.qemu.returncode is None:
            self.qemu.kill()
            await self.qemu.wait()
        shutil.rmtree(self.files, ignore_errors=True)


def accelerators() -> list[str]:
    """The options of QEMU for KVM and for emulation. QEMU takes the first that it can use: it emulates where KVM refuses
    to start. KVM without the processor's own virtualization (as of kvm-pvm, in clouds) starts, but boots no stock kernel.
    """
    emulation = ['-accel', 'tcg,thread=multi']
    is_allowed = os.access('/dev/kvm', os.R_OK | os.W_OK)
    boots = re.search(r'^flags\b.*\b(vmx|svm)\b', pathlib.Path('/proc/cpuinfo').read_text(), re.MULTILINE)
    return ['-accel', 'kvm', *emulation] if is_allowed and boots else emulation


def escape(path: pathlib.Path) -> str:
    """A path in an option of QEMU."""
    return str(path).replace(',', ',,')


def environment() -> dict[str, str]:
    passed = {name: value for name, value in os.environ.items() if name.startswith('BLEPERA_') or name in PASSED}
    path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
    return {'PATH': path, 'HOME': '/root', 'LANG': 'C.UTF-8', **passed}
