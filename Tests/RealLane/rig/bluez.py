"""The system bus and bluetoothd in the micro-VM, as Debian ships and configures them."""

import asyncio
import re
import time
from dataclasses import dataclass
from signal import SIGKILL, SIGTERM

from .air import Air
from .errors import RigError
from .process import Process
from .vm import VM

DAEMON = '/usr/libexec/bluetooth/bluetoothd'
ADAPTER = 'hci0'  # which the program under test has
INITIALIZED = 'Bluetooth management interface'  # which bluetoothd logs when it starts, once it is on the bus


CONFIGURATION = '/etc/bluetooth/main.conf'
# The configuration that `blepera doctor` advises for bluetoothd 5.66.
RECOMMENDED = """[General]
ControllerMode = le
ReverseServiceDiscovery = false
[GATT]
Channels = 1
[Policy]
AutoEnable = true
"""


@dataclass(frozen=True)
class Settings:
    """The settings of bluetoothd, and the number of adapters."""

    experimental: bool = False  # -E
    respawns: bool = False  # started again whenever it ends, as a service manager does
    configuration: str = ''  # main.conf; Debian's where empty
    adapters: int = 1


class BlueZ:
    def __init__(self, vm: VM, settings: Settings = Settings()):
        self.vm, self.settings = vm, settings
        self.bus: Process | None = None
        self.daemon: Process | None = None
        self.lines: list[str] = []  # what it logged
        self.shipped: str | None = None  # main.conf, as Debian ships it
        self.root = str(vm.image.root or '')  # of bluetoothd, where it is not that of the VM

    async def set_up(self, air: Air) -> None:
        """Starts bluetoothd, and returns when the adapters are powered on."""
        bus = asyncio.create_task(self.start_bus())
        if self.root:
            await self.mount()
        for number in range(self.settings.adapters):
            await air.plug(number)
        await bus
        await self.start()
        for number in range(self.settings.adapters):
            await self.until_powered(adapter=f'hci{number}')

    async def mount(self) -> None:
        """Gives the root of bluetoothd what it shares with everything else: its configuration, and all that changes."""
        shared = [(f'/{name}', f'{self.root}/{name}') for name in ('proc', 'sys', 'dev', 'run', 'var/lib/bluetooth')]
        for here, there in [*shared, (f'{self.root}/etc/bluetooth', '/etc/bluetooth')]:
            done = await self.vm.run('sh', '-c', 'mkdir -p "$1" && mount --rbind "$0" "$1"', here, there)
            if done.status:
                raise RigError(f'{there} cannot be mounted for bluetoothd: {done.text().strip()}')

    async def start_bus(self) -> None:
        await self.vm.run('mkdir', '-p', '/run/dbus')
        await self.vm.run('rm', '-f', '/run/dbus/pid', '/run/dbus/system_bus_socket')
        bus = self.bus = await self.vm.start_program('dbus-daemon', '--system', '--nofork', '--nosyslog')
        until = time.monotonic() + 20
        while (await self.vm.run('test', '-S', '/run/dbus/system_bus_socket')).status:
            if time.monotonic() > until or bus.status is not None:
                raise RigError(f'the system bus does not start in the micro-VM: {bus.text().strip() or "no output"}')

    async def configure(self, settings: Settings) -> None:
        """Changes how bluetoothd runs; it must not run yet."""
        if self.shipped is None:
            self.shipped = (await self.vm.run('cat', CONFIGURATION)).text('out')
        if settings.configuration != self.settings.configuration:
            text = settings.configuration or self.shipped
            await self.vm.run('sh', '-c', 'printf %s "$1" >"$0"', CONFIGURATION, text)
        self.settings = settings

    # The daemon.

    async def start(self) -> None:
        """Starts bluetoothd, without waiting for it to be there."""
        words = ['chroot', self.root, DAEMON] if self.root else [DAEMON]
        words += ['-n', *(['-E'] if self.settings.experimental else [])]
        if self.settings.respawns:
            # With -E plugins register services of LE Audio and others: vcp of 5.66 crashes when a link ends, bass and
            # rap of later releases ask for encryption, which pairs the two adapters by itself.
            words += ['-P', 'asha,bap,bass,ccp,csip,gmap,mcp,micp,rap,tmap,vcp']
            words = ['sh', '-c', 'while :; do "$@"; sleep 0.1; done', 'sh', *words]
        self.daemon = await self.vm.start_program(*words, on_line=lambda line: self.lines.append(line.text))

    @property
    def version(self) -> str:
        """The version that bluetoothd logs when it starts."""
        found = self.daemon and re.search(r'Bluetooth daemon (\S+)', self.daemon.text())
        return found.group(1) if found else 'of unknown version'

    async def restart(self) -> None:
        """Kills it and starts it, up to an adapter that is powered on."""
        await self.kill()
        await self.start()
        await self.until_powered()

    async def kill(self) -> None:
        await self.end(SIGKILL)

    async def stop(self) -> None:
        await self.end(SIGTERM)

    async def end(self, signal) -> None:
        if self.daemon:
            self.daemon.signal(signal)
            await self.daemon.wait()
            if self.settings.respawns:  # the signal was for the shell
                await self.vm.sweep('bluetoothd')
            self.daemon = None

    async def pid(self) -> int | None:
        """The process of bluetoothd; None where there is none."""
        found = (await self.vm.run('pidof', 'bluetoothd')).text('out').split()
        return int(found[0]) if found else None

    @property
    def crash(self) -> str | None:
        """The reason that bluetoothd does not run, if it ended by itself."""
        if self.daemon is None or self.daemon.status is None:
            return None
        logged = self.daemon.text().strip().splitlines() or ['nothing']
        return f'bluetoothd ended by itself with status {self.daemon.status}; it logged last: {logged[-1]}'

    async def forget(self) -> None:
        """Takes away every bond; bluetoothd must not run."""
        await self.vm.run('bash', '-c', 'rm -rf /var/lib/bluetooth/*')

    # The adapter.

    async def powered(self, adapter: str = ADAPTER) -> bool | None:
        """Whether the adapter is powered; None if there is no adapter, or no bluetoothd."""
        got = await self.vm.run(
            *('dbus-send', '--system', '--print-reply=literal', '--dest=org.bluez', f'/org/bluez/{adapter}'),
            *('org.freedesktop.DBus.Properties.Get', 'string:org.bluez.Adapter1', 'string:Powered'),
        )
        return None if got.status else 'true' in got.text()

    async def advertisements(self, adapter: str = ADAPTER) -> int:
        """The number of advertisements that bluetoothd counts; 0 if there is no adapter, or no bluetoothd."""
        if self.daemon is None:
            return 0
        got = await self.vm.run(
            *('dbus-send', '--system', '--print-reply=literal', '--dest=org.bluez', f'/org/bluez/{adapter}'),
            'org.freedesktop.DBus.Properties.Get',
            *('string:org.bluez.LEAdvertisingManager1', 'string:ActiveInstances'),
        )
        return 0 if got.status else int(got.text('out').split()[-1])

    async def until_powered(self, powered: bool = True, limit: float = 20, adapter: str = ADAPTER) -> None:
        until = time.monotonic() + limit
        # Before it has its name on the bus, each question makes the bus try to start a service.
        if self.daemon:
            await self.daemon.until(lambda: self.crash or INITIALIZED in self.daemon.text(), limit, f'"{INITIALIZED}"')
        while (now := await self.powered(adapter)) is not powered:
            if self.crash:
                raise RigError(self.crash)
            if time.monotonic() > until:
                state = {None: 'missing', True: 'on', False: 'off'}
                raise RigError(f'{adapter} is {state[now]} after {limit:g} s and should be {state[powered]}')
            await asyncio.sleep(0.1)

    async def make_powered(self, adapter: str = ADAPTER) -> None:
        """Powers an adapter on, whatever its state. bluetoothd powers a new adapter on by itself (AutoEnable), but not
        one that was switched off; and it may just have crashed."""
        for _ in range(2):
            if self.daemon is None or self.crash:
                await self.start()
            powered = await self.powered(adapter)
            if powered:
                return
            if powered is False:
                await self.power(True, adapter)
            try:
                return await self.until_powered(adapter=adapter)
            except RigError:
                if not self.crash:
                    raise
        raise RigError(self.crash or 'bluetoothd does not run')

    async def power(self, on: bool, adapter: str = ADAPTER) -> None:
        done = await self.vm.run(
            *('dbus-send', '--system', '--print-reply', '--dest=org.bluez', f'/org/bluez/{adapter}'),
            *('org.freedesktop.DBus.Properties.Set', 'string:org.bluez.Adapter1', 'string:Powered'),
            f'variant:boolean:{"true" if on else "false"}',
        )
        if done.status:
            raise RigError(f'{adapter} does not switch {"on" if on else "off"}: {done.text().strip()}')
        await self.until_powered(on, adapter=adapter)
