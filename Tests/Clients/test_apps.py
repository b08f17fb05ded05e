"""An app of another process on a phone of a lab, over AppLink."""

import asyncio
import json
import pathlib
import signal
import sys

from bleak import BleakClient, BleakScanner
from blepera_tests.paths import ROOT
from program import TIMEOUT, Program

SERVICE = 'B7E10001-6F0A-4E0C-9A55-3C1D7E8B9F20'
SWITCH = 'B7E10002-6F0A-4E0C-9A55-3C1D7E8B9F20'
LAMP = 'org.example.lamp'


def counted(log) -> int:
    return sum('"count"' in line for line in log.read_text().splitlines()) if log.exists() else 0


async def until(found, what: str) -> None:
    for _ in range(400):
        if found():
            return
        await asyncio.sleep(0.05)
    raise AssertionError(what)


async def test_process_of_a_suspended_app_is_stopped(lab, blepera):
    """An app that ignores its suspension makes no progress until it is woken, where the phone has launched it."""
    running = lab('heart-rate')
    script = str(ROOT / 'Tests/RealLane/apps/counting_lamp.py')
    lamp = Program(sys.executable, '-IS', script)
    try:
        lamp.line('didStartAdvertising')
        device = await BleakScanner.find_device_by_filter(lambda _, seen: SERVICE.lower() in seen.service_uuids, TIMEOUT)
        async with BleakClient(device) as client:
            lamp.process.kill()
            running.event('preserved', app=LAMP)
            await client.write_gatt_char(SWITCH, b'\1', response=True)
            log = pathlib.Path(running.settings['BLEPERA_STATE_DIR'], 'blepera/heart-rate/apps', f'{LAMP}.log')
            await until(lambda: counted(log) > 3, 'the relaunched lamp does not count')
            suspended = Program(blepera, 'suspend', LAMP)
            assert suspended.wait() == 0, suspended.errors
            running.event('state', app=LAMP, state='suspended')
            before = counted(log)
            await asyncio.sleep(1)
            assert counted(log) - before <= 1, 'a suspended app counts on'
            before = counted(log)
            await client.write_gatt_char(SWITCH, b'\0', response=True)
            await until(lambda: counted(log) > before + 3, 'a woken app does not count')
            messages = [json.loads(line) for line in log.read_text().splitlines()]
            assert {'welcome': {
                'version': 1, 'managers': [{'id': 'lamp', 'role': 'peripheral'}], 'nextService': 2}} in messages
    finally:
        lamp.process.kill()
        lamp.wait()


async def test_a_request_that_a_killed_app_has_not_read_waits_for_its_relaunch(lab):
    """The app is stopped, so that the write stays in its socket, and then killed."""
    running = lab('heart-rate')
    lamp = Program(sys.executable, '-IS', str(ROOT / 'Tests/RealLane/apps/counting_lamp.py'))
    try:
        lamp.line('didStartAdvertising')
        device = await BleakScanner.find_device_by_filter(lambda _, seen: SERVICE.lower() in seen.service_uuids, TIMEOUT)
        async with BleakClient(device) as client:
            lamp.process.send_signal(signal.SIGSTOP)
            writing = asyncio.ensure_future(client.write_gatt_char(SWITCH, b'\1', response=True))
            await asyncio.sleep(0.5)
            assert not writing.done()
            lamp.process.kill()
            await asyncio.wait_for(writing, TIMEOUT)
            running.event('relaunching', app=LAMP)
    finally:
        lamp.process.kill()
        lamp.wait()
