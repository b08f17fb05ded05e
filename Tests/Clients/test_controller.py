"""A phone over a controller of a lab, whose other controllers are Bumble's: docs/controller.md."""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time

import pytest
from blepera_tests.paths import profile_path
from bumble.core import UUID, AdvertisingData
from bumble.device import Peer
from program import TIMEOUT, Program
from test_captures import dissect, faults
from test_hci import attached, host_records, part, received
from test_hci_pairing import connected, host
from test_schemas import validate

HEART_RATE = str(profile_path('heart-rate'))


def place(transport: str) -> str:
    """The controller at an end of the lab, as --controller takes it."""
    return transport.replace('tcp-client:', 'tcp:')


class Phone:
    """The user's phone, outside the lab: what `serve` prints, and commands from another terminal."""

    def __init__(self, blepera: str):
        self.blepera = blepera
        self.folder = tempfile.mkdtemp(prefix='phone-', dir='/tmp')  # short, for the name of the socket
        lab = ('BLEPERA_', 'DBUS_SYSTEM_BUS_ADDRESS')
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(lab)}
        self.environment |= {'XDG_RUNTIME_DIR': self.folder, 'XDG_STATE_HOME': self.folder}
        self.serving: Program | None = None

    def serve(self, *words: str) -> Program:
        self.serving = Program(self.blepera, 'serve', '--json', *words, env=self.environment)
        self.serving.line('"event":"advertising"')
        return self.serving

    def run(self, *words: str) -> str:
        words = (self.blepera, *words)
        done = subprocess.run(words, env=self.environment, capture_output=True, text=True, timeout=TIMEOUT)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def end(self) -> None:
        """Quits the apps, and returns when the phone has ended."""
        if self.serving:
            self.serving.end(signal.SIGINT)
            self.serving = None
        deadline = time.monotonic() + TIMEOUT
        # Fails once there is no phone.
        while subprocess.run([self.blepera, 'shutdown'], env=self.environment, capture_output=True).returncode == 0:
            assert time.monotonic() < deadline, 'the phone does not end'
            time.sleep(0.1)

    def close(self) -> None:
        try:
            self.end()
        finally:
            shutil.rmtree(self.folder)


@pytest.fixture
def phone(blepera):
    phone = Phone(blepera)
    yield phone
    phone.close()


@pytest.mark.parametrize('kind', ['', ',legacy'], ids=['extended', 'legacy'])
async def test_a_phone_serves_over_a_controller(lab, phone, tmp_path, kind):
    air = lab(options=('--hci', f'tcp:0{kind}', '--hci', 'tcp:0'), is_private=True)
    controller, central = air.settings['BLEPERA_HCI'].split()
    packets = tmp_path / 'phone.btsnoop'
    serving = await asyncio.to_thread(
        phone.serve, '--controller', place(controller), '--btsnoop', str(packets), '--device-name', 'Ada', HEART_RATE
    )
    status = json.loads(await asyncio.to_thread(phone.run, 'status', '--json'))
    validate(status, 'status')
    assert (status['adapter'], status['radio']) == (place(controller), 'poweredOn')
    assert status['controller']['extended'] == (kind == '') and 'bluez' not in status
    assert status['controller']['sets'] == (1 if kind else 16)
    async with attached(central) as device:
        front = await received(device)
        assert part(front, AdvertisingData.COMPLETE_LOCAL_NAME) == b'Heart Rate'
        assert str(front.address).removesuffix('/P') == status['address']['current']
        connection = await connected(device, 'Heart Rate')
        peer = Peer(connection)
        assert await asyncio.wait_for(peer.request_mtu(517), TIMEOUT) == 517
        await peer.discover_services()
        await peer.discover_characteristics()
        (name,) = peer.get_characteristics_by_uuid(UUID(0x2A00))
        assert await name.read_value() == b'Ada'
        (rate,) = peer.get_characteristics_by_uuid(UUID(0x2A37))
        values = asyncio.Queue()
        await peer.subscribe(rate, values.put_nowait)
        assert (await asyncio.wait_for(values.get(), TIMEOUT))[0] == 6
        await asyncio.to_thread(serving.line, '"event":"subscribed"')
        # The phone advertises beside a link.
        await asyncio.to_thread(phone.run, 'background')
        back = await received(device)
        assert part(back, AdvertisingData.COMPLETE_LOCAL_NAME) is None
        await connection.disconnect()
        await asyncio.to_thread(serving.line, '"event":"disconnected"')
    await asyncio.to_thread(phone.end)
    records = host_records(packets)
    assert records[0][1] == bytes.fromhex('01030c00'), 'the first command is Reset'
    assert packets.stat().st_mode & 0o777 == 0o600
    dissected = dissect(packets)
    assert len(dissected) == len(records) and faults(dissected) == []


async def test_bonds_outlive_a_change_of_controllers(lab, phone):
    air = lab(options=('--hci', 'tcp:0', '--hci', 'tcp:0', '--hci', 'tcp:0'), is_private=True)
    former, other, central = air.settings['BLEPERA_HCI'].split()
    profile = str(profile_path('say-something'))
    async with host(central, 'F0:F1:F2:F3:F4:F5', mitm=False) as device:
        serving = await asyncio.to_thread(phone.serve, '--controller', place(former), profile)
        connection = await connected(device, 'iPad')
        await asyncio.wait_for(connection.pair(), TIMEOUT)
        await asyncio.to_thread(serving.line, '"event":"paired"')
        ((identity, _),) = await device.keystore.get_all()
        await connection.disconnect()
        await asyncio.to_thread(serving.line, '"event":"disconnected"')
        await asyncio.to_thread(phone.end)

        await asyncio.to_thread(phone.serve, '--controller', place(other), profile)
        status = json.loads(await asyncio.to_thread(phone.run, 'status', '--json'))
        assert status['address']['identity'] == identity.removesuffix('/P')
        assert [bond['role'] for bond in status['bonds']] == ['central']
        connection = await connected(device, 'iPad')
        await asyncio.wait_for(connection.encrypt(), TIMEOUT)
        assert connection.is_encrypted


async def test_a_scan_over_a_controller_keeps_both_packets_apart(lab, phone):
    air = lab('heart-rate', options=('--hci', 'tcp:0', '--background'), is_private=True)
    words = ['scan', '--json', '--seconds', '3', '--services', '180D', '--controller', place(air.settings['BLEPERA_HCI'])]
    lines = [json.loads(line) for line in (await asyncio.to_thread(phone.run, *words)).splitlines()]
    assert [line['event'] for line in lines[:3]] == ['started', 'scanning', 'discovered']
    for line in lines:
        validate(line, 'scan')
    ios, android, android16 = lines[2]['centrals']
    assert (ios['discovered'], ios['overflowServiceUUIDs'][0]['uuid']) == (True, '180D')
    # Android up to 15 keeps the later of Apple's two structures, Android 16 joins both.
    assert android['manufacturerData'][0]['data'].startswith('01')
    assert android16['manufacturerData'][0]['data'].startswith('10')


async def test_the_doctor_examines_a_controller(lab, blepera, phone):
    air = lab(options=('--hci', 'tcp:0,legacy'), is_private=True)
    words = ('doctor', '--json', '--controller', place(air.settings['BLEPERA_HCI']))
    report = json.loads(await asyncio.to_thread(phone.run, *words))
    validate(report, 'doctor')
    subjects = {finding['subject']: finding for finding in report['findings']}
    assert subjects['controller']['severity'] == 'ok' and 'legacy advertising' in subjects['controller']['state']
    assert subjects['limitation']['severity'] == 'note'


@pytest.mark.parametrize(
    'controller, text',
    [('tcp:127.0.0.1:1', 'Connection refused'), ('unix:/nonexistent/hci', 'No such file or directory')],
)
def test_a_controller_that_is_not_there_is_one_error(blepera, phone, controller, text):
    for words in (['serve', HEART_RATE], ['scan'], ['system']):
        done = subprocess.run(
            [blepera, *words, '--controller', controller], env=phone.environment, capture_output=True, text=True,
            timeout=TIMEOUT,
        )  # fmt: skip
        assert done.returncode == 1, words
        assert done.stderr.startswith(f'error: {controller} cannot be opened: {text}; '), words
