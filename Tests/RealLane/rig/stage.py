"""What a case plays on: the micro-VM, its bluetoothd, the air and the blepera under test."""

import pathlib

from .air import Air
from .blepera import Blepera
from .bluez import BlueZ
from .central import Central
from .errors import Failure
from .process import Process
from .vm import VM

HERE = pathlib.Path(__file__).resolve().parent.parent
PROJECT = HERE.parent.parent


def profile_path(name: str) -> pathlib.Path:
    """A profile of the project, or one that only the lane has."""
    for folder in (PROJECT / 'profiles', HERE / 'profiles'):
        if (path := folder / f'{name}.plist').exists():
            return path
    raise Failure(f'there is no profile {name}.plist')


class Stage:
    def __init__(self, vm: VM, binary: pathlib.Path, experimental: bool = False):
        self.vm, self.binary = vm, binary
        self.bluez, self.air = BlueZ(vm, experimental), Air(vm)
        self.served: list[Blepera] = []
        self.centrals: list[Central] = []

    async def set_up(self) -> None:
        await self.bluez.set_up(self.air)

    async def run(self, *words: str, terminal: bool = False, env: dict[str, str] | None = None) -> Blepera:
        """Starts `blepera` with these words, without waiting for anything."""
        return self.adopt(await self.vm.start_program(self.binary, *words, terminal=terminal, env=env))

    def adopt(self, process: Process) -> Blepera:
        """Takes a program for a blepera of this case: it ends with the case, and its output is told with a failure."""
        self.served.append(Blepera(process))
        return self.served[-1]

    async def serve(self, profile: str, *flags: str) -> Blepera:
        """Serves a profile, up to its being on the air."""
        blepera = await self.run('serve', '--json', *flags, str(profile_path(profile)))
        await blepera.until('advertising')
        return blepera

    async def central(self) -> Central:
        central = await self.air.central()
        self.centrals.append(central)
        return central

    async def meet(self, mtu: int = 517) -> Central:
        """A new central that is connected and knows all the attributes."""
        central = await self.central()
        await self.air.connect(central, mtu)
        await central.discover()
        return central

    async def clear(self, everything: bool = False) -> None:
        """After a case: ends what it started and mends what it broke; with `everything`, bluetoothd starts anew."""
        for blepera in self.served:
            if blepera.process.status is None:
                await blepera.kill()
        for central in self.centrals:
            self.air.remove(central)
        self.served.clear()
        self.centrals.clear()
        if everything:
            await self.bluez.kill()
            await self.bluez.forget()
        if self.air.adapter is None:
            await self.air.plug()
        await self.bluez.make_powered()
