"""What the gateway has to cope with. Run with: pytest"""

from contextlib import aclosing

import gateway
import pytest
from bleak import BleakScanner


async def first_beat():
    async with aclosing(gateway.beats()) as beats:
        return await anext(beats)


async def test_an_app_in_the_foreground(blepera_phone):
    assert 60 <= await first_beat() <= 100


@pytest.mark.blepera(background=True)
async def test_an_app_in_the_background(blepera_phone):
    found = await BleakScanner.discover(timeout=3, return_adv=True)
    [(_, advertisement)] = found.values()
    assert (advertisement.local_name, advertisement.service_uuids) == (None, [])
    assert 60 <= await first_beat() <= 100


async def test_an_app_that_moves_to_the_background_meanwhile(blepera_phone):
    assert 60 <= await first_beat() <= 100
    blepera_phone.background()
    assert 60 <= await first_beat() <= 100
    blepera_phone.suspend()
    assert 60 <= await first_beat() <= 100


@pytest.mark.parametrize('blepera_options', [{'ios': 11}, {'ios': 14}, {'ios': 26}], ids=str)
@pytest.mark.blepera(background=True)
async def test_each_ios(blepera_phone):
    assert 60 <= await first_beat() <= 100


@pytest.mark.blepera(rssi=-95, loss=40, seed=7)
async def test_a_bad_radio(blepera_phone):
    assert 60 <= await first_beat() <= 100
