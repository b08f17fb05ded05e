"""Profiles as their property lists say: the advertisement, and every attribute read, written and subscribed to."""

import pytest
from rig.stage import Stage

from .attributes import check_advertisement, check_attributes, check_services, needs_encryption

# five-services has an included service.
PROFILES = ['every-kind', 'five-services']
STARTS = 5


@pytest.mark.parametrize('name', PROFILES)
async def test_profile(stage: Stage, name: str):
    profile = stage.profile(name)
    await stage.serve(name)
    central = await stage.central()
    check_advertisement(await central.next_advertisement(), profile)
    await stage.air.connect(central)
    await central.discover()
    check_services(central, profile)
    await check_attributes(central, profile, encrypted=False)
    if any(needs_encryption(one) for service in profile.services for one in service.characteristics):
        await central.pair()
        await check_attributes(central, profile, encrypted=True)


async def test_service_that_includes_two_others(stage: Stage):
    """bluetoothd 5.66 crashes when two applications ask for the same handles while they are registered."""
    if stage.minor < 56:
        pytest.skip('bluetoothd before 5.56 crashes when an application whose services include others ends')
    profile = stage.profile('two-includes')
    daemon = await stage.bluez.pid()
    for start in range(STARTS):
        blepera = await stage.serve('two-includes')
        central = await stage.meet()
        check_services(central, profile)
        for service in profile.services:
            for one in service.characteristics:
                value = await central.read(central.characteristic(one.uuid))
                assert value == one.value, f'{one.uuid} at start {start + 1}'
        await central.disconnect()
        await blepera.interrupt()
        await stage.kill_all()
        assert await stage.bluez.pid() == daemon, 'the process of bluetoothd'
