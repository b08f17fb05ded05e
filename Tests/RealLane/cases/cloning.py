"""`blepera clone` on a second adapter of the same bluetoothd. The judge is Bumble, which finds the attributes of the
original and of its clone."""

import plistlib
import re
import time
from pathlib import Path

from rig import profile as profiles
from rig.air import ADDRESSES
from rig.errors import expect, expect_equal
from rig.profile import Characteristic, Profile
from rig.runner import case
from rig.stage import HERE, PROJECT, SECOND, Stage
from rig.table import Table

from .phone import leave
from .profiles import needs_encryption, sorted_uuids
from .scanning import BIT, PHONE

WRITES = {'write', 'writeWithoutResponse'}
LIMIT = 60  # seconds that it may take under emulation


def copy(stage: Stage) -> str:
    """The file of this case."""
    return f'{stage.state}-clone.plist'


async def clone(stage: Stage, *words: str, status: int = 0) -> str:
    """What `blepera clone` says on its way; the profile is in a file, if it comes to that."""
    cloning = await stage.run('clone', PHONE, '--adapter', SECOND, '--output', copy(stage), *words)
    expect_equal(await cloning.process.wait(LIMIT), status, 'the exit status of clone')
    expect_equal(cloning.process.text('out'), '', 'what it prints')
    return cloning.process.text('err')


async def text_of_clone(stage: Stage) -> str:
    return (await stage.vm.run('cat', copy(stage))).text('out')


async def tables(stage: Stage, encrypts: bool) -> list[Table]:
    """As a stranger finds it, and where that makes a difference as one does that has paired."""
    central = await stage.meet()
    found = [await Table.of(central)]
    if encrypts:
        await central.pair()
        found.append(await Table.of(central))
    await central.disconnect()
    return found


def add(path: Path) -> None:
    @case(f'clone: what is cloned of {path.stem} has the same attributes when it is served')
    async def cloned(stage: Stage) -> str:
        profile = profiles.load(path)
        every = [one for service in profile.services for one in service.characteristics]
        encrypts = any(needs_encryption(one) for one in every)
        await stage.plug_second()
        served = await stage.serve(path.stem)
        originals = await tables(stage, encrypts)
        said = await clone(stage)
        expect(re.search(f'^Cloned .* {len(every)} characteristics?', said, re.MULTILINE), f'it says: {said}')
        expect_equal(await served.interrupt(), 0, 'the exit status of the original')
        await stage.air.until_silent()
        text = await text_of_clone(stage)
        check_comments(text, every, originals[-1])
        check_advertisement(text, profile)
        await stage.serve(copy(stage))
        changing = {one.uuid for one in every if one.produces}
        for table, original in zip(await tables(stage, encrypts), originals, strict=True):
            table.check_same(original, changing)
        return f'{len(originals[0].rows)} attributes, {len(originals[-1].values)} values'


for folder in (PROJECT / 'profiles', HERE / 'profiles'):
    for path in sorted(folder.glob('*.plist')):
        add(path)


def check_comments(text: str, every: list[Characteristic], original: Table) -> None:
    """Of each characteristic what a central cannot know, as often as there are such."""
    values = {key[1]: value for key, value in original.values.items() if len(key) == 2}
    reads = [one for one in every if 'read' in one.properties]
    encrypting = next((index for index, one in enumerate(reads) if one.read_needs_encryption), len(reads))
    after = [one for one in reads[encrypting + 1 :] if one.readable]
    for comment, those in (
        ('What it notifies cannot be known beforehand', [one for one in every if one.can_notify and one not in reads]),
        ('Not read: ', [one for one in reads if not one.readable]),
        ('Reading it needs an encrypted link', reads[encrypting : encrypting + 1]),
        ('Read over an encrypted link; whether it needs one cannot be seen', after),
        ('It stays so', [one for one in reads if values[one.uuid] and is_kept(one)]),
    ):
        expect_equal(text.count(f'<!-- {comment}'), len(those), f'how often it says "{comment}"')
    unseen = any(one.can_notify or one.properties & WRITES for one in every)
    told = 'Whether writing and subscribing need an encrypted link cannot be seen' in text
    expect_equal(told, unseen, 'whether it says what cannot be seen of permissions')


def is_kept(one: Characteristic) -> bool:
    """Whether it is no value that the system has, and none that is written."""
    is_cached = one.properties == {'read'} and not one.read_needs_encryption
    return one.readable and not is_cached and not one.properties & WRITES


def check_advertisement(text: str, profile: Profile) -> None:
    advertisement = plistlib.loads(text.encode())['BLEPeripheral']['Advertisement']
    expect_equal(advertisement.get('LocalName'), profile.local_name, 'the name')
    uuids = [profiles.UUID(uuid) for uuid in advertisement['ServiceUUIDs']]
    expect_equal(sorted_uuids(uuids), sorted_uuids(profile.advertised), 'what is advertised')


async def until_forgotten(stage: Stage, limit: float = 10) -> None:
    """Waits until bluetoothd has no file of the phone as of a device that it was connected to."""
    until = time.monotonic() + limit
    file = f'/var/lib/bluetooth/{ADDRESSES[1].to_string(False)}/{PHONE}/info'
    while not (await stage.vm.run('test', '-e', file)).status:
        expect(time.monotonic() < until, f'bluetoothd still knows {PHONE}: {file}')


@case('clone: of an app in the background the services of the overflow area are told, and that a name cannot be known')
async def in_the_background(stage: Stage):
    await stage.plug_second()
    await leave(stage, await stage.serve('heart-rate'))
    await clone(stage)
    await until_forgotten(stage)
    text = await text_of_clone(stage)
    expect(f'overflow area bit {BIT}, as of 180D Heart Rate' in text, f'nothing of the bit: {text}')
    expect('No name was heard' in text, f'nothing of the name: {text}')
    advertisement = plistlib.loads(text.encode())['BLEPeripheral']['Advertisement']
    expect_equal(advertisement, {'ServiceUUIDs': ['180D']}, 'the advertisement')


@case('clone: a file that exists is kept, and a device that is not there, and Ctrl-C, leave none')
async def refused(stage: Stage):
    await stage.plug_second()
    said = await clone(stage, '--seconds', '1', status=1)
    expect(f'{PHONE} was not heard within 1 s' in said, f'it says: {said}')
    cloning = await stage.run('clone', PHONE, '--adapter', SECOND, '--output', copy(stage))
    await cloning.process.until(lambda: 'Listening for' in cloning.process.text('err'), 20, 'listening')
    expect_equal(await cloning.interrupt(), 130, 'the exit status after Ctrl-C')
    expect_equal((await stage.vm.run('test', '-e', copy(stage))).status, 1, 'whether there is a file')
    await stage.vm.run('sh', '-c', f'echo mine > {copy(stage)}')
    said = await clone(stage, status=1)
    expect(f'{copy(stage)} is there already' in said, f'it says: {said}')
    expect_equal(await text_of_clone(stage), 'mine\n', 'what is in the file')
