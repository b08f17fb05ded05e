"""Every attribute of a profile, checked by a central: declared, read, written and subscribed to as its property list
says.
"""

import asyncio

from bumble.core import UUID
from bumble.gatt_client import CharacteristicProxy, DescriptorProxy, ServiceProxy
from rig.central import Central, Subscription, name_of, refusal, services_of
from rig.profile import Attribute, Characteristic, Profile, Service

READ_NOT_PERMITTED, WRITE_NOT_PERMITTED = 0x02, 0x03
UNLIKELY_ERROR = 0x0E
NEEDS_ENCRYPTION = {0x05, 0x0F}  # insufficient authentication, insufficient encryption
CONFIGURATION = UUID('2902')


def sorted_uuids(uuids: list[UUID]) -> list[UUID]:
    return sorted(uuids, key=lambda uuid: uuid.to_bytes(force_128=True))


def needs_encryption(one: Characteristic) -> bool:
    return one.read_needs_encryption or one.write_needs_encryption or one.notifying_needs_encryption


def check_advertisement(advertisement, profile: Profile) -> None:
    assert advertisement, 'nothing is on the air'
    is_usable = advertisement.is_legacy and advertisement.is_connectable and advertisement.is_scannable
    assert is_usable, f'not a connectable advertisement: {advertisement}'
    flags = next((data for kind, data in advertisement.data.ad_structures if kind == 1), None)
    assert flags and flags[0] & 0b110 == 0b110, f'flags {flags!r} do not say LE only and discoverable'
    if profile.local_name is not None:
        name = name_of(advertisement)
        assert name and profile.local_name.startswith(name), f'the name is {name!r}, not {profile.local_name!r}'
        if len(profile.local_name.encode()) <= 28:
            assert name == profile.local_name, 'the local name'
    uuids = services_of(advertisement)
    if profile.all_advertised_fit:
        assert sorted_uuids(uuids) == sorted_uuids(profile.advertised), 'the advertised services'
    else:
        strange = [uuid for uuid in uuids if uuid not in profile.advertised]
        assert uuids and not strange, f'advertised services {uuids} are not some of {profile.advertised}'


def check_services(central: Central, profile: Profile) -> None:
    """Every service, in the order of the profile, and what it includes."""
    wanted = [service.uuid for service in profile.services]
    found = sorted(central.gatt.services, key=lambda service: service.handle)
    assert [one.uuid for one in found if one.uuid in wanted] == wanted, 'the services'
    for service in profile.services:
        included = central.service(service.uuid).included_services
        assert [one.uuid for one in included] == service.includes, f'what {service.uuid} includes'


async def check_attributes(central: Central, profile: Profile, encrypted: bool) -> None:
    """Every attribute, as its permissions say. Subscribed to all first: what comes by itself then comes for all."""
    subscriptions: dict[int, Subscription] = {}
    for service, proxy in services(central, profile):
        for one, characteristic in pairs(service, proxy):
            check_declaration(one, characteristic)
            await check_reading(central, one, characteristic, encrypted)
            for descriptor in one.descriptors:
                await check_descriptor(central, descriptor, central.descriptor(descriptor.uuid, characteristic))
            if subscription := await check_subscribing(central, one, characteristic, encrypted):
                subscriptions[characteristic.handle] = subscription
    for service, proxy in services(central, profile):
        for one, characteristic in pairs(service, proxy):
            if one.produces and characteristic.handle in subscriptions:
                assert await subscriptions[characteristic.handle].next(), f'an empty value of {one.uuid}'
        for one, characteristic in pairs(service, proxy):
            await check_writing(central, service, proxy, one, characteristic, encrypted, subscriptions)
        for _, characteristic in pairs(service, proxy):
            if subscription := subscriptions.get(characteristic.handle):
                await central.unsubscribe(characteristic, subscription)


def services(central: Central, profile: Profile) -> list[tuple[Service, ServiceProxy]]:
    return [(service, central.service(service.uuid)) for service in profile.services]


def pairs(service: Service, proxy: ServiceProxy) -> list[tuple[Characteristic, CharacteristicProxy]]:
    found = [one.uuid for one in proxy.characteristics]
    assert found == [one.uuid for one in service.characteristics], f'the characteristics of {service.uuid}'
    return list(zip(service.characteristics, proxy.characteristics, strict=True))


def check_declaration(one: Characteristic, characteristic: CharacteristicProxy) -> None:
    assert int(characteristic.properties) == one.bits, f'the properties of {one.uuid}'
    wanted = [descriptor.uuid for descriptor in one.descriptors] + [CONFIGURATION] * one.can_notify
    found = [descriptor.type for descriptor in characteristic.descriptors]
    assert sorted_uuids(found) == sorted_uuids(wanted), f'the descriptors of {one.uuid}'


async def check_refused(work, wanted: set[int], what: str) -> None:
    seen = await refusal(work)
    names = ' or '.join(f'0x{code:02X}' for code in sorted(wanted))
    got = f'0x{seen:02X}' if seen else 'a success'
    assert seen in wanted, f'{what} should be refused with {names}, and gets {got}'


async def check_reading(central: Central, one: Characteristic, characteristic, encrypted: bool) -> None:
    what = f'reading {one.uuid}'
    if not one.readable:
        await check_refused(central.read(characteristic), {READ_NOT_PERMITTED}, what)
    elif one.read_needs_encryption and not encrypted:
        await check_refused(central.read(characteristic), NEEDS_ENCRYPTION, what)
    elif one.answers_too_late:
        await check_refused(central.read(characteristic), {UNLIKELY_ERROR}, what)
    else:
        seen = await central.read(characteristic)
        if one.value is not None:
            assert seen == one.value, what


async def check_descriptor(central: Central, one: Attribute, descriptor: DescriptorProxy) -> None:
    what = f'the descriptor {one.uuid}'
    before = await central.read(descriptor) if one.readable else b''
    if not one.readable:
        await check_refused(central.read(descriptor), {READ_NOT_PERMITTED}, f'reading {what}')
    else:
        assert before == one.value, what
    if not one.writeable:
        await check_refused(central.write(descriptor, b'another'), {WRITE_NOT_PERMITTED}, f'writing {what}')
    else:
        await central.write(descriptor, b'another')
        assert await central.read(descriptor) == b'another', f'{what} after it was written'
        await central.write(descriptor, before)


async def check_subscribing(central: Central, one: Characteristic, characteristic, encrypted) -> Subscription | None:
    """The subscription, where there can be one."""
    if not one.can_notify:
        return None
    if one.notifying_needs_encryption and not encrypted:
        await check_refused(central.subscribe(characteristic), NEEDS_ENCRYPTION, f'subscribing to {one.uuid}')
        return None
    return await central.subscribe(characteristic)


async def check_writing(
    central: Central,
    service: Service,
    proxy: ServiceProxy,
    one: Characteristic,
    characteristic,
    encrypted,
    subscriptions,
) -> None:
    what, value = f'writing {one.uuid}', b'written' + (b' encrypted' if encrypted else b'')
    may = one.writeable and (encrypted or not one.write_needs_encryption)
    if 'write' in one.properties and may and one.answers_too_late:
        await check_refused(central.write(characteristic, value), {UNLIKELY_ERROR}, what)
        return
    if 'write' in one.properties and may:
        await central.write(characteristic, value)
        await check_mirrors(central, service, proxy, one, value, encrypted, subscriptions)
    # bluetoothd itself says yes to every Write Request for what can be written without a response.
    elif 'writeWithoutResponse' not in one.properties:
        refused = 'write' in one.properties and one.writeable
        codes = NEEDS_ENCRYPTION if refused else {WRITE_NOT_PERMITTED}
        await check_refused(central.write(characteristic, value), codes, what)
    if 'writeWithoutResponse' in one.properties and may:
        value += b' at once'
        await central.write_without_response(characteristic, value)
        await check_mirrors(central, service, proxy, one, value, encrypted, subscriptions)
    elif one.value is not None:
        await central.write_without_response(characteristic, value)
        assert await central.read(characteristic) == one.value, f'{one.uuid} after a write that has no effect'


async def check_mirrors(
    central: Central, service: Service, proxy: ServiceProxy, written: Characteristic, value, encrypted, subscriptions
) -> None:
    """Whatever repeats what was written: notified first, then read."""
    for one, characteristic in pairs(service, proxy):
        if not one.repeats(written):
            continue
        after = f'after a write to {written.uuid}'
        if one.behavior == 'echo' and (subscription := subscriptions.get(characteristic.handle)):
            assert await subscription.next() == value, f'what {one.uuid} notifies {after}'
        if one.readable and (encrypted or not one.read_needs_encryption):
            assert await settled(central, characteristic, value) == value, f'what {one.uuid} reads {after}'


async def settled(central: Central, characteristic, value: bytes) -> bytes:
    """Waits until the value is read; a write without response may take a moment."""
    for _ in range(20):
        if (seen := await central.read(characteristic)) == value:
            break
        await asyncio.sleep(0.05)
    return seen
