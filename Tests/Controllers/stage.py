"""The stage of a test: controllers on one air, the phone at one of them, and Bumble's centrals at the others."""

import asyncio
import contextlib
import json
import re
import secrets
import signal
import tempfile
import time
from collections.abc import Callable

import pytest
from blepera_tests.paths import profile_path
from bumble.device import Advertisement, Device
from bumble.hci import Address
from bumble.keys import MemoryKeyStore
from bumble.pairing import PairingConfig
from bumble.transport.common import Transport
from controllers import Controllers
from process import Process
from rig.advertising import Packet, Prediction
from rig.blepera import Blepera
from rig.central import Central, within
from rig.errors import Failure
from rig.peripheral import Peripheral

ALL = pytest.mark.parametrize('stage', ['rootcanal', 'bumble', 'lab'], indirect=True)
OF_SEVERAL = pytest.mark.parametrize('stage', ['rootcanal', 'lab'], indirect=True)  # with a controller for each of two centrals
ROOTCANAL = pytest.mark.parametrize('stage', ['rootcanal'], indirect=True)
FLAGS = bytes.fromhex('02011A')  # which begin each packet of an iPhone, and no other on these airs


class Stage:
    def __init__(self, blepera: str, controllers: Controllers, folder: str):
        self.binary, self.controllers = blepera, controllers
        self.env = {'BLEPERA_STATE_DIR': f'{folder}/state', 'XDG_RUNTIME_DIR': folder}
        self.phones: list[Blepera] = []
        self.under: list[str] = []  # what starts each phone, such as `strace`
        self.open = contextlib.AsyncExitStack()

    async def until(self, wanted: Callable[[], object], what: str, limit: float = 20) -> None:
        end = time.monotonic() + limit
        while not wanted():
            if time.monotonic() > end:
                raise Failure(f'{what} is not so after {limit:g} s')
            await asyncio.sleep(0.02)

    async def run(self, *words: str) -> Blepera:
        """Starts `blepera` where it reaches its controller, without waiting for anything."""
        is_first = all(one.process.status is not None for one in self.phones)
        if is_first and words[0] in ('serve', 'system'):  # a phone that runs has its controller
            words = (words[0], '--controller', self.controllers.place, *words[1:])
        process = await Process.start(self.controllers.words(*self.under, self.binary, *words), self.env)
        self.phones.append(Blepera(process))
        return self.phones[-1]

    async def serve(self, profile: str, *flags: str, until: str = 'advertising') -> Blepera:
        """Serves a profile up to an event, such as that it is on the air."""
        blepera = await self.run('serve', '--json', *flags, str(profile_path(profile)))
        await blepera.until(until)
        return blepera

    async def system(self, *flags: str) -> Blepera:
        """A phone without apps, of its own process."""
        phone = await self.run('system', '--json', *flags)
        await phone.until('poweredOn')
        return phone

    async def ask(self, *words: str) -> str:
        """Runs a command of the phone's user, and returns its output."""
        process = await Process.start([self.binary, *words], self.env)
        status = await process.wait()
        assert status == 0, f'"blepera {" ".join(words)}" ends with status {status}: {process.text()}'
        return process.text('out')

    async def status(self) -> dict:
        return json.loads(await self.ask('status', '--json'))

    async def move(self, blepera: Blepera, word: str) -> None:
        """Moves the app by a command of its name, up to the report of its state."""
        mark = blepera.mark
        await self.ask(word)
        await blepera.until('state', after=mark, state={'suspend': 'suspended'}.get(word, word))

    async def explain(self, profile: str) -> dict[str, frozenset[Packet]]:
        """The packets of an iPhone for each state of the app. The tag of Nearby Info is drawn by each phone."""
        process = await Process.start([self.binary, 'explain', '--json', str(profile_path(profile))])
        assert await process.wait() == 0, process.text()
        states = json.loads(process.text('out'))['states']
        return {one['state']: frozenset(map(Packet.untagged.fget, Prediction.of(one).iphone)) for one in states}

    async def shown(self, central: Central, wanted: frozenset[Packet]) -> None:
        """Until the phone's packets are these for a central that scans, byte for byte, and no other comes after the first."""
        if not self.controllers.has_scan_responses:
            wanted = frozenset(Packet(one.data, b'') for one in wanted)
        async with central.record_advertising() as reception:

            def packets() -> list[Packet]:
                heard = [one for one in reception.packets() if one.data.startswith(FLAGS)]
                if not self.controllers.has_scan_responses:
                    heard = [Packet(one.data, b'') for one in heard]
                return [one.untagged for one in heard]

            await reception.until(lambda: wanted <= set(packets()), 20, lambda: f'not {set(wanted)} but {set(packets())}')
            first = next(place for place, packet in enumerate(packets()) if packet in wanted)
            await reception.until(lambda: len(packets()) >= first + 4, 20, lambda: 'no four packets')
            assert set(packets()[first:]) == wanted

    async def device(self) -> tuple[Device, Transport]:
        """A host of Bumble's at a controller of its own, with an address that no other has."""
        transport = await self.open.enter_async_context(await self.controllers.central())
        own = ':'.join(f'{byte:02X}' for byte in secrets.token_bytes(5))
        device = Device.with_hci('device', Address(f'F0:{own}'), transport.source, transport.sink)
        device.keystore = MemoryKeyStore()
        return device, transport

    async def central(self) -> Central:
        device, transport = await self.device()
        await within(20, 'the start of a central', device.power_on())
        return Central(device, transport)

    async def peripheral(self, is_private: bool = False) -> Peripheral:
        """A lock; with private addresses it also requires a bond."""
        device, transport = await self.device()
        device.le_privacy_enabled, device.irk = is_private, secrets.token_bytes(16)
        identity = PairingConfig.AddressType.RANDOM
        device.pairing_config_factory = lambda _: PairingConfig(mitm=False, identity_address_type=identity)
        peripheral = Peripheral(device, transport, encrypts=is_private)
        await within(20, 'the start of a peripheral', device.power_on())
        return peripheral

    async def find(self, central: Central) -> Address:
        """The phone's address on the air."""

        def is_phone(advertisement: Advertisement) -> bool:
            return advertisement.is_connectable and bytes(advertisement.data).startswith(FLAGS)

        found = await central.next_advertisement(is_phone)
        if not found:
            raise Failure('the phone is not on the air')
        return found.address

    async def connect(self, central: Central, mtu: int = 517) -> None:
        """Connects, and discovers all attributes."""
        await central.connect(await self.find(central), mtu)
        await central.discover()

    async def meet(self, mtu: int = 517) -> Central:
        """A new central that is connected and has discovered all attributes."""
        central = await self.central()
        await self.connect(central, mtu)
        return central

    async def phone_of(self, blepera: Blepera) -> int:
        """The process of the phone that `serve` has started."""

        def look() -> list[str]:
            return re.findall(r'\(process (\d+)', blepera.process.text('err'))

        return int((await blepera.process.until(look, 10, 'the process of the phone'))[-1])

    async def close(self) -> None:
        # A phone that `serve` has started outlives an app that was killed.
        await (await Process.start([self.binary, 'shutdown'], self.env)).wait()
        for blepera in reversed(self.phones):
            blepera.process.signal(signal.SIGTERM)
            with contextlib.suppress(Failure):
                await blepera.process.wait(5)
            await blepera.process.kill()
        await self.open.aclose()
        await self.controllers.close()


@contextlib.asynccontextmanager
async def stage_at(blepera: str, make, **options):
    """A stage in a folder of its own, whose name is short, for the names of sockets."""
    with tempfile.TemporaryDirectory(prefix='blepera-', dir='/tmp') as folder:
        controllers = make(blepera, {'BLEPERA_STATE_DIR': f'{folder}/lab', 'XDG_RUNTIME_DIR': folder})
        stage = Stage(blepera, controllers, folder)
        try:
            await controllers.start()
            yield stage
        finally:
            await stage.close()
