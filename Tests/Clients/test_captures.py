"""`--pcap`, read by tshark: what was on the virtual radio is dissected without a fault, and is what the events say."""

import asyncio
import pathlib
import struct
import subprocess

import pytest
from attributes import COUNTER, ECHO, INDICATED, LONG_READ, REFUSED
from blepera_tests.events import parse_events
from blepera_tests.paths import ROOT, profile_path
from bleak import BleakClient
from bleak.exc import BleakGATTProtocolError
from conftest import assert_installed, long_value
from program import TIMEOUT
from scanning import find

PHONE = '00:AA:01:00:00:01'
SCENARIOS = sorted((ROOT / 'scenarios').glob('*.plist'))
# The first handle of the apps' services; a phone has those of the system below.
FIRST_HANDLE = 0x0100
CONFIGURATION = '0x2902'
WARNING = 0x00600000
ADV_IND, SCAN_RSP, CONNECT_IND = 0x00, 0x04, 0x05
ERROR, MTU, READ, READ_BLOB, WRITE, PREPARE, EXECUTE = 0x01, 0x03, 0x0A, 0x0C, 0x12, 0x16, 0x18
NOTIFICATION, INDICATION, CONFIRMATION = 0x1B, 0x1D, 0x1E
ATTRIBUTE_NOT_FOUND, READ_NOT_PERMITTED = 0x0A, 0x02
# The errors with which the phone refuses a request that no app receives; the central pairs and repeats it.
NOT_ENCRYPTED = (0x05, 0x0F)
FIELDS = {
    'faults': '_ws.expert.message', 'severity': '_ws.expert.severity', 'layers': 'frame.protocols',
    'pdu': 'btle.advertising_header.pdu_type', 'types': 'btcommon.eir_ad.entry.type',
    'name': 'btcommon.eir_ad.entry.device_name', 'opcode': 'btatt.opcode', 'handle': 'btatt.handle',
    'uuids': 'btatt.uuid16', 'length': 'btatt.length', 'value': 'btatt.value', 'offset': 'btatt.offset',
    'error': 'btatt.error_code', 'mtu': 'btatt.server_rx_mtu',
    'notifies': 'btatt.characteristic_configuration_client.notification',
    'time': 'frame.time_epoch', 'control': 'btle.control_opcode', 'reason': 'btle.control.error_code',
    'flags': 'btle_rf.flags',
}


def dissect(path: pathlib.Path) -> list[dict[str, str]]:
    """The fields of each packet, as tshark prints them; empty where a packet has no such field."""
    assert_installed('tshark')
    words = ['tshark', '-r', str(path), '-T', 'fields', '-E', 'separator=/t']
    done = subprocess.run(
        [*words, *(word for field in FIELDS.values() for word in ('-e', field))],
        check=True, capture_output=True, text=True,
    )
    return [dict(zip(FIELDS, line.split('\t'), strict=True)) for line in done.stdout.splitlines()]


def unchecked(path: pathlib.Path) -> pathlib.Path:
    """The same packets without the flags that their CRC is right, so that tshark computes that of advertising packets."""
    data = bytearray(path.read_bytes())
    place = 24
    while place < len(data):
        (length,) = struct.unpack_from('<I', data, place + 8)
        (flags,) = struct.unpack_from('<H', data, place + 24)
        struct.pack_into('<H', data, place + 24, flags & ~0x0C00)
        place += 16 + length
    assert place == len(data)
    copy = path.with_suffix('.unchecked')
    copy.write_bytes(data)
    return copy


def faults(packets: list[dict[str, str]]) -> list[dict[str, str]]:
    return [packet for packet in packets if is_faulty(packet) and not is_long_include(packet)]


def is_faulty(packet: dict[str, str]) -> bool:
    severities = [int(severity) for severity in packet['severity'].split(',') if severity]
    return 'malformed' in packet['layers'] or any(severity >= WARNING for severity in severities)


def is_long_include(packet: dict[str, str]) -> bool:
    """A declaration of an included service with a 128-bit UUID, which it leaves out: tshark 4.0 reads one all the same."""
    return packet['opcode'] == '0x09' and '0x2802' in packet['uuids'].split(',') and packet['length'] == '6'


class Capture:
    """The packets of a capture, which has to be valid."""

    def __init__(self, path: pathlib.Path):
        self.packets = dissect(path)
        assert faults(self.packets) == []
        assert faults(dissect(unchecked(path))) == []

    def advertising(self, pdu: int) -> list[dict[str, str]]:
        return [packet for packet in self.packets if packet['pdu'] and int(packet['pdu'], 0) == pdu]

    def att(self, opcode: int) -> list[dict[str, str]]:
        return [packet for packet in self.packets if packet['opcode'] and int(packet['opcode'], 0) == opcode]

    def of_apps(self, opcode: int) -> list[dict[str, str]]:
        return [packet for packet in self.att(opcode) if int(packet['handle'], 0) >= FIRST_HANDLE]

    @property
    def configurations(self) -> list[dict[str, str]]:
        return [packet for packet in self.of_apps(WRITE) if CONFIGURATION in packet['uuids'].split(',')]

    @property
    def writes(self) -> list[dict[str, str]]:
        """The writes without those that were refused until the link was encrypted."""
        kept: list[dict[str, str]] = []
        for packet in self.packets:
            opcode = int(packet['opcode'] or '0', 0)
            if opcode == WRITE and int(packet['handle'], 0) >= FIRST_HANDLE:
                kept += [] if CONFIGURATION in packet['uuids'].split(',') else [packet]
            elif opcode == ERROR and int(packet['error'], 0) in NOT_ENCRYPTED:
                kept = [write for write in kept if write is not kept[-1] or write['handle'] != packet['handle']]
        return kept

    @property
    def errors(self) -> list[int]:
        """The errors without the ends of a discovery, and without those for missing encryption."""
        codes = [int(packet['error'], 0) for packet in self.of_apps(ERROR)]
        return [code for code in codes if code not in (ATTRIBUTE_NOT_FOUND, *NOT_ENCRYPTED)]


def values(packets: list[dict[str, str]]) -> list[bytes]:
    return [bytes.fromhex(packet['value']) for packet in packets]


@pytest.mark.parametrize('scenario', SCENARIOS, ids=lambda path: path.stem)
def test_a_scenario(blepera, tmp_path, scenario):
    trace, file = tmp_path / 'trace.jsonl', tmp_path / 'air.pcap'
    words = [blepera, 'scenario', 'run', '--record', trace, '--pcap', file, scenario]
    done = subprocess.run(words, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, '')
    assert file.stat().st_mode & 0o777 == 0o600
    capture = Capture(file)
    events = parse_events(trace.read_text().splitlines()[1:])

    def happened(name: str) -> list[dict]:
        return [event for event in events if event['event'] == name]

    advertised = capture.advertising(ADV_IND)
    # Each begins with its flags; the names, UUIDs and manufacturer data follow.
    assert advertised and all(packet['types'].startswith('0x01,') for packet in advertised)
    names = {packet['name'] for packet in capture.packets if packet['name']}
    if 'Accessories' in scenario.read_text():
        # There are no events of their own.
        assert names <= {event['localName'] for event in happened('advertising') + happened('discovered') if 'localName' in event}
        assert len(capture.advertising(CONNECT_IND)) == len(happened('peripheralConnected'))
        return
    assert names <= {event['localName'] for event in happened('advertising') if 'localName' in event}

    assert len(capture.advertising(CONNECT_IND)) == len(happened('connected'))
    assert len(capture.of_apps(READ)) == len(happened('read'))
    assert values(capture.writes) == [bytes.fromhex(event['value']) for event in happened('write')]
    assert [packet['notifies'] for packet in capture.configurations].count('1') == len(happened('subscribed'))
    notified = [bytes.fromhex(event['value']) for event in happened('notified') for _ in event['centrals']]
    received = values(capture.att(NOTIFICATION))
    # One may be on its way at the end.
    assert received == notified[:len(received)] and len(notified) - len(received) <= 1
    assert capture.errors == [event['error']['code'] for event in happened('read') + happened('write') if 'error' in event]


def test_the_scenarios_have_each_kind_of_packet():
    """So that nothing is compared with nothing above."""
    texts = [path.read_text() for path in SCENARIOS]
    for action in ('read', 'write', 'subscribe', 'receive'):
        assert any(f'Do = {action};' in text for text in texts), action


async def test_a_lab(lab, tmp_path):
    file = tmp_path / 'air.pcap'
    lab('every-kind', options=('--pcap', str(file), '--mtu', '185'))
    device, _ = await find(PHONE)
    async with BleakClient(device) as client:
        assert await client.read_gatt_char(LONG_READ) == long_value()
        await client.write_gatt_char(ECHO, b'hello', response=True)
        await client.write_gatt_char(ECHO, bytes(range(250)), response=True)
        indications, numbers = asyncio.Queue(), asyncio.Queue()
        await client.start_notify(INDICATED, lambda _, value: indications.put_nowait(bytes(value)))
        await client.write_gatt_char(INDICATED, b'indicated', response=True)
        assert await asyncio.wait_for(indications.get(), TIMEOUT) == b'indicated'
        await client.start_notify(COUNTER, lambda _, value: numbers.put_nowait(bytes(value)))
        counted = [await asyncio.wait_for(numbers.get(), TIMEOUT) for _ in range(3)]
        with pytest.raises(BleakGATTProtocolError):
            await client.read_gatt_char(REFUSED)
    # The lab still runs: the file is whole at any time.
    capture = Capture(file)
    assert 'Every' in [packet['name'] for packet in capture.packets]
    assert [packet['mtu'] for packet in capture.att(MTU)] == ['185']
    # 184 bytes a packet.
    assert [packet['offset'] for packet in capture.of_apps(READ_BLOB)] == ['184', '368']
    # bluetoothd does not ask what the only descriptor of a characteristic is, so that tshark does not know either.
    assert values(capture.of_apps(WRITE)) == [b'hello', b'\x02\x00', b'indicated', b'\x01\x00']
    prepared = values(capture.of_apps(PREPARE))
    assert (b''.join(prepared), len(prepared), len(capture.att(EXECUTE))) == (bytes(range(250)), 2, 1)
    assert values(capture.att(INDICATION)) == [b'indicated']
    assert len(capture.att(CONFIRMATION)) == 1
    assert values(capture.att(NOTIFICATION))[:3] == counted
    assert capture.errors == [READ_NOT_PERMITTED]
    # LL_TERMINATE_IND of the central's user.
    assert [packet['reason'] for packet in capture.packets if packet['control'] == '0x02'] == ['0x13']


def test_a_file_that_is_no_capture_is_left_alone(blepera, tmp_path):
    file = tmp_path / 'notes.txt'
    file.write_text('mine')
    done = subprocess.run(
        [blepera, 'serve', '--virtual', '--pcap', file, profile_path('heart-rate')], capture_output=True, text=True
    )
    assert (done.returncode, file.read_text()) == (1, 'mine')
    assert done.stderr.endswith(f'{file}: the file exists and is not a capture of blepera; choose another name\n')
