"""Other GATT programs on the adapter: no handle has two attributes, and every attribute of everybody works."""

import itertools
import plistlib
import sys
from collections.abc import Mapping

from blepera_tests.paths import ROOT
from rig.central import Central
from rig.process import Process
from rig.stage import Stage

from .phone import phone_of

OTHER = ROOT / 'Tests/RealLane/apps/other_program.py'


def uuid(service: int, number: int = 0) -> str:
    return f'5E1F{number:04X}-0000-4000-8000-00000000{service:04X}'


def characteristic(service: int, number: int) -> dict:
    """The first notifies, the others have their place as value."""
    one = {'UUID': uuid(service, number), 'Properties': ['read'], 'Permissions': ['readable']}
    if number == 1:
        return one | {'Properties': ['read', 'notify'], 'Behavior': {'Kind': 'counter', 'Interval': 0.2, 'Format': 'uint8'}}
    return one | {'Value': f'0x{service:04X}{number:04X}'}


async def write_profile(stage: Stage, name: str, sizes: Mapping[int, int]) -> str:
    """Services by number, with as many characteristics."""
    services = [
        {'UUID': uuid(service), 'Characteristics': [characteristic(service, number + 1) for number in range(size)]}
        for service, size in sizes.items()
    ]
    profile = {
        'CFBundleIdentifier': f'org.example.{name}',
        'UIBackgroundModes': ['bluetooth-peripheral'],
        'BLEPeripheral': {'Services': services, 'Advertisement': {'LocalName': name}},
    }
    path = f'{stage.state}-{name}.plist'
    text, piece = plistlib.dumps(profile).decode(), 60_000  # of what an argument may have
    for start in range(0, len(text), piece):
        done = await stage.vm.run('sh', '-c', 'printf %s "$1" >>"$0"', path, text[start : start + piece])
        assert done.status == 0, done.text()
    return path


class Others:
    """The other programs that run, by the numbers of their services."""

    def __init__(self, stage: Stage):
        self.stage, self.programs, self.sizes = stage, dict[int, Process](), dict[int, int]()

    async def start(self, number: int, size: int = 1) -> None:
        program = await self.stage.vm.start_program(sys.executable, OTHER, other(number), size)
        self.stage.adopt(program)
        await program.until(lambda: program.text('out'), 20, 'the registration')
        assert program.text('out').strip() == 'registered', program.text()
        self.programs[number], self.sizes[number] = program, size

    async def end(self, number: int) -> None:
        await self.programs.pop(number).kill()
        del self.sizes[number]


def other(number: int, place: int | None = None) -> str:
    return f'0F{number:02x}{place or 0:04x}-0000-4000-8000-0123456789ab'


async def check(central: Central, sizes: dict[int, int], others: Others) -> None:
    """No two services have a handle in common, all are there, and all their characteristics are read."""
    await central.discover()
    found = sorted(central.gatt.services, key=lambda service: service.handle)
    ranges = [f'{one.uuid} 0x{one.handle:04X}-0x{one.end_group_handle:04X}' for one in found]
    for one, next_one in itertools.pairwise(found):
        assert one.end_group_handle < next_one.handle, f'services overlap: {ranges}'
    for service, size in sizes.items():
        proxy = central.service(uuid(service))
        assert len(proxy.characteristics) == size, f'of {uuid(service)}: {ranges}'
        values = [await central.read(one) for one in proxy.characteristics]
        assert values[1:] == [bytes.fromhex(f'{service:04X}{number:04X}') for number in range(2, size + 1)], ranges
        await central.subscribe(proxy.characteristics[0])
    for number, size in others.sizes.items():
        proxy = central.service(other(number))
        values = [await central.read(one) for one in proxy.characteristics]
        assert values == [f'/other/service/char{place}'.encode() for place in range(size)], ranges


async def test_before_between_and_after(stage: Stage):
    """Another program registers before, between and after the services of two apps; they are edited meanwhile."""
    others = Others(stage)
    await others.start(1)
    first = await stage.serve(await write_profile(stage, 'first', {1: 1}))
    await others.start(2)
    await stage.serve(await write_profile(stage, 'second', {2: 3, 3: 1}))
    await others.start(3, 4)
    central = await stage.meet()
    await check(central, {1: 1, 2: 3, 3: 1}, others)
    [published] = [event for event in first.events if event['event'] == 'published']
    assert published['handles'][0] == 0x0100, 'the first service'
    await first.interrupt()
    await others.end(2)
    first = await stage.serve(await write_profile(stage, 'first-grown', {1: 5, 4: 2}))
    await check(central, {1: 5, 4: 2, 2: 3, 3: 1}, others)
    await others.start(4)
    await first.interrupt()
    await others.end(1)
    await stage.serve(await write_profile(stage, 'first-shrunk', {4: 30, 1: 2, 5: 1}))
    await others.start(5)
    await check(central, {4: 30, 1: 2, 5: 1, 2: 3, 3: 1}, others)


async def test_a_killed_phone(stage: Stage):
    """The phone's next process has the handles that it had, though another program has those behind them."""
    blepera = await stage.serve(await write_profile(stage, 'killed', {1: 2}))
    others = Others(stage)
    await others.start(1)
    central = await stage.meet()
    await check(central, {1: 2}, others)
    await stage.vm.run('kill', '-9', str(await phone_of(stage, blepera)))
    await blepera.until('advertising', after=blepera.mark)
    await check(central, {1: 2}, others)
    published = [event['handles'] for event in blepera.events if event['event'] == 'published']
    assert len(published) == 2 and published[0] == published[1], published


async def test_many_services(stage: Stage):
    """250 services on a bus with the limits that Debian ships: all are found, the first and the last are read.

    The last one does not notify, as `status` warns: bluetoothd has match rules for each service, and the bus allows it 512.
    """
    count = 250
    profile = await write_profile(stage, 'many', dict.fromkeys(range(1, count + 1), 1))
    blepera = await stage.run('serve', '--json', profile)
    await blepera.until('advertising', limit=60)
    central = await stage.central()
    await stage.air.connect(central)
    found = [service for service in await central.gatt.discover_services() if str(service.uuid).startswith('5E1F0000')]
    assert len({service.handle for service in found}) == count, 'the services'
    for service in found[0], found[-1]:
        [characteristic] = await central.gatt.discover_characteristics((), service)
        await central.gatt.discover_descriptors(characteristic)
        assert await central.read(characteristic)
    [first] = found[0].characteristics
    await (await central.subscribe(first)).take(2)
    warnings = (await stage.status())['warnings']
    assert [one for one in warnings if 'send no updates' in one], warnings
    # bluetoothd 5.82 no longer shows its adapter to the next case, after so many services.
    await stage.bluez.kill()
    await stage.bluez.start()


async def test_a_second_phone(stage: Stage):
    """An adapter has one phone; the error names the other."""
    first = await stage.serve('every-kind')
    second = await stage.run('serve', '--system', 'two', await write_profile(stage, 'second', {1: 1}))
    assert await second.process.wait(30) == 1
    assert "the phone 'default' of root uses hci0" in second.process.text('err'), second.process.text()
    assert first.process.status is None


async def test_an_app_that_is_refused(stage: Stage):
    """A second blepera changes nothing for the first: the adapter is off, or a service cannot be published."""
    first = await stage.serve('every-kind')
    mark = first.mark
    await stage.bluez.power(False)
    second = await stage.run('serve', await write_profile(stage, 'off', {1: 1}))
    assert await second.process.wait(30) == 1
    assert not [event for event in first.events[mark:] if event['event'] == 'state'], 'the state of the first app'
    await stage.bluez.power(True)
    await first.until('advertising', after=mark)
    mark = first.mark
    path = f'{stage.state}-refused.plist'
    generic = '00001801-0000-1000-8000-00805F9B34FB'  # which iOS takes in this form
    await stage.vm.run('sh', '-c', f"sed s/{uuid(1)}/{generic}/ '{stage.state}-off.plist' >'{path}'")
    second = await stage.run('serve', path)
    assert await second.process.wait(30) == 1
    assert 'bluetoothd publishes 1801 itself' in second.process.text('err'), second.process.text()
    await first.until('state', after=mark, state='foreground')
    status = await stage.status()
    assert [app['state'] for app in status['apps']] == ['foreground'], status
