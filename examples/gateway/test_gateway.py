"""What the gateway has to cope with. Run with: pytest"""

import subprocess
from contextlib import aclosing

import gateway
import pytest
from bleak import BleakScanner


async def first_beat():
    async with aclosing(gateway.beats()) as beats:
        return await anext(beats)


async def test_an_app_in_front(phone):
    phone()
    assert 60 <= await first_beat() <= 100


async def test_an_app_in_the_background(phone):
    phone('--background')
    found = await BleakScanner.discover(timeout=3, return_adv=True)
    [(_, advertisement)] = found.values()
    assert (advertisement.local_name, advertisement.service_uuids) == (None, [])
    assert 60 <= await first_beat() <= 100


async def test_an_app_that_is_left_meanwhile(phone):
    phone()
    assert 60 <= await first_beat() <= 100
    subprocess.run(['blepera', 'background'], check=True)
    assert 60 <= await first_beat() <= 100
    subprocess.run(['blepera', 'suspend'], check=True)
    assert 60 <= await first_beat() <= 100


@pytest.mark.parametrize('ios', ['11', '14', '26'])
async def test_each_ios(phone, ios):
    phone('--background', '--ios', ios)
    assert 60 <= await first_beat() <= 100


async def test_a_bad_radio(phone):
    phone('--rssi', '-95', '--loss', '40')
    assert 60 <= await first_beat() <= 100
