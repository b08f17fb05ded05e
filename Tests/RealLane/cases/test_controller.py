"""The phone on the controller itself, without bluetoothd: `--controller hci0` takes the adapter by the kernel's user
channel, and bluetoothd has it back, however phone and app end."""

import asyncio
import re
import time
from collections.abc import AsyncIterator

import pytest
from rig.blepera import Blepera
from rig.central import Central
from rig.errors import Failure
from rig.process import Process
from rig.stage import Stage

from .phone import RX, TX, WITHOUT_CAPABILITY, kill, phone_of, start_phone, until_app, until_status, values
from .test_exact_ends import kill as kill_processes
from .test_exact_rights import AS_NOBODY, become_nobody, processes
from .test_privacy import address_on_air
from .test_refusals import check_refusal

NAME, MEASUREMENT, LOCATION = 'heart-rate', '2A37', '2A38'
CONTROLLER = ('--controller', 'hci0')
ISSUE = 'taking an adapter depends on the kernel'
NET_ADMIN = 1 << 12
SILENT = 2.0  # seconds
# A program that has the user channel of hci0 until its input ends.
HOLDER = """
import ctypes, socket, struct, sys
channel = socket.socket(31, socket.SOCK_RAW, 1)
libc = ctypes.CDLL(None, use_errno=True)
failed = libc.bind(channel.fileno(), struct.pack('<HHH', 31, 0, 1), 6)
print(f'error {ctypes.get_errno()}' if failed else 'bound', flush=True)
sys.stdin.read()
"""


async def take(stage: Stage, name: str = NAME) -> Blepera:
    """Serves a profile on the adapter, which bluetoothd has not any more."""
    blepera = await stage.serve(name, *CONTROLLER)
    assert await stage.bluez.powered() is None, 'bluetoothd has the adapter still'
    return blepera


async def meet(stage: Stage) -> Central:
    """A new central that is connected to the phone's private address and knows all the attributes."""
    central = await stage.central()
    address = await address_on_air(stage, central)
    assert address.is_resolvable, f'on the air is {address}'
    await stage.air.connect(central, address=address)
    await central.discover()
    return central


async def check_given_back(stage: Stage) -> None:
    """Nothing of the phone is on the air, and bluetoothd works with the adapter."""
    await stage.air.until_silent(SILENT)
    await stage.bluez.until_powered()  # by AutoEnable
    shown = (await stage.vm.run('bluetoothctl', 'show')).text('out')
    assert re.search('Powered: yes', shown), f'bluetoothctl shows: {shown}'
    await stage.bluez.power(False)
    await stage.bluez.power(True)


async def keeper_of(stage: Stage, phone: int) -> int:
    """The child of the phone that keeps the right to the adapter."""
    lines = (await stage.vm.run('ps', '-o', 'pid=,args=', '--ppid', str(phone))).text('out')
    found = re.findall(r'(\d+) \S+ keep-adapter 0\n', lines)
    assert len(found) == 1, f'the children of the phone: {lines}'
    return int(found[0])


@pytest.mark.by_release(ISSUE)
async def test_taken_from_bluetoothd(stage: Stage):
    """A central meets the phone; bluetoothd has the adapter back after SIGTERM, and serves a phone then."""
    blepera = await take(stage)
    assert 'bluetoothd loses hci0' in blepera.process.text(), 'what is printed before the adapter is taken'
    central = await meet(stage)
    subscription = await central.subscribe(central.characteristic(MEASUREMENT))
    assert await central.read(central.characteristic(LOCATION)) and await subscription.next()
    phone = await phone_of(stage, blepera)
    await stage.vm.run('kill', '-TERM', str(phone), str(blepera.process.pid))
    await check_given_back(stage)
    await stage.end_all()
    await stage.serve(NAME)
    central = await stage.meet()
    assert await central.read(central.characteristic(LOCATION))


async def test_app_killed(stage: Stage):
    """The phone keeps the adapter, and starts the app for a central."""
    blepera = await take(stage, 'nordic-uart')
    central = await meet(stage)
    subscription = await central.subscribe(central.characteristic(TX))
    await kill(stage, blepera)
    assert await stage.bluez.powered() is None, 'bluetoothd has the adapter'
    await central.write(central.characteristic(RX), b'relaunched')
    await values(subscription, [b'relaunched'])
    await stage.ask('shutdown')
    await check_given_back(stage)


async def test_phone_killed(stage: Stage):
    """What serves starts the phone again, which takes the adapter again."""
    blepera = await take(stage)
    mark = blepera.mark
    await kill_processes(stage, await phone_of(stage, blepera))
    await blepera.until('advertising', after=mark)
    central = await meet(stage)
    assert await central.read(central.characteristic(LOCATION))
    await stage.end_all()
    await check_given_back(stage)


@pytest.mark.by_release(ISSUE)
async def test_phone_and_app_killed(stage: Stage):
    blepera = await take(stage)
    await kill_processes(stage, blepera.process.pid, await phone_of(stage, blepera))
    await check_given_back(stage)


@pytest.mark.by_release(ISSUE)
async def test_nobody_else_has_the_adapter(stage: Stage):
    """Without bluetoothd, the process that keeps the right ends what is on the air. When that is killed with the phone,
    the set stays until the next phone."""
    await stage.bluez.kill()
    blepera = await stage.serve(NAME, *CONTROLLER)
    await kill_processes(stage, blepera.process.pid, await phone_of(stage, blepera))
    await stage.air.until_silent(SILENT)

    phone = await start_phone(stage, *CONTROLLER)
    await until_on_air(stage)
    pid = phone.process.pid
    await kill_processes(stage, pid, await keeper_of(stage, pid))
    await asyncio.sleep(1)
    assert stage.air.on_air, 'nothing is on the air, though nobody has sent Reset'

    await start_phone(stage, *CONTROLLER)
    await until_on_air(stage)
    central = await meet(stage)
    await central.disconnect()
    await stage.ask('shutdown')
    await stage.air.until_silent(SILENT)
    await stage.bluez.start()
    await check_given_back(stage)


async def until_on_air(stage: Stage, limit: float = 10) -> None:
    until = time.monotonic() + limit
    while not stage.air.on_air:
        if time.monotonic() > until:
            raise Failure(f'nothing is on the air after {limit:g} s')
        await asyncio.sleep(0.02)


async def test_keeper_killed(stage: Stage):
    """The phone works on, and bluetoothd has the adapter back when it ends."""
    blepera = await take(stage)
    phone = await phone_of(stage, blepera)
    await kill_processes(stage, await keeper_of(stage, phone))
    central = await meet(stage)
    assert await central.read(central.characteristic(LOCATION))
    await stage.ask('shutdown')
    await check_given_back(stage)


@pytest.mark.by_release(ISSUE)
async def test_unplugged_and_plugged(stage: Stage):
    """The phone has the adapter again before bluetoothd can use it."""
    await take(stage)
    central = await meet(stage)
    await stage.air.unplug()
    await asyncio.wait_for(central.lost.wait(), 10)
    await until_status(stage, lambda status: status['radio'] != 'poweredOn', 'that the radio is off', 5)
    await stage.air.plug()
    await until_status(stage, lambda status: status['radio'] == 'poweredOn', 'that the radio is on', 10)
    await until_on_air(stage)
    assert await stage.bluez.powered() is None, 'bluetoothd has the adapter'
    central = await meet(stage)
    assert await central.read(central.characteristic(LOCATION))
    await stage.ask('shutdown')
    await check_given_back(stage)


# Rights.


@pytest.mark.parametrize('who', ['user', 'root'])
async def test_nobody_has_a_capability_but_the_keeper(stage: Stage, who: str):
    """The phone has none, and an app that it starts has none; as a user the phone is started with CAP_NET_ADMIN alone, as
    its system unit does."""
    if who == 'user':
        stage.under = [*AS_NOBODY, '--inh-caps=+net_admin', '--ambient-caps=+net_admin']
        await become_nobody(stage)
    blepera = await take(stage, 'nordic-uart')
    phone = await phone_of(stage, blepera)
    keeper = await keeper_of(stage, phone)
    central = await meet(stage)
    subscription = await central.subscribe(central.characteristic(TX))
    await kill(stage, blepera)
    await central.write(central.characteristic(RX), b'relaunched')
    await values(subscription, [b'relaunched'])
    await until_app(stage, terminationCause=None)
    found = await processes(stage)
    sets = {pid: [one[kind] for kind in ('Prm', 'Eff', 'Inh', 'Amb')] for pid, one in found.items()}
    assert sets.pop(keeper) == [NET_ADMIN, NET_ADMIN, 0, 0], 'the capabilities of the keeper'
    assert len(sets) == 2 and phone in sets, f'the processes: {found}'
    assert list(sets.values()) == [[0, 0, 0, 0]] * 2, f'the capabilities of phone and app: {sets}'


@pytest.mark.parametrize('who', ['user', 'root'])
async def test_no_right(stage: Stage, who: str):
    stage.under = AS_NOBODY if who == 'user' else WITHOUT_CAPABILITY
    if who == 'user':
        await become_nobody(stage)
    await check_refusal(stage, *CONTROLLER, says='hci0 cannot be opened: .*CAP_NET_ADMIN.*; .*sudo')
    assert await stage.bluez.powered(), 'the adapter is off'


@pytest.mark.by_release(ISSUE)
async def test_another_network(stage: Stage):
    stage.under = ['unshare', '--net']
    await check_refusal(stage, *CONTROLLER, says='hci0 cannot be opened: .*network.*; .*--network host')
    assert await stage.bluez.powered(), 'the adapter is off'


async def test_no_such_adapter(stage: Stage):
    await check_refusal(stage, '--controller', 'hci7', says='hci7 cannot be opened: .*the machine has hci0; use hci0')


@pytest.mark.by_release(ISSUE)
async def test_blocked(stage: Stage):
    await block(stage, True)
    try:
        await check_refusal(stage, *CONTROLLER, says='hci0 cannot be opened: .*rfkill.*; .*unblock')
    finally:
        await block(stage, False)
    await stage.bluez.make_powered()
    await take(stage)


async def block(stage: Stage, blocked: bool) -> None:
    script = 'for soft in /sys/class/rfkill/rfkill*/soft; do echo "$0" >"$soft" || exit; done'
    done = await stage.vm.run('sh', '-c', script, str(int(blocked)))
    assert done.status == 0, done.text()


@pytest.fixture
async def holder(stage: Stage) -> AsyncIterator[Process]:
    """Another program that has the user channel."""
    await stage.bluez.power(False)
    program = await stage.vm.start_program('python3', '-IS', '-c', HOLDER, terminal=True)
    await program.until(lambda: program.text(), 10, 'the user channel')
    assert program.text().strip() == 'bound', program.text()
    yield program
    await program.kill()
    await stage.bluez.make_powered()


@pytest.mark.by_release(ISSUE)
async def test_busy(stage: Stage, holder: Process):
    await check_refusal(stage, *CONTROLLER, says='hci0 cannot be opened: another program has .*user channel')
    await holder.kill()
    await stage.bluez.make_powered()
    await take(stage)
    await stage.ask('shutdown')
    await check_given_back(stage)
