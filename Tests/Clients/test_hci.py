"""Bumble, a Bluetooth host that no one here wrote, at the HCI of a lab: docs/hci.md."""

import asyncio
import contextlib
import json
import os
import pathlib
import re
import socket
import struct
import types

import pexpect
import pytest
from bleak import BleakClient
from blepera import App
from blepera import Service as AppService
from blepera_tests.paths import profile_path
from bumble.att import ATT_Error, ErrorCode
from bumble.core import UUID, AdvertisingData
from bumble.device import Device, Peer
from bumble.gatt import GATT_GENERIC_ACCESS_SERVICE, Characteristic, Service
from bumble.hci import Address
from bumble.l2cap import LeCreditBasedChannelSpec
from bumble.transport import open_transport
from conftest import long_value
from program import TIMEOUT, Program
from scanning import find
from test_captures import MTU, PHONE, PREPARE, Capture, dissect, faults
from test_schemas import output, validate

ENDPOINTS = ['tcp:0', 'tcp:0,legacy', 'unix:{folder}/hci', 'tcp:0,dual']
BOX, LEVEL, SECRET = (f'B1E9E2A0-0000-4000-8000-0000000000{number}' for number in (20, 21, 22))
NEARBY_INFO = '4c0010077b1f'
ECHO = '''{
  CFBundleIdentifier = org.example.echo; UIBackgroundModes = (bluetooth-peripheral);
  BLEPeripheral = { Advertisement = { LocalName = Echo; }; L2CAPChannels = ({ Kind = echo; }); };
}'''
OVERFLOW = '4c000100000000000000200000000000000000'


@pytest.fixture
def endpoint(request, tmp_path) -> str:
    return request.param.format(folder=tmp_path)


@contextlib.asynccontextmanager
async def attached(transport: str, octets: int = 251):
    """A device of Bumble's that has started on the controller, and asks for that data length in its links."""
    async with await open_transport(transport) as (source, sink):
        device = Device.with_hci('box', Address('F0:F1:F2:F3:F4:F5'), source, sink)
        device.host.suggested_max_tx_octets, device.host.suggested_max_tx_time = octets, (octets + 14) * 8
        await asyncio.wait_for(device.power_on(), TIMEOUT)
        yield device


async def received(device: Device, **options) -> AdvertisingData:
    """The first data that a scan receives of the phone: the advertisement with its scan response."""
    seen = asyncio.Queue()
    listener = device.on('advertisement', seen.put_nowait)
    await device.start_scanning(**options)
    report = await asyncio.wait_for(seen.get(), TIMEOUT)
    await device.stop_scanning()
    device.remove_listener('advertisement', listener)
    return report


def part(report, kind: int) -> bytes | None:
    values = [bytes(value) for name, value in report.data.ad_structures if name == kind]
    return values[0] if values else None


@pytest.mark.parametrize('endpoint', ENDPOINTS, ids=['tcp', 'legacy', 'unix', 'dual'], indirect=True)
async def test_bumble_finds_the_phone_in_the_foreground(lab, endpoint):
    phone = lab('heart-rate', options=('--hci', endpoint), is_private=True)
    async with attached(phone.settings['BLEPERA_HCI']) as device:
        assert device.supports_le_extended_advertising == ('legacy' not in endpoint)
        front = await received(device)
        assert part(front, AdvertisingData.COMPLETE_LOCAL_NAME) == b'Heart Rate'
        assert part(front, AdvertisingData.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS) == b'\x0d\x18'
        assert front.address.is_resolvable and front.is_connectable


@pytest.mark.parametrize('endpoint', ENDPOINTS, ids=['tcp', 'legacy', 'unix', 'dual'], indirect=True)
async def test_in_the_background_the_response_has_the_overflow_area(lab, endpoint):
    phone = lab('heart-rate', options=('--hci', endpoint, '--background'), is_private=True)
    phone.event('state', state='background')
    async with attached(phone.settings['BLEPERA_HCI']) as device:
        back = await received(device)
        assert part(back, AdvertisingData.COMPLETE_LOCAL_NAME) is None
        items = [bytes(value) for name, value in back.data.ad_structures if name == 0xFF]
        assert items[0].hex().startswith(NEARBY_INFO)
        assert items[1].hex() == OVERFLOW
        # A passive scanner does not request it.
        quiet = await received(device, active=False)
        assert [bytes(value)[:4] for name, value in quiet.data.ad_structures if name == 0xFF] == [items[0][:4]]


async def test_a_program_on_the_bus_finds_what_bumble_advertises(lab):
    phone = lab(options=('--hci', 'tcp:0'), is_private=True)
    async with attached(phone.settings['BLEPERA_HCI']) as device:
        data = AdvertisingData([(AdvertisingData.COMPLETE_LOCAL_NAME, b'Box')])
        await device.create_advertising_set(
            advertising_data=bytes(data), random_address=Address('C0:00:00:00:00:01')
        )
        found, seen = await find('C0:00:00:00:00:01')
        assert (found.name, seen.local_name) == ('Box', 'Box')


def add_box(device: Device) -> tuple[Characteristic, Characteristic]:
    properties, permissions = Characteristic.Properties, Characteristic.Permissions
    level = Characteristic(
        UUID(LEVEL),
        properties.READ | properties.WRITE | properties.NOTIFY,
        permissions.READABLE | permissions.WRITEABLE,
        bytes([70]),
    )
    secret = Characteristic(
        UUID(SECRET), properties.READ, permissions.READABLE | permissions.READ_REQUIRES_ENCRYPTION, bytes([1, 2])
    )
    device.add_service(Service(UUID(BOX), [level, secret]))
    return level, secret


async def test_a_program_on_the_bus_uses_a_peripheral_of_bumble(captured_lab):
    phone = captured_lab(options=('--hci', 'tcp:0'))
    async with attached(phone.settings['BLEPERA_HCI']) as device:
        level, _ = add_box(device)
        data = AdvertisingData([(AdvertisingData.COMPLETE_LOCAL_NAME, b'Box')])
        await device.create_advertising_set(
            advertising_data=bytes(data), random_address=Address('C0:00:00:00:00:01')
        )
        found, _ = await find('C0:00:00:00:00:01')
        async with BleakClient(found, timeout=TIMEOUT) as client:
            # BlueZ's handle is that of the declaration.
            assert client.services.get_service(BOX).get_characteristic(LEVEL).handle == level.handle - 1
            assert await client.read_gatt_char(LEVEL) == bytes([70])
            await client.write_gatt_char(LEVEL, bytes([60]), response=True)
            assert level.value == bytes([60])
            values = asyncio.Queue()
            await client.start_notify(LEVEL, lambda _, value: values.put_nowait(value))
            await device.notify_subscribers(level, bytes([59]))
            assert await asyncio.wait_for(values.get(), TIMEOUT) == bytes([59])
            # The read is refused at first; Bumble pairs and repeats it.
            assert await client.read_gatt_char(SECRET) == bytes([1, 2])
            (connection,) = device.connections.values()
            assert connection.is_encrypted


@pytest.mark.parametrize('endpoint', ENDPOINTS, ids=['tcp', 'legacy', 'unix', 'dual'], indirect=True)
async def test_bumble_connects_discovers_and_is_notified(captured_lab, endpoint):
    phone = captured_lab('heart-rate', options=('--hci', endpoint))
    async with attached(phone.settings['BLEPERA_HCI']) as device:
        connection = await asyncio.wait_for(device.connect('Heart Rate'), TIMEOUT)
        peer = Peer(connection)
        assert await peer.request_mtu(185) == 185
        await peer.discover_services()
        for service in peer.services:
            await service.discover_characteristics()
        assert peer.services[0].uuid == GATT_GENERIC_ACCESS_SERVICE
        (rate,) = peer.get_characteristics_by_uuid(UUID(0x2A37))
        (place,) = peer.get_characteristics_by_uuid(UUID(0x2A38))
        assert place.handle == rate.handle + 3
        assert await place.read_value() == b'\x01'
        values = asyncio.Queue()
        await peer.subscribe(rate, values.put_nowait)
        assert (await asyncio.wait_for(values.get(), TIMEOUT))[0] == 6
        assert phone.event('subscribed')['central'] == 'F0:F1:F2:F3:F4:F5'
        await connection.disconnect()
        assert phone.event('disconnected')['central'] == 'F0:F1:F2:F3:F4:F5'


async def test_bumble_finds_the_phone_of_serve(blepera, tmp_path):
    environment = {**os.environ, 'XDG_RUNTIME_DIR': str(tmp_path), 'XDG_STATE_HOME': str(tmp_path), 'TERM': 'dumb'}
    words = ['serve', '--virtual', '--hci', 'tcp:0', str(profile_path('heart-rate'))]
    terminal = pexpect.spawn(blepera, words, env=environment, encoding='utf-8', timeout=TIMEOUT, dimensions=(50, 200))
    await asyncio.to_thread(terminal.expect, r'Hosts attach to (\S+)\.\s')
    async with attached(terminal.match[1]) as device:
        front = await received(device)
        assert part(front, AdvertisingData.COMPLETE_LOCAL_NAME) == b'Heart Rate'
        await asyncio.to_thread(terminal.expect, 'host attached')
    terminal.send('q')
    await asyncio.to_thread(terminal.expect, pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 0


async def test_a_trace_with_a_host_is_reported(lab, blepera, tmp_path):
    trace, page = tmp_path / 'run.trace', tmp_path / 'run.html'
    options = ('--hci', 'tcp:0', '--record', str(trace))
    phone = lab('heart-rate', options=options, is_private=True)
    transport = phone.settings['BLEPERA_HCI']
    async with attached(transport) as device:
        connection = await asyncio.wait_for(device.connect('Heart Rate'), TIMEOUT)
        await connection.disconnect()
        phone.event('disconnected')
    await asyncio.to_thread(phone.event, 'hostLeft')
    assert len(host_records(tmp_path / 'run-host1.btsnoop')) > 20
    events = [json.loads(line) for line in trace.read_text().splitlines()]
    hosts = [(event['host'], event['capture']) for event in events if event.get('event') == 'hostAttached']
    assert hosts == [(transport, f'{tmp_path}/run-host1.btsnoop')]
    assert Program(blepera, 'report', str(trace), '-o', str(page)).wait() == 0
    assert 'host attached' in page.read_text()


# The values that a host sees of a phone in the foreground and in the background, from some seconds of advertising.
# A busy machine does not keep the intervals.
INTERVALS = {'foregroundInterval', 'backgroundInterval'}
SEEN = {False: set(), True: {'txPowerLevel', 'txPowerPlace', 'backgroundAppleItems', 'nearbyInfoStatus'}}
LAYOUTS = {
    False: 'foreground: flags, TX power, services, name',
    True: "background: flags, TX power, Apple's 10 | overflow area",
}


def host_records(path) -> list[tuple[int, bytes]]:
    """Flags and H4 packet of each record; the file has whole ones alone."""
    whole, place, records = path.read_bytes(), 16, []
    assert whole[:16] == b'btsnoop\0' + bytes.fromhex('00000001 000003ea')
    while place < len(whole):
        length, included, flags, drops = struct.unpack_from('>4I', whole, place)
        assert (length, drops) == (included, 0)
        records.append((flags, whole[place + 24 : place + 24 + length]))
        place += 24 + length
    assert place == len(whole)
    return records


@pytest.mark.parametrize('endpoint', ENDPOINTS[:2], ids=['tcp', 'legacy'], indirect=True)
@pytest.mark.parametrize('is_behind', [False, True], ids=['foreground', 'background'])
async def test_the_packets_of_a_host_agree_with_the_rules(lab, blepera, tmp_path, endpoint, is_behind):
    options = ('--hci', endpoint, '--pcap', str(tmp_path / 'air.pcap'), *(['--background'] if is_behind else []))
    phone = lab('heart-rate', options=options, is_private=True)
    file = tmp_path / 'air-host1.btsnoop'
    sent, received = [], []
    async with await open_transport(phone.settings['BLEPERA_HCI']) as (source, sink):
        tapped_sink = types.SimpleNamespace(on_packet=lambda packet: (sent.append(packet), sink.on_packet(packet)))
        device = Device.with_hci('box', Address('F0:F1:F2:F3:F4:F5'), source, tapped_sink)
        host_receives = device.host.on_packet
        device.host.on_packet = lambda packet: (received.append(packet), host_receives(packet))
        await asyncio.wait_for(device.power_on(), TIMEOUT)
        advertisements = asyncio.Queue()
        device.on('advertisement', advertisements.put_nowait)
        await device.start_scanning()
        found = await asyncio.wait_for(advertisements.get(), TIMEOUT)
        await asyncio.sleep(10 if is_behind else 3)
        await device.stop_scanning()
        connection = await asyncio.wait_for(device.connect(found.address), TIMEOUT)
        peer = Peer(connection)
        assert await peer.request_mtu(185) == 185
        await peer.discover_services()
        await connection.disconnect()
    assert phone.event('hostAttached')['capture'] == str(file)
    await asyncio.to_thread(phone.event, 'hostLeft')

    # The file has what the host's own log has, both ways.
    assert file.stat().st_mode & 0o777 == 0o600
    records = host_records(file)
    assert [packet for flags, packet in records if not flags & 1] == sent
    assert [packet for flags, packet in records if flags & 1] == received
    assert all(flags & 2 == (2 if packet[0] in (1, 4) else 0) for flags, packet in records)
    packets = dissect(file)
    assert len(packets) == len(records) and faults(packets) == []

    report = output(blepera, 'compare', '--json', '--host-log', '--profile', str(profile_path('heart-rate')), str(file))
    validate(report, 'compare')
    verdicts = {value['name']: value['verdict'] for value in report['values']}
    assert {name for name, verdict in verdicts.items() if verdict == 'agrees'} >= SEEN[is_behind]
    assert {name for name, verdict in verdicts.items() if verdict == 'differs'} <= {'ownHandles', *INTERVALS}
    seen = {(item['name'], item['text']) for item in report['observations']}
    assert seen >= {
        ('MTU as a server', '527'),
        ('first link parameters', '15 ms, latency 0, 720 ms'),
        ('layout', LAYOUTS[is_behind]),
    }


async def test_long_values_are_read_and_written(captured_lab, tmp_path):
    phone = captured_lab('every-kind', options=('--experimental', '--hci', 'tcp:0'))
    uuid = UUID('B1E9E2A0-0000-4000-8000-000000000011')
    async with attached(phone.settings['BLEPERA_HCI']) as device:
        connection = await asyncio.wait_for(device.connect('Every'), TIMEOUT)
        peer = Peer(connection)
        await peer.discover_services()
        await peer.discover_characteristics()
        (long,) = peer.get_characteristics_by_uuid(uuid)
        (echo,) = peer.get_characteristics_by_uuid(UUID('B1E9E2A0-0000-4000-8000-000000000012'))
        assert await long.read_value() == long_value()
        await echo.write_value(b'short', with_response=True)
        assert await echo.read_value() == b'short'
        await echo.write_value(long_value()[:300], with_response=True)
        assert await echo.read_value() == long_value()[:300]
        with pytest.raises(ATT_Error) as refused:
            await peer.gatt_client.write_value(1, b'', with_response=True)
        assert refused.value.error_code == ErrorCode.WRITE_NOT_PERMITTED
    # 18 bytes a packet.
    parts = [bytes.fromhex(packet['value']) for packet in Capture(tmp_path / 'air.pcap').att(PREPARE)]
    assert (b''.join(parts), len(parts)) == (long_value()[:300], 17)


@pytest.mark.parametrize(
    ('options', 'offer', 'short'),
    [
        (('--ios', '14'), 185, 185), (('--ios', '15'), 527, 185), (('--ios', '15', '--phone-kind', '6s'), 185, 185),
        (('--ios', '26'), 527, 185), (('--mtu', '300'), 300, 300),
    ],
)  # fmt: skip
@pytest.mark.parametrize('length', ['none', 'always', 'late'])
async def test_the_att_mtu_follows_the_data_length(captured_lab, tmp_path, options, offer, short, length):
    """The host asks for data length in no link, in each, or in this one after its start."""
    phone = captured_lab('heart-rate', options=('--hci', 'tcp:0', *options))
    async with attached(phone.settings['BLEPERA_HCI'], 251 if length == 'always' else 27) as device:
        connection = await asyncio.wait_for(device.connect('Heart Rate'), TIMEOUT)
        if length == 'late':
            # The phone's controller exchanges lengths, too, at the start of the link.
            is_long = asyncio.Event()
            connection.on(
                'connection_data_length_change',
                lambda: is_long.set() if connection.data_length.max_tx_octets == 251 else None,
            )
            await connection.set_data_length(251, 2120)
            await asyncio.wait_for(is_long.wait(), TIMEOUT)
        own = short if length == 'none' else offer
        assert await asyncio.wait_for(Peer(connection).request_mtu(517), TIMEOUT) == min(own, 517)
        await connection.disconnect()
        phone.event('disconnected')
    # The phone answers with its own offer.
    assert [packet['mtu'] for packet in Capture(tmp_path / 'air.pcap').att(MTU)] == [str(own)]


@pytest.mark.parametrize(('offered', 'mtu'), [(185, 185), (517, 517), (600, 527)])
async def test_packets_without_response_are_full_both_ways(lab, offered, mtu):
    """The test has no capture: the last write is longer than the ATT_MTU, which is a fault."""
    phone = lab('heart-rate', options=('--hci', 'tcp:0'))
    app, written, values = App('org.example.full'), asyncio.Queue(), asyncio.Queue()
    service = AppService(BOX)
    level = service.characteristic(LEVEL, 'writeWithoutResponse', 'notify')
    level.on_write(lambda central, value: written.put_nowait((central.maximum_update_length, len(value))))
    app.add(service)
    app.advertise('Full')
    async with app, attached(phone.settings['BLEPERA_HCI']) as device:
        connection = await asyncio.wait_for(device.connect('Full'), TIMEOUT)
        peer = Peer(connection)
        assert await peer.request_mtu(offered) == mtu
        await peer.discover_services()
        await peer.discover_characteristics()
        (remote,) = peer.get_characteristics_by_uuid(UUID(LEVEL))
        await remote.write_value(bytes(mtu - 3))
        assert await asyncio.wait_for(written.get(), TIMEOUT) == (mtu - 3, mtu - 3)
        await peer.subscribe(remote, values.put_nowait)
        await level.update(bytes(mtu - 3))
        await level.update(bytes(600))
        for _ in range(2):
            assert len(await asyncio.wait_for(values.get(), TIMEOUT)) == mtu - 3
        # A value that is cut or refused is reported.
        assert phone.event('notified', limit=mtu - 3)['value'] == bytes(600).hex()
        await remote.write_value(bytes(600))
        refused = phone.event('write', value=bytes(600).hex(), acknowledged=False)
        assert refused['error'] == {'code': 13, 'name': 'invalidAttributeValueLength'}
        assert written.empty()


async def test_a_channel_of_the_phone_sends_back_what_bumble_sends(captured_lab, tmp_path):
    profile = tmp_path / 'echo.plist'
    profile.write_text(ECHO)
    phone = captured_lab(str(profile), options=('--hci', 'tcp:0'))
    async with attached(phone.settings['BLEPERA_HCI']) as device:
        connection = await asyncio.wait_for(device.connect('Echo'), TIMEOUT)
        channel = await asyncio.wait_for(connection.create_l2cap_channel(LeCreditBasedChannelSpec(psm=0x80)), TIMEOUT)
        sent = bytes(range(256)) * 40
        back = bytearray()
        whole = asyncio.Event()

        def receive(part: bytes) -> None:
            back.extend(part)
            if len(back) == len(sent):
                whole.set()

        channel.sink = receive
        channel.write(sent)
        await asyncio.wait_for(whole.wait(), TIMEOUT)
        assert back == sent
        await asyncio.wait_for(channel.disconnect(), TIMEOUT)
        assert phone.event('l2capClosed')['central'] == 'F0:F1:F2:F3:F4:F5'


async def test_two_hosts_of_one_air_meet(lab):
    phone = lab(options=('--hci', 'tcp:0', '--hci', 'tcp:0'), is_private=True)
    first, second = phone.settings['BLEPERA_HCI'].split()
    async with attached(first) as client, attached(second) as server:
        server.random_address = Address('C0:00:00:00:00:01')
        value = Characteristic(
            UUID(0x2A19), Characteristic.Properties.READ, Characteristic.Permissions.READABLE, bytes([70])
        )
        server.add_service(Service(UUID(0x180F), [value]))
        await server.create_advertising_set(random_address=Address('C0:00:00:00:00:01'))
        connection = await asyncio.wait_for(client.connect('C0:00:00:00:00:01'), TIMEOUT)
        peer = Peer(connection)
        await peer.discover_services()
        await peer.discover_characteristics()
        (level,) = peer.get_characteristics_by_uuid(UUID(0x2A19))
        assert await level.read_value() == bytes([70])
        ended = asyncio.get_running_loop().create_future()
        connection.on('disconnection', ended.set_result)
        (other,) = server.connections.values()
        await other.disconnect()
        # Remote User Terminated Connection.
        assert await asyncio.wait_for(ended, TIMEOUT) == 0x13


@pytest.mark.parametrize('endpoint', ENDPOINTS[2:3], ids=['unix'], indirect=True)
def test_only_its_user_can_open_a_unix_socket(lab, endpoint):
    phone = lab(options=('--hci', endpoint), is_private=True)
    path = pathlib.Path(endpoint.removeprefix('unix:'))
    assert phone.settings['BLEPERA_HCI'] == endpoint
    assert path.is_socket() and path.stat().st_mode & 0o077 == 0
    phone.close()
    assert not path.exists()


def test_a_pty_is_a_controller_too(lab):
    phone = lab(options=('--hci', 'pty'), is_private=True)
    scheme, path = phone.settings['BLEPERA_HCI'].split(':')
    assert scheme == 'serial'
    with open(path, 'r+b', buffering=0) as port:
        port.write(bytes.fromhex('01030c00'))
        assert port.read(7) == bytes.fromhex('040e0401030c00')
        port.write(bytes.fromhex('01091000'))
        assert port.read(13) == bytes.fromhex('040e0a01091000010000' '01aa00')


async def test_a_second_host_is_refused_and_the_place_is_free_again(lab):
    phone = lab(options=('--hci', 'tcp:0'), is_private=True)
    transport = phone.settings['BLEPERA_HCI']
    host, port = transport.split(':')[1:]
    async with attached(transport):
        reader, writer = await asyncio.open_connection(host, port)
        assert await asyncio.wait_for(reader.read(), TIMEOUT) == b''
        writer.close()
        assert phone.event('hostAttached')['host'] == transport
        assert phone.event('hostRefused')['host'] == transport
    await asyncio.to_thread(phone.event, 'hostLeft')
    async with attached(transport):
        pass


async def test_octets_that_are_no_packet_end_the_transport(lab):
    phone = lab(options=('--hci', 'tcp:0'), is_private=True)
    host, port = phone.settings['BLEPERA_HCI'].split(':')[1:]
    reader, writer = await asyncio.open_connection(host, port)
    writer.write(b'\x07')
    # Hardware Error comes first.
    assert await asyncio.wait_for(reader.read(), TIMEOUT) == bytes.fromhex('04100101')
    writer.close()
    assert 'reason' in phone.event('hostLeft')


# Read Local Supported Commands; the response has 71 octets.
COMMAND = bytes.fromhex('01021000')


async def test_a_host_that_does_not_read_does_not_stop_the_air(lab):
    phone = lab('heart-rate', options=('--hci', 'tcp:0'))
    host, port = phone.settings['BLEPERA_HCI'].split(':')[1:]
    with socket.create_connection((host, int(port)), TIMEOUT) as stalled:

        def send_until_the_end() -> None:
            with contextlib.suppress(ConnectionError):
                while True:
                    stalled.sendall(COMMAND * 1000)

        sending = asyncio.create_task(asyncio.to_thread(send_until_the_end))
        await find(PHONE)
        await asyncio.wait_for(sending, TIMEOUT)
    left = await asyncio.to_thread(phone.event, 'hostLeft')
    assert left['reason'] == 'the host does not read what the controller sends'
    await find(PHONE)


@pytest.mark.parametrize(
    'endpoint, words',
    [
        ('tcp:70000', 'tcp:70000'),
        ('udp:1', 'udp:1'),
        ('unix:/no/such/folder/hci', 'unix:/no/such/folder/hci: No such file or directory'),
    ],
)
def test_an_endpoint_that_cannot_be_used_is_an_error(blepera, endpoint, words):
    lab = Program(blepera, 'lab', '--hci', endpoint, '--serve', str(profile_path('heart-rate')), '--', 'true')
    assert lab.wait() != 0
    assert any(words in line for line in lab.errors), lab.errors


SCENARIO = """{{
  Title = "A host outside";
  Phones = ({{ Name = phone; Apps = ({{ Name = heart; Profile = "{profile}"; }}); }});
  Centrals = ({{ Name = gateway; }});
  Steps = (
    {{ Do = serve; }}, {{ Do = wait; Seconds = {front}; }},
    {{ Do = background; }}, {{ Do = wait; Seconds = {back}; }},
    {{ Do = scan; LookFor = {{ OverflowUUID = 180D; }}; }}
  );
}}"""


async def test_a_scenario_in_real_time_waits_for_its_host(blepera, tmp_path):
    scenario = tmp_path / 'host.plist'
    scenario.write_text(SCENARIO.format(profile=profile_path('heart-rate'), front=3, back=3))
    trace, pcap = tmp_path / 'run.trace', tmp_path / 'air.pcap'
    words = ['--hci', 'tcp:0', '--record', str(trace), '--pcap', str(pcap)]
    run = Program(blepera, 'scenario', 'run', *words, str(scenario))
    transport = re.search(r'Hosts attach to (\S+);', await asyncio.to_thread(run.line, 'Hosts attach'))[1]
    async with attached(transport) as device:
        front = await received(device)
        assert part(front, AdvertisingData.COMPLETE_LOCAL_NAME) == b'Heart Rate'
        while part(await received(device), AdvertisingData.COMPLETE_LOCAL_NAME):
            pass
        assert await asyncio.to_thread(run.wait) == 0
    events = map(json.loads, trace.read_text().splitlines())
    (attached_event,) = [event for event in events if event.get('event') == 'hostAttached']
    file = tmp_path / 'air-host1.btsnoop'
    assert (attached_event['host'], attached_event['capture']) == (transport, str(file))
    # The clock is that of the air, which begins on 1 January 2026.
    times = [float(packet['time']) for packet in dissect(file)]
    assert times == sorted(times) and 1767225600 <= times[0] < times[-1] < 1767225600 + 60
    assert max(float(packet['time']) for packet in dissect(pcap)) >= times[-1] - 1


# The app that is never opened has the characteristics that steps may name.
MEETING = f"""{{
  Title = "A peripheral of a host";
  Phones = ({{
    Name = phone;
    Apps = ({{
      Name = box;
      Profile = {{ BLEPeripheral = {{ Services = ({{
        UUID = {BOX};
        Characteristics = (
          {{ UUID = {LEVEL}; Properties = (read); Permissions = (readable); }},
          {{ UUID = {SECRET}; Properties = (read); Permissions = (readable); }}
        );
      }}); }}; }};
    }});
  }});
  Centrals = ({{ Name = gateway; }});
  Steps = (
    {{ Do = scan; LookFor = {{ LocalName = Box; }}; }}, {{ Do = connect; }},
    {{ Do = check; Expect = {{ ServiceUUIDs = ({BOX}); }}; }},
    {{ Do = read; Characteristic = {LEVEL}; Expect = {{ Value = 46; }}; }},
    {{ Do = write; Characteristic = {LEVEL}; Value = 3C; }},
    {{ Do = subscribe; Characteristic = {LEVEL}; }},
    {{ Do = receive; Characteristic = {LEVEL}; Expect = {{ Value = 3C; }}; }},
    {{ Do = pair; }}, {{ Do = read; Characteristic = {SECRET}; Expect = {{ Value = 0102; }}; }},
    {{ Do = disconnect; }}
  );
}}"""


async def test_a_central_of_a_scenario_uses_a_peripheral_of_bumble(blepera, tmp_path):
    scenario, pcap = tmp_path / 'host.plist', tmp_path / 'air.pcap'
    scenario.write_text(MEETING)
    run = Program(blepera, 'scenario', 'run', '--hci', 'tcp:0', '--pcap', str(pcap), str(scenario))
    transport = re.search(r'Hosts attach to (\S+);', await asyncio.to_thread(run.line, 'Hosts attach'))[1]
    async with attached(transport) as device:
        level, _ = add_box(device)
        level.on('subscription', lambda connection, *_: asyncio.create_task(device.notify_subscribers(level)))
        data = AdvertisingData([(AdvertisingData.COMPLETE_LOCAL_NAME, b'Box')])
        await device.create_advertising_set(
            advertising_data=bytes(data), random_address=Address('C0:00:00:00:00:01')
        )
        assert await asyncio.to_thread(run.wait) == 0, run.output
    assert dissect(pcap) and faults(dissect(pcap)) == []


def test_a_scenario_begins_with_what_a_host_sends_to_its_terminal(blepera, tmp_path):
    scenario = tmp_path / 'host.plist'
    scenario.write_text(SCENARIO.format(profile=profile_path('heart-rate'), front=0.1, back=0.1))
    run = Program(blepera, 'scenario', 'run', '--hci', 'pty', str(scenario))
    path = re.search(r'Hosts attach to serial:(\S+);', run.line('Hosts attach'))[1]
    with open(path, 'r+b', buffering=0) as port:
        port.write(bytes.fromhex('01030c00'))
        assert run.wait() == 0


def test_a_capture_that_is_a_pipe_has_no_file_beside_it(lab, tmp_path):
    pipe = tmp_path / 'air.pcap'
    os.mkfifo(pipe)
    with open(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK), 'rb'):
        phone = lab(options=('--hci', 'pty', '--pcap', str(pipe)), is_private=True)
        with open(phone.settings['BLEPERA_HCI'].split(':')[1], 'r+b', buffering=0) as port:
            port.write(bytes.fromhex('01030c00'))
            assert 'capture' not in phone.event('hostAttached')
    assert list(tmp_path.iterdir()) == [pipe]


def test_a_file_that_is_no_log_of_a_host_is_left_alone(blepera, tmp_path):
    file = tmp_path / 'air-host2.btsnoop'
    file.write_text('mine')
    words = ['--hci', 'pty', '--hci', 'pty', '--pcap', str(tmp_path / 'air.pcap')]
    run = Program(blepera, 'lab', *words, '--', 'true')
    assert (run.wait(), file.read_text()) == (1, 'mine')
    assert run.errors[-1].endswith(f'{file}: the file exists and is not a capture of blepera; choose another name')


def test_a_scenario_that_takes_too_long_in_real_time_is_refused(blepera, tmp_path):
    scenario = tmp_path / 'host.plist'
    scenario.write_text(SCENARIO.format(profile=profile_path('heart-rate'), front=3, back=600))
    run = Program(blepera, 'scenario', 'run', '--hci', 'tcp:0', str(scenario))
    assert run.wait() == 1
    assert any('603 s' in line and '--time-limit' in line for line in run.errors)
