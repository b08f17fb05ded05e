"""An app of `blepera.App` with two managers of each role, on a phone of its own in a lab."""

import contextlib
import os
import signal
import sys
import time

from blepera import Lab
from blepera_tests.paths import ROOT
from bleak import BleakClient, BleakScanner
from program import TIMEOUT, Program

APPLE = 0x004C
STRAP = ROOT / 'profiles/accessories/heart-strap.plist'
LIGHT = '6b3d0021-52a1-4e7c-9a0b-8d4f1c2e3a5b'
RESTORED = {
    'doors': ['restored', 'on'], 'central doors': ['restored connected', 'on'], 'lights': ['restored', 'on', 'written'],
    'sensors': ['restored', 'on'],
}


def by_manager(lines: list[str]) -> dict[str, list[str]]:
    return {name: [line.removeprefix(f'{name} ') for line in lines if line.startswith(f'{name} ')] for name in RESTORED}


async def test_managers_are_restored_after_a_kill_and_a_restart_of_the_phone(blepera, tmp_path, monkeypatch):
    """Each by itself, before the write that has launched the app."""
    (output := tmp_path / 'output').touch()

    def wait_for(*lines: str) -> list[str]:
        end = time.monotonic() + TIMEOUT
        while not all(line in output.read_text().splitlines() for line in lines):
            assert time.monotonic() < end, f'{lines} in {output.read_text()}'
            time.sleep(0.05)
        return output.read_text().splitlines()

    async def write() -> dict[str, list[str]]:
        """Writes to the phone, which launches the app; returns what its managers have printed."""
        device = await BleakScanner.find_device_by_filter(
            lambda _, seen: APPLE in seen.manufacturer_data, TIMEOUT, bluez={'adapter': 'hci1'})
        assert device, 'the phone is on the air, in the background'
        async with BleakClient(device, bluez={'adapter': 'hci1'}) as client:
            await client.write_gatt_char(LIGHT, b'\1', response=True)
        return by_manager(wait_for('lights written', 'sensors on'))

    options = {'accessory': STRAP, 'link_interval': 7.5, 'adapters': 2, 'experimental': True}
    with Lab(program=blepera, **options) as lab, contextlib.ExitStack() as phones:
        environment = {**os.environ, **lab.environment, 'BLEPERA_STATE_DIR': str(tmp_path)}
        for name, value in lab.environment.items():
            monkeypatch.setenv(name, value)
        words = [blepera, 'system', '--adapter', 'hci0', '--json']
        phone = Program(*words, env=environment)
        phones.callback(phone.process.kill)
        phone.line('"event":"poweredOn"')
        app = Program(sys.executable, '-S', ROOT / 'Tests/Clients/programs/managers.py', ROOT / 'Packaging/python',
                      output, env=environment)
        wait_for('central doors connected', 'sensors on')
        app.process.kill()
        app.wait()
        output.write_text('')
        phone.line('"event":"preserved"')
        assert await write() == RESTORED
        assert phone.end(signal.SIGTERM) == 143
        # The accessory may launch the app before the write does.
        output.write_text('')
        phone = Program(*words, env=environment)
        phones.callback(phone.process.kill)
        phone.line('"event":"advertising"')
        # The phone waits for the accessory again, and may have it by now.
        again = await write()
        assert again.pop('central doors')[0] in ('restored connected', 'restored connecting')
        assert again == {name: lines for name, lines in RESTORED.items() if name != 'central doors'}
        assert phone.end(signal.SIGTERM) == 143
