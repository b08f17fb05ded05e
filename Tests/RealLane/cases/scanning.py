"""`blepera scan` on a second adapter of the same bluetoothd, beside a phone on the first."""

import json

from bumble.core import UUID
from rig.advertising import overflow_bits
from rig.air import ADAPTER
from rig.blepera import Blepera
from rig.errors import expect, expect_equal
from rig.runner import case
from rig.stage import SECOND, Stage

from .phone import leave

PHONE = ADAPTER.to_string(False)
HEART_RATE, NAME = '180D', 'Heart Rate'
BIT = overflow_bits([UUID(HEART_RATE)]).bit_length() - 1
CENTRALS = ['ios', 'android', 'bluez']


async def start_scan(stage: Stage, *words: str) -> Blepera:
    scan = await stage.run('scan', '--json', '--adapter', SECOND, *words)
    begun = await scan.until('scanning')
    expect_equal(begun['adapter'], SECOND, 'the adapter')
    return scan


def views(heard: dict) -> dict[str, dict]:
    """What each kind of central makes of it; all three are told."""
    expect_equal([one['central'] for one in heard['centrals']], CENTRALS, 'the centrals')
    return {one['central']: one for one in heard['centrals']}


async def until_seen(scan: Blepera, wanted, what: str, after: int = 0, limit: float = 30) -> dict:
    """The first event of the phone's that is wanted."""

    def look() -> dict | None:
        heard = [one for one in scan.events[after:] if one['event'] == 'heard' and one['peripheral'] == PHONE]
        return next((one for one in heard if wanted(one)), None)

    return await scan.process.until(look, limit, what)


async def end(scan: Blepera) -> None:
    expect_equal(await scan.interrupt(), 0, 'the exit status after Ctrl-C')
    expect_equal(scan.process.text('err'), '', 'what it wrote to standard error')


async def look(stage: Stage, *words: str) -> dict[str, dict]:
    """What each makes of the phone when it is heard first."""
    scan = await start_scan(stage, *words)
    heard = await scan.until('heard', peripheral=PHONE, limit=30)
    await end(scan)
    return views(heard)


async def rival_of(stage: Stage, uuid: str) -> str:
    """Another UUID with the same bit."""
    [found] = json.loads(await stage.ask('overflow', 'find', str(BIT), '--json'))['bits']
    rival = found['shortUUID']
    expect(rival != uuid, f'{rival} is no other than {uuid}')
    expect_equal(overflow_bits([UUID(rival)]), overflow_bits([UUID(uuid)]), f'the bit of {rival}')
    return rival


@case('scan: a phone in front is found by what it lists, with its name; iOS, Android and BlueZ see the same')
async def in_front(stage: Stage):
    await stage.plug_second()
    await stage.serve('heart-rate')
    scan = await start_scan(stage, '--services', HEART_RATE)
    seen = views(await until_seen(scan, lambda heard: 'name' in views(heard)['android'], 'the name of the phone'))
    await end(scan)
    for kind in CENTRALS:
        expect_equal((seen[kind]['name'], seen[kind]['serviceUUIDs']), (NAME, [HEART_RATE]), f'what {kind} sees')
    expect_equal((seen['ios']['found'], seen['ios']['overflowServiceUUIDs']), (True, []), 'how it is found')
    other = (await look(stage, '--services', '180F'))['ios']
    expect_equal((other['found'], other.get('reason')), (False, 'noSuchService'), 'a scan for another service')
    everything = (await look(stage))['ios']
    expect_equal((everything['found'], everything['serviceUUIDs']), (True, [HEART_RATE]), 'a scan for everything')


@case('scan: a phone in the background is found by who asks for its service, by its bit, and as no more than a hint')
async def by_its_bit(stage: Stage):
    rival = await rival_of(stage, HEART_RATE)
    await stage.plug_second()
    await leave(stage, await stage.serve('heart-rate'))

    def match(uuid: str, *rivals: str) -> dict:
        return {'uuid': uuid, 'bit': BIT, 'ambiguous': True} | ({'rivals': list(rivals)} if rivals else {})

    for words, matches in (
        ([HEART_RATE], [match(HEART_RATE)]),
        ([rival], [match(rival)]),
        ([HEART_RATE, rival], [match(HEART_RATE, rival), match(rival, HEART_RATE)]),
        ([HEART_RATE, '--background'], [match(HEART_RATE)]),
    ):
        seen = await look(stage, '--services', *words)
        expect_equal(seen['ios']['found'], True, f'whether it is found with {words}')
        expect_equal(seen['ios']['overflowServiceUUIDs'], matches, f'what is found with {words}')
        expect_equal((seen['ios'].get('name'), seen['ios']['serviceUUIDs']), (None, []), f'the rest with {words}')
        for kind in ('android', 'bluez'):
            expect_equal((seen[kind].get('name'), seen[kind]['serviceUUIDs']), (None, []), f'what {kind} sees')
        [data] = seen['android']['manufacturerData']
        bits = int.from_bytes(bytes.fromhex(data['data'])[1:], 'little')
        expect_equal((data['company'], bits), ('004C', 1 << BIT), 'what Android shows of the overflow area')


@case('scan: without its service, with the screen off, and in the background without services, nothing is found')
async def not_found(stage: Stage):
    await stage.plug_second()
    await leave(stage, await stage.serve('heart-rate'))
    for words, reason in (
        (['--services', '180F'], 'noSuchService'),
        (['--services', HEART_RATE, '--screen-off'], 'overflowUnread'),
        (['--background'], 'needsServices'),
    ):
        ios = (await look(stage, *words))['ios']
        expect_equal((ios['found'], ios.get('reason')), (False, reason), f'a scan with {words}')
    # An app that asks for everything hears of a device without a name, and nothing of its services.
    ios = (await look(stage))['ios']
    told = (ios['found'], ios.get('name'), ios['serviceUUIDs'], ios['overflowServiceUUIDs'])
    expect_equal(told, (True, None, [], []), 'a scan for everything')


@case('scan: a phone that is left and comes back is told each time, with a doubt about the name that bluetoothd keeps')
async def to_and_fro(stage: Stage):
    await stage.plug_second()
    blepera = await stage.serve('heart-rate')
    scan = await start_scan(stage, '--services', HEART_RATE)
    await until_seen(scan, lambda heard: 'name' in views(heard)['android'], 'the name of the phone')
    await leave(stage, blepera)
    left = await until_seen(scan, lambda heard: not views(heard)['android']['serviceUUIDs'], 'a phone without UUIDs')
    expect_equal((left['overflowBits'], left.get('doubtfulName')), ([BIT], True), 'its bits, and the doubt')
    seen = views(left)
    expect_equal(seen['bluez']['serviceUUIDs'], [HEART_RATE], 'what BlueZ takes it for')
    expect_equal(seen['ios'], {'central': 'ios', 'found': True, 'reason': 'reported'}, 'what iOS makes of it')
    mark = scan.mark
    await stage.ask('foreground')
    back = await until_seen(scan, lambda heard: views(heard)['android']['serviceUUIDs'], 'a phone with UUIDs', mark)
    expect_equal((back.get('overflowBits'), back.get('doubtfulName')), (None, None), 'its bits in front again')
    seen = views(back)['android']
    expect_equal((seen['name'], seen['serviceUUIDs']), (NAME, [HEART_RATE]), 'what it lists in front again')
    await end(scan)


@case('scan: an adapter that is pulled out is waited for, and without one it says what to do')
async def no_adapter(stage: Stage):
    await stage.plug_second()
    await stage.serve('heart-rate')
    scan = await start_scan(stage)
    await scan.until('heard', peripheral=PHONE, limit=30)
    await stage.air.unplug(1)
    await scan.until('scanningFailed', reason='the adapter is not there; it is waited for')
    mark = scan.mark
    await stage.plug_second()
    await scan.until('scanning', after=mark)
    await scan.until('heard', after=mark, peripheral=PHONE, limit=30)
    await end(scan)
    for words in (['scan'], ['clone', PHONE]):
        lost = await stage.run(*words, '--adapter', 'hci7')
        expect_equal(await lost.process.wait(), 1, f'the exit status of {words[0]} without its adapter')
        expect('hci7' in lost.process.text('err'), f'it says: {lost.process.text("err")}')
