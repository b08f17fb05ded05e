"""The stage of a test: the micro-VM, its bluetoothd, the air and the blepera under test."""

import asyncio
import json
import pathlib
import time
from collections.abc import Sequence
from signal import SIGTERM

from blepera_tests.paths import profile_path

from . import profile as profiles
from .advertising import Packet, Prediction
from .air import Air
from .blepera import Blepera
from .bluez import BlueZ, Settings
from .central import Central
from .errors import Failure
from .peripheral import Peripheral
from .process import Process
from .vm import ADAPTERS, VM

RUNTIME, FILES = '/run/user/0', '/run/lane'
SECOND = 'hci1'
ENDING = 3  # seconds in which a phone and its apps end by themselves


class Stage:
    def __init__(self, vm: VM, binary: pathlib.Path):
        self.vm, self.binary = vm, binary
        self.bluez, self.air = BlueZ(vm), Air(vm)
        self.served: list[Blepera] = []
        self.centrals: list[Central | Peripheral] = []
        self.cleared = 0
        self.exact = False  # whether the phones of this case have --exact
        self.strangers: set[Packet] = set()  # what other programs of this case send
        self.under: list[str] = []  # what starts each blepera of this case, such as `setpriv --reuid=65534`
        self.use_own_state()

    @property
    def minor(self) -> int:
        """82 for bluetoothd 5.82."""
        return int(self.bluez.version.partition('.')[2])

    @property
    def state(self) -> str:
        """The folder in the micro-VM where the phones of this case keep their preserved state."""
        return f'{FILES}/{self.cleared}'

    def profile(self, name: str) -> profiles.Profile:
        return profiles.load(profile_path(name), str(self.binary))

    def use_own_state(self) -> None:
        self.vm.settings |= {'XDG_STATE_HOME': self.state, 'XDG_RUNTIME_DIR': RUNTIME}

    async def set_up(self) -> None:
        await self.vm.run('mkdir', '-p', '-m', '700', RUNTIME, FILES)
        await self.bluez.set_up(self.air)

    async def run(self, *words: str, terminal: bool = False, env: dict[str, str] | None = None) -> Blepera:
        """Starts `blepera` with these words, without waiting for anything."""
        is_first = all(one.process.status is not None for one in self.served)
        if self.exact and is_first and words[0] in ('serve', 'system'):  # a phone that runs has its settings
            words = (words[0], '--exact', *words[1:])
        return self.adopt(await self.vm.start_program(*self.under, self.binary, *words, terminal=terminal, env=env))

    def adopt(self, process: Process) -> Blepera:
        """Treats a program as a blepera of this case: it ends with the case, and a failure prints its output."""
        self.served.append(Blepera(process))
        return self.served[-1]

    async def serve(self, profile: str, *flags: str, beside: Sequence[str] = ()) -> Blepera:
        """Serves a profile, and others beside it, up to their being on the air."""
        paths = [str(path_of(name)) for name in (profile, *beside)]
        blepera = await self.run('serve', '--json', *flags, *paths)
        mark = 0
        for _ in paths:  # each is launched when the one before is on the air
            event = await blepera.until('advertising', after=mark)
            mark = blepera.events.index(event, mark) + 1
        return blepera

    async def ask(self, *words: str) -> str:
        """Runs a command of the phone's user, and returns its output."""
        done = await self.vm.run(*self.under, self.binary, *words)
        assert done.status == 0, f'"blepera {" ".join(words)}" ends with status {done.status}: {done.text().strip()}'
        return done.text('out')

    async def suspend(self, blepera: Blepera) -> None:
        """Suspends the app at once, without the wait for its time in the background to be over."""
        mark = blepera.mark
        await self.ask('suspend')
        await blepera.until('state', after=mark, state='suspended')

    async def status(self) -> dict:
        return json.loads(await self.ask('status', '--json'))

    async def explain(self, *profiles: str, ios: int = 26) -> dict[str, Prediction]:
        """The prediction of `explain` for each state of the apps. `explain` needs no radio, so no micro-VM."""
        paths = [str(path_of(profile)) for profile in profiles]
        words = [str(self.binary), 'explain', *paths, '--ios', str(ios), '--json', '--bluez-version', self.bluez.version]
        words += ['--experimental'] if self.bluez.settings.experimental else []
        words += ['--exact'] if self.exact else []
        process = await asyncio.create_subprocess_exec(*words, stdout=asyncio.subprocess.PIPE)
        output, _ = await process.communicate()
        if process.returncode:
            raise Failure(f'"{" ".join(words)}" ends with status {process.returncode}')
        return {state['state']: Prediction.of(state) for state in json.loads(output)['states']}

    async def btmgmt(self, *words: str) -> str:
        """The output of BlueZ's program for the kernel's management interface, which needs a terminal."""
        done = await self.vm.run('script', '-qec', ' '.join(['btmgmt', '--index', '0', *words]), '/dev/null')
        return done.text()

    async def central(self) -> Central:
        central = await self.air.central()
        self.centrals.append(central)
        return central

    async def peripheral(self, encrypts: bool = False) -> Peripheral:
        peripheral = await self.air.peripheral(encrypts)
        self.centrals.append(peripheral)
        return peripheral

    async def meet(self, mtu: int = 517) -> Central:
        """A new central that is connected and knows all the attributes."""
        central = await self.central()
        await self.air.connect(central, mtu)
        await central.discover()
        return central

    async def kill_all(self) -> None:
        """Ends phones and apps, as the phone outlives what has started it, and what serves starts it again."""
        while await self.vm.sweep(self.binary.name):
            pass

    async def end_all(self) -> None:
        """Ends phones and apps as their users do, and kills what does not end in time: bluetoothd counts an advertisement
        for good whose program is killed while it registers it."""
        until = time.monotonic() + ENDING
        left = await self.vm.sweep(self.binary.name, SIGTERM)
        while left and time.monotonic() < until:
            await asyncio.sleep(0.05)
            left = await self.vm.sweep(self.binary.name, 0)
        await self.kill_all()

    async def prepare(self, settings: Settings) -> None:
        """Before a test: the adapters and the bluetoothd that it asks for; they keep running from test to test."""
        if settings != self.bluez.settings:
            # The kernel changes privacy only for an adapter that is off, as one is that has just been plugged in.
            if 'Privacy' in settings.configuration + self.bluez.settings.configuration:
                for number in list(self.air.adapters):
                    await self.air.unplug(number)
            await self.bluez.kill()
            await self.bluez.configure(settings)
        for number in range(ADAPTERS):
            if (number < settings.adapters) != (number in self.air.adapters):
                await (self.air.unplug if number in self.air.adapters else self.air.plug)(number)
        for number in range(settings.adapters):
            await self.bluez.make_powered(f'hci{number}')
        self.bluez.lines.clear()
        self.air.trace.clear()

    async def clear(self, everything: bool = False) -> None:
        """After a test: ends what it started; with `everything`, and where there were two adapters, bluetoothd ends
        too and forgets all devices."""
        # First their links: the kernel advertises again when one ends, also what bluetoothd is about to remove.
        for central in self.centrals:
            self.air.remove(central)
        await self.end_all()
        for blepera in self.served:
            await blepera.process.kill()
        self.cleared += 1
        self.exact, self.under = False, []
        self.strangers.clear()
        self.use_own_state()
        self.served.clear()
        self.centrals.clear()
        # A bluetoothd that is killed while it removes an advertisement can leave it on the controller for good.
        try:
            await self.air.until_silent(limit=2)
        except Failure:
            await self.air.unplug()
        # With two adapters bluetoothd remembers the names that it received and the devices that it paired with.
        if everything or len(self.air.adapters) > 1:
            await self.bluez.kill()
            await self.bluez.forget()
        elif await self.bluez.advertisements():
            # Advertisements of programs that have ended stay until bluetoothd ends; `prepare` starts it.
            await self.bluez.kill()

    def write_logs(self, folder: pathlib.Path) -> None:
        """The logs of a test: bluetoothd, the air, and each blepera."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / 'bluetoothd.txt').write_text('\n'.join(self.bluez.lines) + '\n')
        for number, blepera in enumerate(self.served, start=1):
            (folder / f'blepera-{number}.txt').write_text(f'$ {blepera.process}\n{blepera.process.text()}')
        self.air.trace.write(folder)


def path_of(profile: str) -> pathlib.Path:
    """A profile of the project by its name; a path in the micro-VM is itself."""
    return pathlib.Path(profile) if profile.startswith('/') else profile_path(profile)
