"""`blepera scan` on a second adapter of the same bluetoothd, beside a phone on the first."""

import asyncio
import json
from types import SimpleNamespace

import pytest
from bumble.core import UUID
from bumble.hci import Address
from rig.advertising import overflow_bits
from rig.air import ADAPTER, EventType
from rig.blepera import Blepera
from rig.stage import SECOND, Stage

from .phone import leave

pytestmark = pytest.mark.bluetoothd(adapters=2)

PHONE = ADAPTER.to_string(False)
HEART_RATE, NAME = '180D', 'Heart Rate'
BIT = overflow_bits([UUID(HEART_RATE)]).bit_length() - 1
CENTRALS = ['ios', 'android', 'bluez']
LIVELY = 0.1  # seconds between two advertisements, which are 1.28 s without -E


async def start_scan(stage: Stage, *words: str) -> Blepera:
    scan = await stage.run('scan', '--json', '--adapter', SECOND, *words)
    begun = await scan.until('scanning')
    assert begun['adapter'] == SECOND, 'the adapter'
    return scan


def views(discovery: dict) -> dict[str, dict]:
    """The view of each kind of central; all three are reported."""
    assert [one['central'] for one in discovery['centrals']] == CENTRALS, 'the centrals'
    return {one['central']: one for one in discovery['centrals']}


def has_name(discovery: dict) -> bool:
    return 'name' in views(discovery)['android']


def has_uuids(discovery: dict) -> bool:
    return bool(views(discovery)['android']['serviceUUIDs'])


async def until_seen(stage: Stage, scan: Blepera, wanted, what: str, after: int = 0, limit: float = 30) -> dict:
    """The first wanted event of the phone."""

    def look() -> dict | None:
        events = scan.events[after:]
        discoveries = [one for one in events if one['event'] == 'discovered' and one['peripheral'] == PHONE]
        return next((one for one in discoveries if wanted(one)), None)

    async with stage.air.hurry(LIVELY):
        return await scan.process.until(look, limit, what)


async def end(scan: Blepera) -> None:
    assert await scan.interrupt() == 0, 'the exit status after Ctrl-C'
    assert scan.process.text('err') == '', 'what it wrote to standard error'


async def look(stage: Stage, *words: str) -> dict[str, dict]:
    """The view of each kind of central when the phone is discovered."""
    scan = await start_scan(stage, *words)
    async with stage.air.hurry(LIVELY):
        discovery = await scan.until('discovered', peripheral=PHONE, limit=30)
    await end(scan)
    return views(discovery)


async def rival_of(stage: Stage, uuid: str) -> str:
    """Another UUID with the same bit."""
    [found] = json.loads(await stage.ask('overflow', 'find', str(BIT), '--json'))['bits']
    rival = found['shortUUID']
    assert rival != uuid, f'{rival} is no other than {uuid}'
    assert overflow_bits([UUID(rival)]) == overflow_bits([UUID(uuid)]), f'the bit of {rival}'
    return rival


async def test_phone_in_the_foreground(stage: Stage):
    """Found by its UUIDs, with its name; iOS, Android and BlueZ see the same."""
    await stage.serve('heart-rate')
    scan = await start_scan(stage, '--services', HEART_RATE)
    seen = views(await until_seen(stage, scan, has_name, 'the name of the phone'))
    await end(scan)
    for kind in CENTRALS:
        assert (seen[kind]['name'], seen[kind]['serviceUUIDs']) == (NAME, [HEART_RATE]), f'what {kind} sees'
    assert (seen['ios']['discovered'], seen['ios']['overflowServiceUUIDs']) == (True, []), 'how it is found'
    other = (await look(stage, '--services', '180F'))['ios']
    assert (other['discovered'], other.get('reason')) == (False, 'noSuchService'), 'a scan for another service'
    everything = (await look(stage))['ios']
    assert (everything['discovered'], everything['serviceUUIDs']) == (True, [HEART_RATE]), 'a scan for everything'


async def test_phone_in_the_background(stage: Stage):
    """Found by its bit of the overflow area, by an app that scans for its service, or for one with the same bit."""
    rival = await rival_of(stage, HEART_RATE)
    await leave(stage, await stage.serve('heart-rate'))

    def match(uuid: str, *rivals: str) -> dict:
        return {'uuid': uuid, 'bit': BIT, 'ambiguous': True} | ({'sharedWith': list(rivals)} if rivals else {})

    for words, matches in (
        ([HEART_RATE], [match(HEART_RATE)]),
        ([rival], [match(rival)]),
        ([HEART_RATE, rival], [match(HEART_RATE, rival), match(rival, HEART_RATE)]),
        ([HEART_RATE, '--background'], [match(HEART_RATE)]),
    ):
        seen = await look(stage, '--services', *words)
        assert seen['ios']['discovered'], f'whether it is found with {words}'
        assert seen['ios']['overflowServiceUUIDs'] == matches, f'what is found with {words}'
        assert (seen['ios'].get('name'), seen['ios']['serviceUUIDs']) == (None, []), f'the rest with {words}'
        for kind in ('android', 'bluez'):
            assert (seen[kind].get('name'), seen[kind]['serviceUUIDs']) == (None, []), f'what {kind} sees'
        [data] = seen['android']['manufacturerData']
        bits = int.from_bytes(bytes.fromhex(data['data'])[1:], 'little')
        assert (data['company'], bits) == ('004C', 1 << BIT), 'what Android shows of the overflow area'


async def test_phone_in_the_background_and_back(stage: Stage):
    """Each change is reported, and the name that bluetoothd remembers is marked as doubtful."""
    blepera = await stage.serve('heart-rate')
    scan = await start_scan(stage, '--services', HEART_RATE)
    await until_seen(stage, scan, has_name, 'the name of the phone')
    await leave(stage, blepera)
    left = await until_seen(stage, scan, lambda discovery: not has_uuids(discovery), 'a phone without UUIDs')
    assert (left['overflowBits'], left.get('nameMayBeCached')) == ([BIT], True), 'its bits, and the doubt'
    seen = views(left)
    assert seen['bluez']['serviceUUIDs'] == [HEART_RATE], 'what BlueZ takes it for'
    assert seen['ios'] == {'central': 'ios', 'discovered': True, 'reason': 'reported'}, 'what iOS makes of it'
    mark = scan.mark
    await stage.ask('foreground')
    back = await until_seen(stage, scan, has_uuids, 'a phone with UUIDs', mark)
    assert (back.get('overflowBits'), back.get('nameMayBeCached')) == (None, None), 'its bits in the foreground again'
    seen = views(back)['android']
    assert (seen['name'], seen['serviceUUIDs']) == (NAME, [HEART_RATE]), 'what it lists in the foreground again'
    await end(scan)


async def test_phone_is_compared_with_the_rules(stage: Stage):
    """`compare --listen` finds the phone in the background, and says what bluetoothd does not report."""
    await leave(stage, await stage.serve('heart-rate'))
    async with stage.air.hurry(LIVELY):
        text = await stage.ask('compare', '--json', '--listen', SECOND, '--address', PHONE, '--seconds', '8')
    report = json.loads(text[text.index('{'):])
    observed = {one['name']: one['text'] for one in report['observations']}
    assert observed['set'] == 'background, 1 address', 'the set'
    assert observed['overflow area'] == f'bit {BIT}', 'its bits'
    reasons = {one['name']: one.get('reason') for one in report['values']}
    assert reasons['backgroundInterval'] == 'bluetoothd does not report it', 'the interval'


async def test_advertisement_without_its_scan_response(stage: Stage):
    """The kernel keeps it until another device's report follows, and drops it for the next one of the same device; so
    does the virtual BlueZ."""
    scan = await start_scan(stage)
    legacy = EventType.SCANNABLE_ADVERTISING | EventType.CONNECTABLE_ADVERTISING | EventType.LEGACY_ADVERTISING_PDU_USED
    beacon = EventType.LEGACY_ADVERTISING_PDU_USED

    def receive(number: int, name: str, kind: int = legacy) -> None:
        data = bytes([2, 1, 6, len(name) + 1, 9, *name.encode()])
        pdu = SimpleNamespace(advertiser_address=Address(f'F0:F1:F2:F3:F4:0{number}'))
        stage.air.adapters[1].report(pdu, kind, data)

    def names(number: int) -> list[str]:
        found = [one for one in scan.events if one.get('peripheral') == f'F0:F1:F2:F3:F4:0{number}']
        return [name for one in found if (name := views(one)['android'].get('name'))]

    for name in ('First', 'Second'):
        receive(1, name)
        await asyncio.sleep(1)
        assert names(1) == [], f'after {name}'
    receive(2, 'Beacon', beacon)
    await scan.process.until(lambda: names(2) and names(1), 10, 'both')
    assert names(1) == ['Second'], 'what was kept before the beacon'
    receive(3, 'Advertised')
    receive(3, 'Responded', legacy | EventType.SCAN_RESPONSE)
    await scan.process.until(lambda: names(3), 10, 'the third device')
    assert names(3) == ['Responded'], 'both packets at once'
    await end(scan)


async def test_adapter_unplugged(stage: Stage):
    """`scan` waits for an adapter that is pulled out; with an unknown adapter it ends with its name."""
    await stage.serve('heart-rate')
    scan = await start_scan(stage)
    await scan.until('discovered', peripheral=PHONE, limit=30)
    await stage.air.unplug(1)
    await scan.until('scanningFailed', reason='the adapter is missing; waiting for it')
    mark = scan.mark
    await stage.air.plug(1)
    await stage.bluez.until_powered(adapter=SECOND)
    await scan.until('scanning', after=mark)
    await scan.until('discovered', after=mark, peripheral=PHONE, limit=30)
    await end(scan)
    for words in (['scan'], ['clone', PHONE]):
        lost = await stage.run(*words, '--adapter', 'hci7')
        assert await lost.process.wait() == 1, f'the exit status of {words[0]} without its adapter'
        assert 'hci7' in lost.process.text('err'), f'it says: {lost.process.text("err")}'
