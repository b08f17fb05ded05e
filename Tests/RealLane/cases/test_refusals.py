"""The refusals of `serve`, and the reports of `doctor`."""

import re
from signal import SIGKILL

import pytest
from blepera_tests.paths import profile_path
from rig.process import Process
from rig.bluez import RECOMMENDED
from rig.stage import Stage

from . import every_kind as kind
from .phone import WITHOUT_CAPABILITY


async def check_refusal(stage: Stage, *words: str, says: str, env: dict[str, str] | None = None) -> None:
    """`serve` ends by itself with a message."""
    blepera = await stage.run('serve', *words, str(profile_path('heart-rate')), env=env)
    status = await blepera.process.wait(10)
    said = blepera.process.text('err')
    assert 0 < status < 125, f'the exit status is {status}'
    assert re.search(says, said, re.IGNORECASE), f'the message does not match "{says}": {said.strip() or "nothing"}'
    assert len(said.strip().splitlines()) <= 3, f'more than three lines of message: {said}'


async def test_adapter_powered_off(stage: Stage):
    """Refused with the reason, and served with `--power-on`."""
    await stage.bluez.power(False)
    await check_refusal(stage, says='hci0.*off|off.*hci0')
    await stage.serve('every-kind', '--power-on')
    assert await stage.bluez.powered(), 'the adapter is still off'
    central = await stage.meet()
    assert await central.read(central.characteristic(kind.COUNTER)), 'an empty value'


async def test_no_free_advertising_instance(stage: Stage):
    others: list[Process] = []
    try:
        while await is_registered(other := await advertise(stage)):
            others.append(other)
        others.append(other)
        assert len(others) > 1, 'not even one advertisement is registered'
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


async def test_ordinary_user(stage: Stage):
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
    assert await central.read(central.characteristic(kind.ECHO)) == b'hello', 'the value'


async def test_calls_of_other_programs(stage: Stage):
    """Only bluetoothd may call the objects."""
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
        assert 'AccessDenied' in said, f'{method} by another program gets: {said}'
        assert 'Rejected send message' not in said, f'the bus itself refuses {method}, so this proves nothing: {said}'
    written = [event for event in blepera.events if event['event'] == 'write']
    assert not written, f'the write of another program had an effect: {written}'


async def check_doctor(stage: Stage, status: int, *wanted: str) -> list[str]:
    """Checks the exit status of `doctor`, and a line for each of these patterns; returns all lines."""
    blepera = await stage.run('doctor')
    assert await blepera.process.wait(20) == status, 'the exit status'
    lines = blepera.process.text('out').splitlines()
    for pattern in wanted:
        assert any(re.search(pattern, line) for line in lines), f'no line of the doctor matches "{pattern}": {lines}'
    return lines


@pytest.mark.by_release('doctor names what the release lacks')
async def test_doctor_of_a_working_machine(stage: Stage):
    version = stage.bluez.version.replace('.', '\\.')
    older = ['^note .*intervals .*sets the adapter.*other programs', '^ok .*kernel ', '510 bytes.* \\(fixed in 5\\.69\\)']
    page = ['^note .*faults .*pages the private address .*ControllerMode = le'] if stage.minor < 88 else []
    await check_doctor(
        stage,
        0,
        '^ok .*message bus .*reachable',
        f'^ok .*bluetoothd .*{version}',
        '^ok .*hci0 .*powered on',
        '^ok .*advertising .*3 free instances on hci0',
        '^ok .*exact .*--exact',
        '^ok .*controller .*--controller hci0 takes the adapter, powered on',
        f'^note .*pairing .*{"Client = false" if stage.minor >= 82 else "ReverseServiceDiscovery = false"}',
        f'^Limitations of bluetoothd {version}',
        '^  R1   The Flags are 06',
        *(older if stage.minor < 69 else []),
        *page,
    )


@pytest.mark.by_release('doctor names what the release lacks')
async def test_doctor_without_the_right_to_use_the_kernel(stage: Stage):
    """doctor names the missing resource: the capability, or the network of the machine."""
    older = ['^note .*intervals .*1280 ms.*CAP_NET_ADMIN.*-E'] if stage.minor < 77 else []
    stage.under = WITHOUT_CAPABILITY
    await check_doctor(stage, 0, '^note .*exact .*CAP_NET_ADMIN', '^note .*controller .*CAP_NET_ADMIN', *older)
    stage.under = ['unshare', '--net']
    await check_doctor(stage, 0, '^note .*exact .*network', '^note .*controller .*network', *older)


@pytest.mark.by_release('doctor names what the release lacks')
@pytest.mark.bluetoothd(configuration=RECOMMENDED)
async def test_doctor_advises_nothing_more_about_the_recommended_configuration(stage: Stage):
    if stage.minor >= 82:
        pytest.skip('the recommended configuration is that for bluetoothd 5.66')
    lines = await check_doctor(stage, 0, '^ok .*pairing ')
    assert not [line for line in lines if 'main.conf' in line and 'Experimental' not in line], lines


async def test_doctor_of_a_broken_machine(stage: Stage):
    """An adapter that is off, no adapter, and no bluetoothd."""
    await stage.bluez.power(False)
    await check_doctor(stage, 1, '^FIX .*hci0 .*powered off.*--power-on')
    await stage.air.unplug()
    await check_doctor(stage, 1, '^FIX .*adapter .*no Bluetooth adapter.*plug one in')
    await stage.bluez.kill()
    await check_doctor(stage, 1, '^FIX .*bluetoothd .*not running.*systemctl start bluetooth')
