"""The address on the air, where main.conf asks for a private one."""

import pytest
from bumble.hci import Address
from bumble.smp import AddressResolver
from rig.air import ADAPTER
from rig.bluez import RECOMMENDED
from rig.central import Central
from rig.stage import Stage

from . import every_kind as kind
from .phone import BOTH

PRIVATE = RECOMMENDED.replace('[General]\n', '[General]\nPrivacy = device\n')


@pytest.mark.by_release('pairing with a private address fails with Linux 7.2')
@BOTH
@pytest.mark.bluetoothd(configuration=PRIVATE)
async def test_the_address_is_private_and_resolved_by_a_bonded_central(stage: Stage):
    """The addresses are an iPhone's: resolvable and private, with the key that a central receives in pairing."""
    if stage.minor not in (66, 82):
        pytest.skip('5.55 has no encrypted notifications; with 5.87 and Linux 7.2 pairing fails (DHKey Check Failed)')
    lines = (await stage.ask('doctor')).splitlines()
    assert not [line for line in lines if 'public address' in line], lines
    await stage.serve('every-kind')
    central = await stage.central()
    address = await address_on_air(stage, central)
    assert address.is_resolvable, f'on the air is {address}'

    await stage.air.connect(central, address=address)
    await central.discover()
    await central.pair()
    [(_, keys)] = await central.device.keystore.get_all()
    assert identity(address, keys.irk.value) == ADAPTER
    assert identity(address, bytes(16)) is None
    await central.disconnect()

    address = await address_on_air(stage, central)
    assert identity(address, keys.irk.value) == ADAPTER, f'on the air is {address}'
    await stage.air.connect(central, bonded=True, address=address)
    await central.discover()
    assert await central.read(central.characteristic(kind.SECRET))


async def address_on_air(stage: Stage, central: Central) -> Address:
    """The address on the air."""
    async with stage.air.hurry():
        advertisement = await central.next_advertisement()
    assert advertisement, 'nothing is on the air'
    return advertisement.address


def identity(address: Address, key: bytes) -> Address | None:
    return AddressResolver([(key, ADAPTER)]).resolve(address)
