"""The lamp is suspended, killed and restored, and the gateway notices none of it. Run with: pytest"""

import asyncio
import pathlib
import sys

import pytest
from bleak import BleakClient, BleakScanner

SWITCH = 'b7e10002-6f0a-4e0c-9a55-3c1d7e8b9f20'
ON, OFF = b'\1', b'\0'
LAMP = pathlib.Path(__file__).with_name('lamp.py')


@pytest.mark.asyncio
@pytest.mark.blepera(app=[sys.executable, LAMP])
async def test_a_lamp_that_is_suspended_killed_and_restored(blepera_phone):
    values = asyncio.Queue()
    async with BleakClient(await BleakScanner.find_device_by_name('Lamp')) as central:
        await central.start_notify(SWITCH, lambda _, value: values.put_nowait(value))

        blepera_phone.suspend()
        await central.write_gatt_char(SWITCH, ON, response=True)
        assert await values.get() == ON
        blepera_phone.wait_for('state', state='suspended')
        blepera_phone.wait_for('state', state='background', reason='woken for a write')

        blepera_phone.terminate()
        await central.write_gatt_char(SWITCH, OFF, response=True)
        assert await values.get() == OFF
        blepera_phone.wait_for('restored', awaitedSubscriptions=1)
