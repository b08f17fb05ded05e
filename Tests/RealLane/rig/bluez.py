"""The system bus and bluetoothd in the micro-VM, as Debian ships and configures them."""

import asyncio
import time
from signal import SIGKILL, SIGTERM

from .air import Air
from .errors import RigError
from .process import Process
from .vm import VM

DAEMON = '/usr/libexec/bluetooth/bluetoothd'
ADAPTER = '/org/bluez/hci0'


class BlueZ:
    def __init__(self, vm: VM, experimental: bool = False):
        self.vm, self.experimental = vm, experimental
        self.daemon: Process | None = None
        self.log = open(vm.out / 'bluetoothd.txt', 'w')

    async def set_up(self, air: Air) -> None:
        """From nothing to an adapter that is powered on."""
        bus = asyncio.create_task(self.start_bus())
        await air.plug()
        await bus
        await self.start()
        await self.until_powered()

    async def start_bus(self) -> None:
        bus = await self.vm.start_program('bash', '-c', 'mkdir -p /run/dbus && exec dbus-daemon --system --nofork --nosyslog')
        until = time.monotonic() + 20
        while (await self.vm.run('test', '-S', '/run/dbus/system_bus_socket')).status:
            if time.monotonic() > until or bus.status is not None:
                raise RigError(f'the system bus does not start in the micro-VM: {bus.text().strip() or "no word"}')
        await self.vm.start_program('btmon', '-w', '/out/btmon.btsnoop')

    # The daemon.

    async def start(self) -> None:
        """Starts bluetoothd, without waiting for it to be there."""
        flags = ['-n', *(['-E'] if self.experimental else [])]
        self.daemon = await self.vm.start_program(
            DAEMON, *flags, hear=lambda line: print(line.text, file=self.log, flush=True)
        )

    async def kill(self) -> None:
        await self.end(SIGKILL)

    async def stop(self) -> None:
        await self.end(SIGTERM)

    async def end(self, signal) -> None:
        if self.daemon:
            self.daemon.signal(signal)
            await self.daemon.wait()
            self.daemon = None

    async def forget(self) -> None:
        """Takes away every bond; bluetoothd must not run."""
        await self.vm.run('bash', '-c', 'rm -rf /var/lib/bluetooth/*')

    # The adapter.

    async def powered(self) -> bool | None:
        """None where there is no adapter, or no bluetoothd."""
        got = await self.vm.run(
            *('dbus-send', '--system', '--print-reply=literal', '--dest=org.bluez', ADAPTER),
            *('org.freedesktop.DBus.Properties.Get', 'string:org.bluez.Adapter1', 'string:Powered'),
        )
        return None if got.status else 'true' in got.text()

    async def until_powered(self, powered: bool = True, limit: float = 20) -> None:
        until = time.monotonic() + limit
        while (now := await self.powered()) is not powered:
            if time.monotonic() > until:
                state = {None: 'missing', True: 'on', False: 'off'}
                raise RigError(f'the adapter is {state[now]} after {limit:g} s and should be {state[powered]}')
            await asyncio.sleep(0.05)

    async def power(self, on: bool) -> None:
        done = await self.vm.run(
            *('dbus-send', '--system', '--print-reply', '--dest=org.bluez', ADAPTER),
            *('org.freedesktop.DBus.Properties.Set', 'string:org.bluez.Adapter1', 'string:Powered'),
            f'variant:boolean:{"true" if on else "false"}',
        )
        if done.status:
            raise RigError(f'the adapter does not switch {"on" if on else "off"}: {done.text().strip()}')
        await self.until_powered(on)
