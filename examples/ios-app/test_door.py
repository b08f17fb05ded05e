"""The central of the door, with the app of its key beside it. Run with: pytest"""

import asyncio

import pytest
from bleak import BleakClient, BleakScanner

COMMAND, STATE = (f'8e7f1a1{number}-4b0c-4e1b-9b6b-6b1c2d3e4f50' for number in (1, 2))
LOCKED, UNLOCKED = b'\0', b'\1'

pytestmark = pytest.mark.blepera(app=['.build/debug/door-key'])


async def test_the_key_opens_the_door(blepera_phone):
    key = await BleakScanner.find_device_by_name('Door')
    async with BleakClient(key) as client:
        assert await client.read_gatt_char(STATE) == LOCKED
        await client.pair()
        await client.write_gatt_char(COMMAND, UNLOCKED)
        assert await client.read_gatt_char(STATE) == UNLOCKED


async def test_the_app_is_terminated_and_relaunched(blepera_phone):
    states = asyncio.Queue()
    key = await BleakScanner.find_device_by_name('Door')
    async with BleakClient(key) as client:
        await client.pair()
        await client.start_notify(STATE, lambda _, value: states.put_nowait(bytes(value)))
        assert await states.get() == LOCKED
        blepera_phone.background()
        blepera_phone.terminate()
        await client.write_gatt_char(COMMAND, UNLOCKED)
        assert await states.get() == UNLOCKED
    assert blepera_phone.wait_for('relaunching')
