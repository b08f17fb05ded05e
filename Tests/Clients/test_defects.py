"""Defects of iPhones: the commands, and an app in Python that loses its transfer to a phone with one."""

import asyncio
import contextlib
import json
import subprocess

import pytest
from blepera import App, Lab, PhoneError
from blepera_tests.paths import profile_path
from program import TIMEOUT

BOARD = '''{
  Name = Board; Advertisement = { ServiceUUIDs = (180D); };
  Services = ({
    UUID = 180D;
    Characteristics = ({ UUID = FE01; Properties = (writeWithoutResponse); Permissions = (writeable); });
  });
}'''
CHUNKS = 30
STALLED = 0.3
"""The seconds after which an app writes against the flag: reported apps wait 5 s."""


@pytest.fixture
def lab(blepera, tmp_path, monkeypatch):
    """Starts a lab with the board; the options are the lab's."""
    (board := tmp_path / 'board.plist').write_text(BOARD)
    with contextlib.ExitStack() as labs:

        def start(**options) -> Lab:
            lab = labs.enter_context(Lab([profile_path('heart-rate')], program=blepera, accessory=board, **options))
            for name, value in lab.environment.items():
                monkeypatch.setenv(name, value)
            return lab

        yield start


async def ready(peripheral, timeout: float) -> bool:
    """Polls the flag each 50 ms."""
    with contextlib.suppress(asyncio.TimeoutError):
        async with asyncio.timeout(timeout):
            while not peripheral.can_send_write_without_response:
                await asyncio.sleep(0.05)
    return peripheral.can_send_write_without_response


async def send(characteristic, cure: str | None) -> None:
    for number in range(CHUNKS):
        if cure == 'poll':
            assert await ready(characteristic.peripheral, TIMEOUT), 'the flag stays false'
        elif cure == 'against':
            await ready(characteristic.peripheral, STALLED)
        # Without a cure the write waits for the phone's call.
        await characteristic.write(bytes([number]), response=False, wait=cure is None)


@pytest.mark.parametrize(('defect', 'cure', 'is_saved'), [
    (None, None, True), ('silent-ready', None, False), ('silent-ready', 'poll', True), ('write-stall', None, False),
    ('write-stall', 'poll', False), ('write-stall', 'against', True),
])
async def test_a_transfer_needs_the_cure_of_the_defect(lab, defect, cure, is_saved):
    phones = lab(defect=defect)
    app = App('org.example.board')
    central = app.central
    async with app:
        async for discovery in central.scan(['180D']):
            if discovery.local_name is None:  # the other peripheral is the phone's own app
                break
        await asyncio.wait_for(central.connect(discovery.peripheral), TIMEOUT)
        board = await discovery.peripheral.characteristic('180D', 'FE01')
        sending = asyncio.ensure_future(send(board, cure))
        if is_saved:
            await asyncio.wait_for(sending, 5 * TIMEOUT)
            phones.wait_for('write', side='accessory', value=f'{CHUNKS - 1:02X}')
        else:
            await asyncio.sleep(2)
            assert not sending.done()
            # The flag turns true silently, or stays false.
            assert discovery.peripheral.can_send_write_without_response is (defect == 'silent-ready')
            sending.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await sending
    written = [event['value'] for event in phones.events if event['event'] == 'write']
    assert written == [f'{number:02X}' for number in range(CHUNKS if is_saved else 1)]


def test_a_defect_is_in_the_list_the_status_the_events_and_the_doctor(blepera, lab):
    listed = json.loads(subprocess.run([blepera, 'defects', '--json'], capture_output=True, check=True).stdout)
    names = [defect['name'] for defect in listed['defects']]
    assert all(defect['source'] and defect['effect'] and defect['versions'] for defect in listed['defects'])
    text = subprocess.run([blepera, 'defects'], capture_output=True, text=True, check=True).stdout
    assert [line for line in text.splitlines() if line and line[0] != ' '] == names
    phones = lab(defect=['write-stall', 'parameter-storm'])
    phone = phones.phone
    assert phone.status()['defects'] == ['write-stall', 'parameter-storm']
    for name in names:
        phone.defect(name, on=False)
        phone.wait_for('commandReceived', defect=name, on=False)
    assert 'defects' not in phone.status()
    phone.defect('reconnect-gap')
    assert phone.status()['defects'] == ['reconnect-gap']
    doctor = subprocess.run([blepera, 'doctor', '--json'], capture_output=True, text=True).stdout
    assert [one['state'] for one in json.loads(doctor)['findings'] if one['subject'] == 'phone'] == [
        'has the defect reconnect-gap']
    with pytest.raises(PhoneError, match="'no-such' is invalid"):
        phone.defect('no-such')


def test_a_defect_of_the_link_layer_needs_a_virtual_radio(blepera):
    done = subprocess.run(
        [blepera, 'serve', '--defect', 'parameter-storm', profile_path('heart-rate')], capture_output=True, text=True)
    assert done.returncode == 64
    assert "'--defect parameter-storm' requires '--virtual'" in done.stderr
