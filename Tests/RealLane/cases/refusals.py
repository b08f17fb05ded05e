"""What blepera refuses, and the reasons that it gives; and what others are refused by it."""

import re
from signal import SIGKILL

from rig.errors import expect, expect_equal
from rig.process import Process
from rig.runner import case
from rig.stage import Stage, profile_path

from . import every_kind as kind


async def check_refusal(stage: Stage, *words: str, says: str, env: dict[str, str] | None = None) -> None:
    """It ends by itself, in a moment, with a status of its own and one clear message."""
    blepera = await stage.run('serve', *words, str(profile_path('heart-rate')), env=env)
    status = await blepera.process.wait(10)
    said = blepera.process.text('err')
    expect(0 < status < 125, f'the exit status is {status}')
    expect(re.search(says, said, re.IGNORECASE), f'the message does not speak of "{says}": {said.strip() or "nothing"}')
    expect(len(said.strip().splitlines()) <= 3, f'more than three lines of message: {said}')


@case('the adapter is off: refused with the reason, and served with --power-on')
async def powered_off(stage: Stage):
    await stage.bluez.power(False)
    await check_refusal(stage, says='hci0.*off|off.*hci0')
    await stage.serve('every-kind', '--power-on')
    expect(await stage.bluez.powered(), 'the adapter is still off')
    central = await stage.meet()
    expect(await central.read(central.characteristic(kind.COUNTER)), 'an empty value')


@case('there is no such adapter: refused with its name; hci0 by name is served')
async def unknown_adapter(stage: Stage):
    await check_refusal(stage, '--adapter', 'hci9', says='hci9')
    await stage.serve('every-kind', '--adapter', 'hci0')
    await stage.meet()


@case('there is no adapter at all: refused with the reason')
async def no_adapter(stage: Stage):
    await stage.air.unplug()
    await check_refusal(stage, says='adapter')


@case('there is no bluetoothd: refused with the reason')
async def no_daemon(stage: Stage):
    await stage.bluez.kill()
    await check_refusal(stage, says='bluetoothd')


@case('there is no system bus: refused with the reason')
async def no_bus(stage: Stage):
    await check_refusal(stage, says='bus', env={'DBUS_SYSTEM_BUS_ADDRESS': 'unix:path=/run/nowhere'})


@case('every advertising instance is taken: refused with the reason')
async def no_instance(stage: Stage):
    others: list[Process] = []
    try:
        while await is_registered(other := await advertise(stage)):
            others.append(other)
        others.append(other)
        expect(len(others) > 1, 'not even one advertisement is registered')
        await check_refusal(stage, says='advertis')
    finally:
        for other in others:
            other.signal(SIGKILL)


async def advertise(stage: Stage) -> Process:
    """Another program that advertises."""
    return await stage.vm.start_program('bluetoothctl', terminal=True, type='advertise on\n')


async def is_registered(other: Process) -> bool:
    answers = 'Advertising object registered|Failed to register advertisement'
    said = await other.until(lambda: re.search(answers, other.text()), 20, 'an answer to "advertise on"')
    return 'Failed' not in said.group()


@case('an ordinary user serves as well as root')
async def ordinary_user(stage: Stage):
    copies = '/run/ordinary'
    await stage.vm.run('install', '-D', '-m', '755', stage.binary, f'{copies}/blepera')
    await stage.vm.run('install', '-D', '-m', '644', profile_path('every-kind'), f'{copies}/every-kind.plist')
    await stage.vm.run('install', '-d', '-m', '700', '-o', 'nobody', f'{copies}/own')
    process = await stage.vm.start_program(
        *('setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'),
        *(f'{copies}/blepera', 'serve', '--json', f'{copies}/every-kind.plist'),
        env={'XDG_STATE_HOME': f'{copies}/own', 'XDG_RUNTIME_DIR': f'{copies}/own'},
    )
    blepera = stage.adopt(process)
    await blepera.until('advertising')
    central = await stage.meet()
    await central.write(central.characteristic(kind.ECHO), b'hello')
    expect_equal(await central.read(central.characteristic(kind.ECHO)), b'hello', 'the value')


@case('calls from anyone but bluetoothd are refused')
async def strangers(stage: Stage):
    blepera = await stage.serve('every-kind')
    bus = await stage.vm.start_program('dbus-monitor', '--system', "member='ReadValue'")
    await bus.until(lambda: 'NameAcquired' in bus.text() or 'NameLost' in bus.text(), 10, 'the start of dbus-monitor')
    central = await stage.meet()
    await central.read(central.characteristic(kind.COUNTER))
    call = await bus.until(
        lambda: re.search(r'method call .* destination=(\S+) .* path=(\S+); .* member=ReadValue', bus.text()),
        10,
        'a call of bluetoothd',
    )
    bus.signal(SIGKILL)
    name, path = call.groups()
    for method, *arguments in (
        ('org.bluez.GattCharacteristic1.ReadValue', '@a{sv} {}'),
        ('org.bluez.GattCharacteristic1.WriteValue', '[byte 1]', '@a{sv} {}'),
        ('org.bluez.GattCharacteristic1.StartNotify',),
    ):
        called = await stage.vm.run(
            *('gdbus', 'call', '--system', '--dest', name, '--object-path', path, '--method', method), *arguments
        )
        said = called.text().strip()
        expect('AccessDenied' in said, f'{method} from a stranger gets: {said}')
        expect('Rejected send message' not in said, f'the bus itself refuses {method}, so this proves nothing: {said}')
    written = [event for event in blepera.events if event['event'] == 'write']
    expect(not written, f'the write of a stranger had an effect: {written}')
