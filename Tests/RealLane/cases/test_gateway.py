"""bluetoothd as the gateway: its kernel is attached to the HCI of a lab on this machine, and meets the emulated iPhone
over the virtual air. The virtual bluetoothd of a lab is the gateway in the same cases.
"""

import asyncio
import json
import pathlib
import re
import sys
import tempfile
import time
from collections.abc import Callable

import pytest
from blepera_tests.paths import ROOT, profile_path
from rig.errors import Failure
from rig.lab import Lab
from rig.process import Process
from rig.releases import chosen
from rig.requests import requests
from rig.stage import Stage
from rig.trace import COMMAND, DATA_OF_KERNEL, EVENT

from . import every_kind as kind

pytestmark = pytest.mark.bluetoothd(adapters=0)

PROGRAM = ROOT / 'Tests/RealLane/apps/gateway.py'
HEART_RATE = '0000180d-0000-1000-8000-00805f9b34fb'
OVERFLOW = '01' + '00000000000000200000000000000000'  # bit 61
# The beginnings of HCI packets, and of frames of the Security Manager's channel.
DISCONNECTION_COMPLETE, ENCRYPTION_CHANGE, PAIRING_REQUEST = b'\x05', b'\x08', b'\x06\x00\x01'
POWER_OFF = 0x15
# Commands and an event of BR/EDR.
CREATE_CONNECTION, CONNECTION_COMPLETE, PAGE_TIMEOUT = b'\x05\x04', b'\x03', 0x04
DISCONNECT, BY_HOST = b'\x06\x04', 0x16
PAGE = 5.12  # seconds until a page times out


def of_mode(mode: str, *marks):
    settings = pytest.mark.bluetoothd(adapters=0, configuration=f'[General]\nControllerMode = {mode}\n')
    return pytest.param(mode, marks=[settings, *marks])


SHORT_LIVED = 'bluetoothd 5.66 does not outlive the end of a page'
DUAL = pytest.mark.skipif(chosen().version == '5.66', reason=SHORT_LIVED), pytest.mark.by_release(SHORT_LIVED)


class Gateway:
    has_kernel = True

    def __init__(self, stage: Stage, lab: Lab):
        self.stage, self.lab = stage, lab

    async def start(self, *profiles: str, options: tuple[str, ...] = (), controller: str = '') -> None:
        """A phone on the air, and an adapter that is powered on."""
        self.phone = await self.lab.start(*profiles, options=options, controller=controller)
        self.stage.served.append(self.phone)
        await self.phone.until('advertising')
        await self.lab.attach(self.stage.air.ports[0])
        await self.stage.vm.plug(0, True)
        await self.stage.bluez.start()
        await self.stage.bluez.until_powered()

    async def close(self) -> None:
        await self.stage.bluez.kill()
        await self.stage.bluez.forget()
        await self.stage.vm.plug(0, False)
        await self.lab.close()

    async def run(self, *words: object) -> Process:
        return await self.stage.vm.start_program(*words)

    async def bleak(self, *operations: list) -> 'Answers':
        return Answers(await self.run(sys.executable, PROGRAM, json.dumps(operations)))

    async def paths(self) -> set[str]:
        """The paths of the phone's attributes, from the device's path on."""
        method = 'org.freedesktop.DBus.ObjectManager.GetManagedObjects'
        process = await self.run('dbus-send', '--system', '--print-reply', '--dest=org.bluez', '/', method)
        await process.wait()
        objects = process.text('out')
        return set(re.findall(r'object path "/org/bluez/hci0/dev_\w{17}/(\S+)"', objects))

    async def until_paths(self, wanted: Callable[[set[str]], bool], limit: float = 20) -> None:
        until = time.monotonic() + limit
        while not wanted(found := await self.paths()):
            if time.monotonic() > until:
                raise Failure(f'the attributes are {sorted(found)} after {limit:g} s')

    def packets(self, kind: int, start: bytes, at: int = 0) -> list[bytes]:
        """The HCI packets of this kind that have these octets there."""
        records = self.stage.air.trace.records
        return [data for flags, _, data in records if flags & 0xFF == kind and data.startswith(start, at)]

    def reasons(self) -> list[int]:
        """The reasons for which connections ended."""
        return [data[5] for data in self.packets(EVENT, DISCONNECTION_COMPLETE)]


class VirtualGateway(Gateway):
    """The lab's own bluetoothd, and programs on this machine."""

    has_kernel = False

    def __init__(self, lab: Lab):
        self.lab, self.programs = lab, []

    async def start(self, *profiles: str, options: tuple[str, ...] = ()) -> None:
        self.phone = await self.lab.start(*profiles, options=options)
        await self.phone.until('advertising')

    async def close(self) -> None:
        for program in self.programs:
            await program.kill()
        await self.lab.close()

    async def run(self, *words: object) -> Process:
        self.programs.append(await self.lab.run(*words))
        return self.programs[-1]


class Answers:
    """The results of the operations of a program with Bleak."""

    def __init__(self, process: Process):
        self.process, self.taken = process, 0

    async def next(self):
        def look():
            lines = [line.text for line in self.process.lines if line.stream == 'out']
            return lines[self.taken :] or self.process.status is not None

        lines = await self.process.until(look, 30, f'answer {self.taken + 1} of Bleak')
        assert lines is not True, self.process.text()
        self.taken += 1
        return json.loads(lines[0])


@pytest.fixture
async def gateway(stage: Stage):
    with tempfile.TemporaryDirectory(prefix='blepera-hci-') as folder:
        gateway = Gateway(stage, Lab(stage.binary, pathlib.Path(folder)))
        try:
            yield gateway
        finally:
            await gateway.close()


@pytest.fixture
def of_5_66() -> None:
    """For what plays the virtual bluetoothd, which asks what 5.66 asks."""
    if chosen().version != '5.66':
        pytest.skip('played beside 5.66')


async def foreground(gateway: Gateway):
    await gateway.start('heart-rate')
    bleak = await gateway.bleak(['find', HEART_RATE], ['connect'], ['read', '2a38'], ['notify', '2a37', 2], ['end'])
    assert await bleak.next() == ['Heart Rate', [HEART_RATE], {}], 'what is found by its service'
    found = await bleak.next()
    assert (found['257'], found['260']) == tuple(f'00002a3{n}-0000-1000-8000-00805f9b34fb' for n in (7, 8)), 'handles'
    assert await bleak.next() == '01', 'the value'
    assert all(value.startswith('06') for value in await bleak.next()), 'the notifications'
    await gateway.phone.until('subscribed', characteristic='2A37')
    await gateway.lab.ask('bluetooth', 'off')
    assert await bleak.next() is None, 'the end of the connection'
    if gateway.has_kernel:
        assert gateway.reasons() == [POWER_OFF], 'the reason that the kernel receives'


async def background(gateway: Gateway):
    """Manufacturer data alone; `examples/gateway` finds the phone by it."""
    await gateway.start('heart-rate', options=('--background',))
    bleak = await gateway.bleak(['find'])
    assert await bleak.next() == [None, [], {'76': OVERFLOW}], 'what is found'
    example = await gateway.run(sys.executable, ROOT / 'examples/gateway/gateway.py')
    await example.until(lambda: 'beats per minute' in example.text('out'), 30, 'a beat of the example')
    await example.kill()


async def values(gateway: Gateway):
    """Long values, and each way to write and to be notified."""
    await gateway.start('every-kind')
    long, short = bytes(range(200)).hex(), 'abcd'
    bleak = await gateway.bleak(
        *(['find'], ['connect'], ['read', kind.LONG_READ], ['write', kind.ECHO, long], ['read', kind.ECHO]),
        *(['write', kind.COMMAND, short, False], ['read', kind.COMMAND], ['notify', kind.COUNTER, 3]),
    )
    await bleak.next()
    found = await bleak.next()
    assert {uuid: int(number) for number, uuid in found.items()}[kind.ECHO.lower()] == 0x0103, 'a handle'
    assert len(await bleak.next()) == 2 * 512, 'the length of a long value'
    assert await bleak.next() is None and await bleak.next() == long, 'a long value that was written'
    assert await bleak.next() is None and await bleak.next() == short, 'what a command wrote'
    first, second, third = [int.from_bytes(bytes.fromhex(value), 'little') for value in await bleak.next()]
    assert (second, third) == (first + 1, first + 2), 'the values of a counter'


async def services_change(gateway: Gateway):
    """Service Changed makes bluetoothd discover again, while the connection stays."""
    await gateway.start('nordic-uart')
    bleak = await gateway.bleak(['find'], ['connect'], ['end'])
    await bleak.next()
    assert {'257', '259'} <= set(await bleak.next()), 'the handles'
    uart = {'service0100', 'service0100/char0101', 'service0100/char0103'}
    assert uart <= await gateway.paths()
    await gateway.lab.ask('quit')
    await gateway.until_paths(lambda found: not uart & found)
    await gateway.lab.ask('launch')
    await gateway.until_paths(lambda found: uart <= found)
    assert bleak.process.status is None, 'the connection'
    if gateway.has_kernel:
        assert gateway.reasons() == [], 'the connection of the kernel'


async def pairing(gateway: Gateway):
    """The kernel pairs where a value requires it, and encrypts the next connection with the key."""
    await gateway.start('every-kind')
    use = ['connect'], ['read', kind.SECRET]
    bleak = await gateway.bleak(['agree'], ['find'], *use, ['disconnect'], *use)
    answers = [await bleak.next() for _ in range(7)]
    assert [answers[3], answers[6]] == [b'secret'.hex()] * 2, 'the value over both connections'
    if gateway.has_kernel:
        assert [data[2] for data in gateway.packets(EVENT, ENCRYPTION_CHANGE)] == [0, 0], 'how the links were encrypted'
        assert len(gateway.packets(DATA_OF_KERNEL, PAIRING_REQUEST, at=6)) == 1, 'the number of pairings'


PLAYED_ONCE = pytest.mark.by_release('played beside 5.66 alone')
CASES = [foreground, background, values, services_change, pairing]


@pytest.mark.parametrize('case', CASES)
async def test_real(gateway: Gateway, case):
    await case(gateway)


@PLAYED_ONCE
@pytest.mark.parametrize('case', CASES)
async def test_virtual(of_5_66, blepera, tmp_path, case):
    gateway = VirtualGateway(Lab(pathlib.Path(blepera), tmp_path))
    try:
        await case(gateway)
    finally:
        await gateway.close()


@pytest.mark.parametrize('mode', [of_mode('dual', *DUAL), of_mode('le')])
async def test_dual_mode(gateway: Gateway, mode: str):
    """On an adapter with BR/EDR, bluetoothd pages the private address of a phone that it is connected to; nobody answers,
    and bluetoothd ends the healthy connection. With ControllerMode = le it pages nobody.
    """
    await gateway.start('heart-rate', controller=',dual')
    bleak = await gateway.bleak(['find', HEART_RATE], ['connect'], ['connect_again'], ['end'])
    for _ in range(3):
        await bleak.next()

    def pages() -> list[bytes]:
        return gateway.packets(COMMAND, CREATE_CONNECTION)

    async def until(condition: Callable[[], object], what: str) -> None:
        end = time.monotonic() + 4 * PAGE
        while not condition():
            assert time.monotonic() < end, f'there is no {what}'
            await asyncio.sleep(0.1)

    if mode == 'le':
        await asyncio.sleep(1.5 * PAGE)
        assert not pages() and not gateway.reasons() and bleak.process.status is None, 'the connection stays'
        return
    await until(pages, 'page')
    assert {page[8] & 0xC0 for page in pages()} == {0x40}, 'a resolvable private address is paged'
    await until(lambda: gateway.packets(EVENT, CONNECTION_COMPLETE), 'end of the page')
    assert gateway.packets(EVENT, CONNECTION_COMPLETE)[0][2] == PAGE_TIMEOUT
    await until(lambda: gateway.packets(COMMAND, DISCONNECT), 'Disconnect of the host')
    await until(gateway.reasons, 'end of the connection')
    assert gateway.reasons() == [BY_HOST]


USE = ['connect'], ['rest'], ['disconnect'], ['connect'], ['rest'], ['disconnect']


@PLAYED_ONCE
@pytest.mark.parametrize(('profile', 'options'), [('heart-rate', ()), ('every-kind', ('--phone-services',))])
async def test_requests(of_5_66, gateway: Gateway, tmp_path, profile, options):
    """The virtual bluetoothd sends the same requests to a phone over two connections as the real one, which pairs if a
    value, or the phone's battery, requires pairing.
    """
    use = [*USE[:1], ['read', kind.SECRET], *USE[1:]] if profile == 'every-kind' else USE
    operations = json.dumps([['agree'], ['find'], *use])
    real, virtual = tmp_path / 'real.pcap', tmp_path / 'virtual.pcap'
    await gateway.start(profile, options=(*options, '--pcap', str(real)))
    bleak = await gateway.stage.vm.start_program(sys.executable, PROGRAM, operations)
    assert await bleak.wait(40) == 0, bleak.text()
    words = [gateway.stage.binary, 'lab', '--quiet', '--serve', profile_path(profile), *options, '--pcap', virtual]
    lab = await asyncio.create_subprocess_exec(*words, '--', sys.executable, PROGRAM, operations)
    assert await lab.wait() == 0, 'the status of the lab'
    assert requests(virtual) == requests(real)
