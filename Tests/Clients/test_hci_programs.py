"""Programs of Bumble's own at the HCI of a lab: docs/hci.md."""

import asyncio
import contextlib
import json
import os
import pathlib
import re
import signal
import struct
import sys

import pytest
from blepera import App, Service
from bleak import BleakClient, BleakScanner
from program import Program


def start(program: str, *words: str, home: pathlib.Path) -> Program:
    """A program of Bumble's, which stores keys below the home folder."""
    environment = {**os.environ, 'PYTHONUNBUFFERED': '1', 'XDG_DATA_HOME': str(home)}
    return Program(str(pathlib.Path(sys.executable).with_name(program)), *words, env=environment)


async def printed(program: str, *words: str, home: pathlib.Path) -> str:
    """The whole output of a program, without colors."""
    run = start(program, *words, home=home)
    status = await asyncio.to_thread(run.wait)
    text = re.sub(r'\x1b\[[0-9;]*m', '', '\n'.join(run.output + run.errors))
    assert status == 0, text
    return text


async def test_the_gatt_dump_of_bumble_prints_the_whole_database(captured_lab, tmp_path):
    phone = captured_lab('heart-rate', options=('--hci', 'tcp:0'))
    text = await printed('bumble-gatt-dump', phone.settings['BLEPERA_HCI'], 'Heart Rate', home=tmp_path)
    handles = [int(number, 16) for number in re.findall(r'Attribute\(handle=0x([0-9A-F]+)', text)]
    assert handles == [*range(0x0001, 0x000A), *range(0x0100, 0x0106)]
    assert 'Characteristic(handle=0x0102, uuid=UUID-16:2A37 (Heart Rate Measurement), NOTIFY)' in text
    # A central of blepera gets the same answers, octet for octet, and more of them where its MTU is larger.
    async with BleakClient(await BleakScanner.find_device_by_name('Heart Rate')):
        pass
    theirs, ours = answers(tmp_path / 'air.pcap')
    both = [request for request in theirs if request in ours]
    assert {request[0] for request in both} >= {0x08, 0x10}
    assert [request.hex() for request in both if not ours[request].startswith(theirs[request])] == []


def answers(path: pathlib.Path) -> list[dict[bytes, bytes]]:
    """The phone's response to each ATT request, by connection; no response is fragmented."""
    capture, place = path.read_bytes(), 24
    links: dict[bytes, dict[bytes, bytes]] = {}
    request = None
    while place < len(capture):
        (length,) = struct.unpack_from('<I', capture, place + 8)
        packet = capture[place + 16 : place + 16 + length]
        place += 16 + length
        # After the pseudo header of 10 octets: access address, header, length; L2CAP's length and channel.
        direction = struct.unpack_from('<H', packet, 8)[0] & 0x0380
        if direction == 0 or packet[14] & 3 != 2 or packet[18:20] != b'\x04\x00':
            continue
        if direction == 0x0100:
            request = packet[20:-3]
        elif request:
            links.setdefault(packet[10:14], {})[request] = packet[20:-3]
            request = None
    return list(links.values())


async def test_the_pairing_program_of_bumble_pairs_with_the_phone(captured_lab, tmp_path):
    phone = captured_lab('say-something', options=('--hci', 'tcp:0'))
    config, keys = tmp_path / 'device.json', tmp_path / 'keys.json'
    config.write_text(json.dumps({'name': 'Box', 'address': 'F0:F1:F2:F3:F4:F5'}))
    options = ['--mode', 'le', '--io', 'none', '--mitm', 'false', '--keystore-file', str(keys)]
    run = start('bumble-pair', *options, str(config), phone.settings['BLEPERA_HCI'], 'iPad', home=tmp_path)
    await asyncio.to_thread(run.line, '*** Paired!')
    assert phone.event('paired')['central'] == 'F0:F1:F2:F3:F4:F5'
    # The program disconnects, and does not end by itself: bumble 0.0.236 does not call `done()`.
    await asyncio.to_thread(phone.event, 'disconnected')
    run.end(signal.SIGTERM)
    (bonds,) = json.loads(keys.read_text()).values()
    (bond,) = bonds.values()
    assert set(bond) >= {'ltk', 'irk'}


SPEED, SPEED_TX, SPEED_RX = (
    '50DB505C-8AC4-4738-8448-3B1D9CC09CC5',
    'E789C754-41A1-45F4-A948-A0A1A90DBA53',
    '016A2CC7-E14B-4819-935F-1F56EAE4098D',
)


class BenchApp:
    """An app that acknowledges each packet of `bumble-bench`, as a characteristic and as an L2CAP channel."""

    def __init__(self) -> None:
        self.app = App('org.example.bench')
        service = Service(SPEED)
        tx = service.characteristic(SPEED_TX, 'write', 'writeWithoutResponse')
        rx = service.characteristic(SPEED_RX, 'notify')
        self.sizes: list[int] = []

        @tx.on_write
        def write(central, packet) -> None:
            if answer := self.receive(packet):
                rx.update(answer)

        self.channel = self.app.publish_channel(self.serve)
        self.app.add(service)
        self.app.advertise('Bench')

    def receive(self, packet: bytes) -> bytes | None:
        """The acknowledgment: its kind, and the packet's flags and number; none of a packet that begins a run."""
        if packet[0] != 1:
            return None
        self.sizes.append(len(packet))
        return b'\2' + packet[1:6]

    async def serve(self, channel) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError):
            while True:
                length = int.from_bytes(await channel.reader.readexactly(2), 'big')
                if answer := self.receive(await channel.reader.readexactly(length)):
                    channel.writer.write(len(answer).to_bytes(2, 'big') + answer)


@pytest.mark.parametrize('mode', ['gatt-client', 'l2cap-client'])
async def test_the_benchmark_of_bumble_pings_an_app(captured_lab, tmp_path, mode):
    phone = captured_lab('heart-rate', options=('--hci', 'tcp:0'))
    bench = BenchApp()
    async with bench.app:
        options = ['--mode', mode, '--scenario', 'ping', '--packet-count', '20', '--packet-size', '400']
        words = ['central', '--peripheral', 'Bench', phone.settings['BLEPERA_HCI']]
        text = await printed('bumble-bench', *options, *words, home=tmp_path)
    assert bench.sizes == [400] * 20, text
    assert re.findall(r'Received ACK \[(\d+)\]', text) == [str(number) for number in range(20)]
    assert '@@@ RTTs:' in text and '!!! Unexpected' not in text
