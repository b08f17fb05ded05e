"""`blepera clone` on a second adapter of the same bluetoothd; Bumble compares the attributes of the original and of its
clone.
"""

import plistlib
import re
import time

import pytest
from rig import profile as profiles
from rig.air import ADDRESSES
from rig.profile import Characteristic, Profile
from rig.stage import SECOND, Stage
from rig.table import Table

from .attributes import needs_encryption, sorted_uuids
from .phone import leave
from .test_scanning import BIT, LIVELY, PHONE

pytestmark = pytest.mark.bluetoothd(adapters=2)

WRITES = {'write', 'writeWithoutResponse'}
LIMIT = 60  # seconds that it may take under emulation


def copy(stage: Stage) -> str:
    """The file of this test."""
    return f'{stage.state}-clone.plist'


async def clone(stage: Stage, *words: str, status: int = 0) -> str:
    """The messages of `blepera clone`; the profile is in a file."""
    async with stage.air.hurry(LIVELY):
        cloning = await stage.run('clone', PHONE, '--adapter', SECOND, '--output', copy(stage), *words)
        assert await cloning.process.wait(LIMIT) == status, 'the exit status of clone'
    assert cloning.process.text('out') == '', 'what it prints'
    return cloning.process.text('err')


async def text_of_clone(stage: Stage) -> str:
    return (await stage.vm.run('cat', copy(stage))).text('out')


async def tables(stage: Stage, encrypts: bool) -> list[Table]:
    """The attributes that an unknown central discovers and, if they differ, those that a paired central does."""
    central = await stage.meet()
    found = [await Table.of(central)]
    if encrypts:
        await central.pair()
        found.append(await Table.of(central))
    await central.disconnect()
    return found


async def test_clone_has_the_same_attributes(stage: Stage):
    name = 'every-kind'
    profile = stage.profile(name)
    every = [one for service in profile.services for one in service.characteristics]
    encrypts = any(needs_encryption(one) for one in every)
    served = await stage.serve(name)
    originals = await tables(stage, encrypts)
    said = await clone(stage)
    assert re.search(f'^Cloned .* {len(every)} characteristics?', said, re.MULTILINE), f'it says: {said}'
    assert await served.interrupt() == 0, 'the exit status of the original'
    await stage.air.until_silent()
    text = await text_of_clone(stage)
    check_comments(text, every, originals[-1])
    check_advertisement(text, profile)
    await stage.serve(copy(stage))
    changing = {one.uuid for one in every if one.produces}
    for table, original in zip(await tables(stage, encrypts), originals, strict=True):
        table.check_same(original, changing)


def check_comments(text: str, every: list[Characteristic], original: Table) -> None:
    """A comment for each thing that a central cannot know of a characteristic."""
    values = {key[1]: value for key, value in original.values.items() if len(key) == 2}
    reads = [one for one in every if 'read' in one.properties]
    encrypting = next((index for index, one in enumerate(reads) if one.read_needs_encryption), len(reads))
    after = [one for one in reads[encrypting + 1 :] if one.readable]
    for comment, those in (
        ('The notified values are unknown', [one for one in every if one.can_notify and one not in reads]),
        ('Not read: ', [one for one in reads if not one.readable]),
        ('Reading requires an encrypted link', reads[encrypting : encrypting + 1]),
        ('Read over an encrypted link; whether reading requires one is unknown', after),
        ('A constant value', [one for one in reads if values[one.uuid] and is_kept(one)]),
    ):
        assert text.count(f'<!-- {comment}') == len(those), f'how often it says "{comment}"'
    unseen = any(one.can_notify or one.properties & WRITES for one in every)
    warned = 'Whether writing and subscribing require an encrypted link is unknown' in text
    assert warned == unseen, 'whether it warns that permissions are unknown'


def is_kept(one: Characteristic) -> bool:
    """Whether it is neither a cached value nor one that centrals write."""
    is_cached = one.properties == {'read'} and not one.read_needs_encryption
    return one.readable and not is_cached and not one.properties & WRITES


def check_advertisement(text: str, profile: Profile) -> None:
    advertisement = plistlib.loads(text.encode())['BLEPeripheral']['Advertisement']
    assert advertisement.get('LocalName') == profile.local_name, 'the name'
    uuids = [profiles.UUID(uuid) for uuid in advertisement['ServiceUUIDs']]
    assert sorted_uuids(uuids) == sorted_uuids(profile.advertised), 'what is advertised'


@pytest.mark.by_release('bluetoothd 5.82 does not reply to the read')
async def test_phone_that_refuses_pairing(stage: Stage):
    """The refused pairing ends the connection; bluetoothd 5.82 then does not reply to the read that needed it."""
    await stage.serve('every-kind', '--pairing', 'refuse')
    said = await clone(stage, status=1)
    assert 'Pairing ...\n' in said, f'it says: {said}'
    reason = 'bluetoothd refuses: org.bluez.Error.AuthenticationFailed: Authentication Failed'
    assert said.endswith(f'cannot be read: {reason}\n'), f'it says: {said}'


async def until_forgotten(stage: Stage, limit: float = 10) -> None:
    """Waits until bluetoothd has no file of the phone as of a device that it was connected to."""
    until = time.monotonic() + limit
    file = f'/var/lib/bluetooth/{ADDRESSES[1].to_string(False)}/{PHONE}/info'
    while not (await stage.vm.run('test', '-e', file)).status:
        assert time.monotonic() < until, f'bluetoothd still knows {PHONE}: {file}'


async def test_phone_in_the_background(stage: Stage):
    """The profile names the services of the overflow area, and says that the name is unknown."""
    await leave(stage, await stage.serve('heart-rate'))
    await clone(stage)
    await until_forgotten(stage)
    text = await text_of_clone(stage)
    assert f'Overflow area: bit {BIT}, which matches 180D Heart Rate' in text, f'nothing of the bit: {text}'
    assert 'No name was advertised' in text, f'nothing of the name: {text}'
    advertisement = plistlib.loads(text.encode())['BLEPeripheral']['Advertisement']
    assert advertisement == {'ServiceUUIDs': ['180D']}, 'the advertisement'
