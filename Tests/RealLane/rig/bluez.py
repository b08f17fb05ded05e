"""The system bus and bluetoothd in the micro-VM, as Debian ships and configures them."""

import asyncio
import re
import time
from signal import SIGKILL, SIGTERM

from .air import Air
from .errors import RigError
from .process import Process
from .vm import VM

DAEMON = '/usr/libexec/bluetooth/bluetoothd'
ADAPTER = 'hci0'  # which the program under test has


class BlueZ:
    def __init__(self, vm: VM, experimental: bool = False, again: bool = False):
        """With `again`, bluetoothd is started anew whenever it ends, as a service manager would."""
        self.vm, self.experimental, self.again = vm, experimental, again
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
        await self.vm.run('mkdir', '-p', '/run/dbus')
        bus = await self.vm.start_program('dbus-daemon', '--system', '--nofork', '--nosyslog')
        until = time.monotonic() + 20
        while (await self.vm.run('test', '-S', '/run/dbus/system_bus_socket')).status:
            if time.monotonic() > until or bus.status is not None:
                raise RigError(f'the system bus does not start in the micro-VM: {bus.text().strip() or "no word"}')
        # The text too, at once: btmon 5.66 crashes over its own trace when it reads one back.
        record = 'exec btmon -T -w /out/btmon.btsnoop >/out/btmon.txt'
        self.trace = await self.vm.start_program('sh', '-c', record)

    async def finish_trace(self) -> None:
        """Has btmon write out what it holds back."""
        self.trace.signal(SIGTERM)
        await self.trace.wait()

    # The daemon.

    async def start(self) -> None:
        """Starts bluetoothd, without waiting for it to be there."""
        words = [DAEMON, '-n', *(['-E'] if self.experimental else [])]
        if self.again:
            # Under -E the plugins of LE Audio have services of their own; vcp of 5.66 crashes when a link ends.
            words += ['-P', 'vcp,bap,mcp']
            words = ['sh', '-c', 'while :; do "$@"; sleep 0.1; done', 'sh', *words]
        self.daemon = await self.vm.start_program(
            *words, hear=lambda line: print(line.text, file=self.log, flush=True)
        )

    @property
    def version(self) -> str:
        """As bluetoothd says it when it starts."""
        found = self.daemon and re.search(r'Bluetooth daemon (\S+)', self.daemon.text())
        return found.group(1) if found else 'of unknown version'

    async def restart(self, experimental: bool | None = None) -> None:
        """Kills it and starts it, up to an adapter that is powered on; with or without -E where that is said."""
        await self.kill()
        if experimental is not None:
            self.experimental = experimental
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
            self.daemon = None

    @property
    def crash(self) -> str | None:
        """What bluetoothd said last, if it ended by itself."""
        if self.daemon is None or self.daemon.status is None:
            return None
        said = self.daemon.text().strip().splitlines() or ['none']
        return f'bluetoothd ended by itself with status {self.daemon.status}; its last words: {said[-1]}'

    async def forget(self) -> None:
        """Takes away every bond; bluetoothd must not run."""
        await self.vm.run('bash', '-c', 'rm -rf /var/lib/bluetooth/*')

    # The adapter.

    async def powered(self, adapter: str = ADAPTER) -> bool | None:
        """None where there is no adapter, or no bluetoothd."""
        got = await self.vm.run(
            *('dbus-send', '--system', '--print-reply=literal', '--dest=org.bluez', f'/org/bluez/{adapter}'),
            *('org.freedesktop.DBus.Properties.Get', 'string:org.bluez.Adapter1', 'string:Powered'),
        )
        return None if got.status else 'true' in got.text()

    async def until_powered(self, powered: bool = True, limit: float = 20, adapter: str = ADAPTER) -> None:
        until = time.monotonic() + limit
        while (now := await self.powered(adapter)) is not powered:
            if self.crash:
                raise RigError(self.crash)
            if time.monotonic() > until:
                state = {None: 'missing', True: 'on', False: 'off'}
                raise RigError(f'{adapter} is {state[now]} after {limit:g} s and should be {state[powered]}')
            await asyncio.sleep(0.05)

    async def make_powered(self) -> None:
        """Whatever state it is in. bluetoothd powers a new adapter on by itself (AutoEnable), but not one that was
        switched off; and it may just have crashed."""
        for _ in range(2):
            if self.daemon is None or self.crash:
                await self.start()
            if await self.powered() is False:
                await self.power(True)
            try:
                return await self.until_powered()
            except RigError:
                if not self.crash:
                    raise
        raise RigError(self.crash or 'bluetoothd does not run')

    async def power(self, on: bool) -> None:
        done = await self.vm.run(
            *('dbus-send', '--system', '--print-reply', '--dest=org.bluez', f'/org/bluez/{ADAPTER}'),
            *('org.freedesktop.DBus.Properties.Set', 'string:org.bluez.Adapter1', 'string:Powered'),
            f'variant:boolean:{"true" if on else "false"}',
        )
        if done.status:
            raise RigError(f'{ADAPTER} does not switch {"on" if on else "off"}: {done.text().strip()}')
        await self.until_powered(on)
