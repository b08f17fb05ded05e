"""What belongs to the phone: several apps on one radio, the screen, Bluetooth, and what a version of iOS allows."""

import asyncio

from bumble.core import UUID
from rig.advertising import Packet, Reception, overflow_bits
from rig.blepera import Blepera
from rig.central import Central
from rig.errors import expect, expect_equal
from rig.runner import case
from rig.stage import Stage

from .rules_air import change

STATE = 'C8B6F0B5-7A37-4B4E-9F0C-6B2B5D1E8A03'  # of smart-lock.plist
SILENCE = 2.5  # seconds; an advertisement that comes late is heard at once, as it is hurried
FIRST, SECOND = 'heart-rate', 'smart-lock'
FIRST_APP, SECOND_APP = f'org.blepera.{FIRST}', f'org.blepera.{SECOND}'
FIRST_UUID, SECOND_UUID = UUID('180D'), UUID('C8B6F0B5-7A37-4B4E-9F0C-6B2B5D1E8A01')


async def on_air(stage: Stage, heard: Reception) -> set[Packet]:
    """What is on the air, as the central hears it; and status says the same."""
    mark = heard.mark
    await asyncio.sleep(0.3)
    packets = set(heard.packets(after=mark))
    said = (await stage.status())['air']['advertisements']
    wanted = {Packet(*(bytes.fromhex(one[key]) for key in ('advertisingData', 'scanResponse'))) for one in said}
    expect_equal(packets, wanted, 'the packets on the air, and what status says')
    return packets


async def told(stage: Stage, blepera: Blepera, *words: str) -> None:
    """Asks for something that changes what is on the air, up to its being there."""
    mark = blepera.mark
    await stage.ask(*words)
    await blepera.until('advertising', after=mark)


@case('two apps: one in the background is bits in the overflow area; the interval grows when both are there')
async def two_apps(stage: Stage):
    await stage.bluez.restart(experimental=True)
    predicted = await stage.explain(FIRST, SECOND)
    front, back = predicted['foreground'], predicted['background']
    blepera = await stage.serve(FIRST, beside=[SECOND])
    central = await stage.central()
    async with central.overhear() as heard, stage.air.hurry():
        await heard.until_heard(front.packets)
        expect_equal(await on_air(stage, heard), front.packets, 'both in front')
        expect_equal(stage.air.intervals, front.asked, 'the interval with both in front')

        for app, others, name, hidden in (
            (FIRST_APP, SECOND_UUID, 'Lock', FIRST_UUID),
            (SECOND_APP, FIRST_UUID, 'Heart Rate', SECOND_UUID),
        ):
            await told(stage, blepera, 'background', '--app', app)
            packets = await on_air(stage, heard)
            expect_equal([uuid for packet in packets for uuid in packet.services], [others], 'the services')
            expect_equal({packet.name for packet in packets} - {None}, {name}, 'the name')
            expect_equal({packet.overflow for packet in packets} - {0}, {overflow_bits([hidden])}, 'the overflow area')
            expect_equal(stage.air.intervals, front.asked, 'the interval with one in front')
            await told(stage, blepera, 'foreground', '--app', app)

        await told(stage, blepera, 'background')
        await heard.until_heard(back.packets, after=heard.mark)
        expect_equal(await on_air(stage, heard), back.packets, 'both in the background')
        [packet] = back.packets
        expect_equal(packet.overflow, overflow_bits([FIRST_UUID, SECOND_UUID]), 'the overflow area')
        expect_equal(stage.air.intervals, back.asked, 'the interval with both in the background')


@case('two apps: the one whose file comes first is the first on the air, with its name, at every start')
async def in_order(stage: Stage):
    for first, second in ((FIRST, SECOND), (SECOND, FIRST)) * 3:
        alone = (await stage.explain(first))['foreground'].packets
        both = (await stage.explain(first, second))['foreground'].packets
        central = await stage.central()
        async with central.overhear() as heard, stage.air.hurry():
            blepera = await stage.serve(first, beside=[second])
            await heard.until_heard(both)
            # The first one may be on the air before the second has started.
            expect_equal(set(heard.packets()) - alone - both, set(), f'other packets, with {first} before {second}')
        await blepera.interrupt()


@case('two apps that are left together, or come together: nothing but what was and what will be is on the air')
async def together(stage: Stage):
    predicted = await stage.explain(FIRST, SECOND)
    front, back = predicted['foreground'].packets, predicted['background'].packets
    await stage.serve(FIRST, beside=[SECOND])
    central = await stage.central()
    async with central.overhear() as heard, stage.air.hurry():
        await heard.until_heard(front)
        await change(stage, heard, 'background', front, back)
        await change(stage, heard, 'foreground', back, front)


@case('two apps: a read wakes the one that is meant, and the other stays suspended')
async def one_of_two_wakes(stage: Stage):
    blepera = await stage.serve(FIRST, beside=[SECOND])
    central = await stage.meet()
    await stage.ask('suspend')
    await blepera.until('state', app=FIRST_APP, state='suspended')
    await blepera.until('state', app=SECOND_APP, state='suspended')
    expect_equal(await central.read(central.characteristic(STATE)), b'\0', 'the state')
    states = {app['identifier']: app['state'] for app in (await stage.status())['apps']}
    expect_equal(states, {FIRST_APP: 'suspended', SECOND_APP: 'background'}, 'the states')


def add_background(ios: int, again: bool) -> None:
    how = 'what it asks for there is on the air' if again else 'what it asks for there waits for the foreground'

    @case(f'iOS {ios}: an app that left advertises in the background at once; {how}')
    async def background(stage: Stage):
        predicted = await stage.explain(FIRST, ios=ios)
        front, back = predicted['foreground'].packets, predicted['background'].packets
        central = await stage.central()
        async with central.overhear() as heard, stage.air.hurry():
            blepera = await stage.serve(FIRST, '--background', '--ios', str(ios))
            await heard.until_heard(back)
            mark = blepera.mark
            await stage.ask('bluetooth', 'reset')  # the app publishes and advertises anew, where it is
            if again:
                await heard.until_heard(back, after=heard.mark)
            else:
                await blepera.until('advertisingWithheld', limit=10, after=mark, rule='R12')
                quiet = heard.mark
                await asyncio.sleep(SILENCE)
                expect_equal(set(heard.packets(after=quiet)), set(), 'the packets on the air before the foreground')
                expect_equal((await stage.status())['apps'][0]['advertisingWithheldBy'], 'R12', 'the rule, by status')
            expect_equal(set(heard.packets()), back, 'the packets on the air in the background')
            await stage.ask('foreground')
            await heard.until_heard(front, after=heard.mark)
            mark = heard.mark
            await stage.ask('background')
            await heard.until_heard(back, after=mark)


add_background(26, again=False)
add_background(13, again=True)


@case('the screen: locked, the apps are in the background; unlocked, in front again; one that was left stays there')
async def screen(stage: Stage):
    predicted = await stage.explain(FIRST)
    front, back = predicted['foreground'].packets, predicted['background'].packets
    await stage.serve(FIRST)
    central = await stage.central()
    async with central.overhear() as heard, stage.air.hurry():
        words = ('lock', 'unlock', 'lock', 'background', 'unlock')
        for word, packets in zip(words, (back, front, back, back, back), strict=True):
            await stage.ask(word)
            await heard.until_heard(packets, after=heard.mark)
            mark = heard.mark
            await asyncio.sleep(0.3)
            expect_equal(set(heard.packets(after=mark + 1)), packets, f'the packets on the air after {word}')


@case('Bluetooth off: off the air, and the central is gone; on again: advertised and served as before')
async def bluetooth(stage: Stage):
    predicted = await stage.explain(SECOND)
    blepera = await stage.serve(SECOND)
    central = await stage.meet()
    await stage.ask('bluetooth', 'off')
    await asyncio.wait_for(central.lost.wait(), 5)
    await stage.air.until_silent()
    expect(not await stage.bluez.powered(), 'the adapter is still on')
    expect_equal((await stage.status())['radio'], 'poweredOff', 'the radio, by status')
    other: Central = await stage.central()
    async with other.overhear() as heard, stage.air.hurry():
        await asyncio.sleep(1)
        expect_equal(set(heard.packets()), set(), 'the packets on the air while Bluetooth is off')
        mark = blepera.mark
        await stage.ask('bluetooth', 'on')
        await heard.until_heard(predicted['foreground'].packets)
        await blepera.until('advertising', limit=5, after=mark)
    await stage.air.connect(other)
    await other.discover()
    expect_equal(await other.read(other.characteristic(STATE)), b'\0', 'the state')


@case('Bluetooth off and on while the app is suspended: advertised as in the background, and woken for a read')
async def bluetooth_behind(stage: Stage):
    back = (await stage.explain(SECOND))['background'].packets
    blepera = await stage.serve(SECOND)
    await stage.suspend(blepera)
    await stage.ask('bluetooth', 'off')
    await stage.air.until_silent()
    central = await stage.central()
    async with central.overhear() as heard, stage.air.hurry():
        await stage.ask('bluetooth', 'on')
        await heard.until_heard(back)
        expect_equal(set(heard.packets()), back, 'the packets on the air')
    await stage.air.connect(central)
    await central.discover()
    expect_equal(await central.read(central.characteristic(STATE)), b'\0', 'the state')


@case('bluetoothd is started anew while the app is suspended: advertised as before, and woken for a read')
async def suspended_restart(stage: Stage):
    back = (await stage.explain(SECOND))['background'].packets
    blepera = await stage.serve(SECOND)
    await stage.suspend(blepera)
    # Killed within milliseconds of a registration, bluetoothd leaves it to a controller that the kernel never tells to
    # stop.
    await blepera.until('advertising', pace='background')
    await asyncio.sleep(0.5)
    mark = blepera.mark
    await stage.bluez.restart()
    await blepera.until('advertising', after=mark)  # until now the kernel may send what the killed one has left
    central = await stage.central()
    async with central.overhear() as heard, stage.air.hurry():
        await heard.until_heard(back)
        expect_equal(set(heard.packets()), back, 'the packets on the air')
    await stage.air.connect(central)
    await central.discover()
    expect_equal(await central.read(central.characteristic(STATE)), b'\0', 'the state')


@case('Bluetooth is reset while the app is suspended: silent until it comes to the front, then all is there')
async def suspended_reset(stage: Stage):
    front = (await stage.explain(SECOND))['foreground'].packets
    blepera = await stage.serve(SECOND)
    await stage.suspend(blepera)
    await blepera.until('advertising', pace='background')
    await stage.ask('bluetooth', 'reset')
    central = await stage.central()
    async with central.overhear() as heard, stage.air.hurry():
        await asyncio.sleep(SILENCE)
        expect_equal(set(heard.packets()), set(), 'the packets on the air before the foreground')
        await stage.ask('foreground')
        await heard.until_heard(front)
        expect_equal(set(heard.packets()), front, 'the packets on the air')
    await stage.air.connect(central)
    await central.discover()
    expect_equal(await central.read(central.characteristic(STATE)), b'\0', 'the state')
