"""`blepera.App` in the central role: beside an accessory, and with servers of others on the lab's org.bluez."""

import asyncio
import contextlib
import json
import re
import socket
import sys
import time

import pytest
from blepera import App, ATTError, CBError, Lab, PhoneError, Service
from blepera.link import Link
from blepera_tests.paths import ROOT, profile_path
from bless import BlessServer, GATTAttributePermissions, GATTCharacteristicProperties
from bluez_peripheral.advert import Advertisement
from bluez_peripheral.util import get_message_bus
from bleak import BleakClient
from bumble.core import UUID, AdvertisingData
from bumble.device import AdvertisingParameters
from bumble.gatt import Characteristic, CharacteristicValue
from bumble.gatt import Service as BumbleService
from bumble.hci import Address
from program import TIMEOUT
from scanning import find, until
from test_hci import BOX, LEVEL, add_box, attached
from test_servers import Thermometer

STRAP = ROOT / 'profiles/accessories/heart-strap.plist'
PROGRAM = ROOT / 'Tests/Clients/programs/watch.py'
PACKAGE = ROOT / 'Packaging/python'


def within(work):
    return asyncio.wait_for(work, TIMEOUT)


async def found(app: App, name: str):
    async for discovery in app.central.scan(['180D']):
        if discovery.local_name == name:
            return discovery


@pytest.fixture
def phone(blepera, monkeypatch):
    """A phone beside the accessory; its own app, which advertises the same service, is no peripheral for it."""
    with Lab([profile_path('heart-rate')], program=blepera, accessory=STRAP, link_interval=7.5) as lab:
        for name, value in lab.environment.items():
            monkeypatch.setenv(name, value)
        yield lab.phone


@pytest.fixture
def watch(blepera, monkeypatch, tmp_path):
    """Starts the program on a phone of its own; each lab has the lines that it prints in `output`."""
    (output := tmp_path / 'output').touch()
    with contextlib.ExitStack() as labs:

        def start(*words: str, **options) -> Lab:
            app = [sys.executable, '-S', PROGRAM, PACKAGE, output, *words]
            lab = labs.enter_context(Lab(app=app, program=blepera, link_interval=7.5, **options))
            for name, value in lab.environment.items():
                monkeypatch.setenv(name, value)
            return lab, lambda: output.read_text().splitlines()

        yield start


async def printed(output, *lines: str) -> None:
    """Waits until the program has printed lines that begin so, whatever is between them.

    To connect the phone listens for a tenth of the time: to what advertises each 1.28 s that takes 13 s in the mean.
    """
    def all_printed():
        rest = iter(output())
        return all(any(other.startswith(line) for other in rest) for line in lines)

    end = time.monotonic() + 5 * TIMEOUT
    while not all_printed():
        assert time.monotonic() < end, f'{lines} in {output()}'
        await asyncio.sleep(0.05)


async def test_an_app_opens_a_channel_of_another(blepera, monkeypatch):
    echo, reader, ends = App('org.example.echo'), App('org.example.reader'), asyncio.Queue()

    async def send_back(channel):
        while data := await channel.reader.read(1000):
            channel.writer.write(data)
        ends.put_nowait((channel.psm, channel.peer.maximum_update_length))

    published = echo.publish_channel(send_back)
    service = Service('FFF0')
    number = service.characteristic('ABDD3056-28FA-441D-A470-55A75A52553A', 'read')
    number.on_read(lambda central: published.psm.to_bytes(2, 'little'))
    echo.add(service)
    echo.advertise('Echo')
    with Lab([profile_path('heart-rate'), profile_path('five-services')], program=blepera, link_interval=7.5) as lab:
        for name, value in lab.environment.items():
            monkeypatch.setenv(name, value)
        first, second = lab.phones
        monkeypatch.setenv('BLEPERA_SYSTEM', first)
        _ = reader.central  # the role
        async with echo:
            assert published.psm == 0x80
            monkeypatch.setenv('BLEPERA_SYSTEM', second)
            async with reader:
                async for discovery in reader.central.scan(['FFF0']):
                    break
                peripheral = await within(reader.central.connect(discovery.peripheral))
                psm = int.from_bytes(await (await peripheral.characteristic('FFF0', number.uuid)).read(), 'little')
                channel = await within(peripheral.open_channel(psm))
                assert (channel.psm, channel.peer) == (0x80, peripheral)
                sent = bytes(range(256)) * 40
                channel.writer.write(sent)
                assert await within(channel.reader.readexactly(len(sent))) == sent
                channel.writer.close()
                assert await within(ends.get()) == (0x80, 524)
                echo.unpublish_channel(published)
                assert published.psm is None
                with pytest.raises(CBError):
                    await within(peripheral.open_channel(psm))
                # The number is free again.
                again = echo.publish_channel(send_back)
                assert again.psm is None
                await until(lambda: again.psm, 'a number')
                assert again.psm == 0x80
                (await within(peripheral.open_channel(psm))).writer.close()
                assert await within(ends.get()) == (0x80, 524)
        assert again.psm is None and published.psm is None


async def test_a_central_uses_an_accessory(phone):
    app, values, calls = App('org.example.watch'), asyncio.Queue(), []
    app.central.on_connect(lambda peripheral: calls.append(('connect', peripheral)))
    app.central.on_disconnect(lambda peripheral, error: calls.append(('disconnect', peripheral, error)))
    with pytest.raises(PhoneError, match='the app does not run'):
        app.central.scan()
    async with app:
        assert app.central.bluetooth == 'on'
        discovery = await within(found(app, 'HR Strap'))
        strap = discovery.peripheral
        assert (discovery.services, discovery.is_connectable, strap.name) == (('180D',), True, 'HR Strap')
        with pytest.raises(CBError, match='notConnected'):
            await strap.services()
        assert await within(app.central.connect(strap)) is strap
        assert strap.state == 'connected'
        services = await within(strap.services())
        assert [one.uuid for one in services] == ['180D', '180F', '180A']
        rate, place, control = await services[0].characteristics()
        assert await services[0].characteristics('2A38') == [place]
        assert place.properties == {'read'} and await place.read() == b'\1'
        # Refused without a bond: the phone pairs.
        await within(control.write(b'\1'))
        [configuration] = await rate.descriptors()
        assert (configuration.uuid, await configuration.read()) == ('2902', b'\0\0')
        await rate.notify(values.put_nowait)
        assert rate.is_notifying and (await within(values.get()))[0] == 6
        await rate.stop_notify()
        assert not rate.is_notifying and await configuration.read() == b'\0\0'
        with pytest.raises((ATTError, CBError)):
            await rate.read()
        assert -127 < await strap.rssi() < 20
        assert await app.central.retrieve_connected('180D') == [strap] == await app.central.retrieve(strap.id)
        with pytest.raises(LookupError, match='no characteristic 2A00'):
            await strap.characteristic('180D', '2A00')
        assert strap.disconnected_at is None
        await within(strap.disconnect())
        assert strap.state == 'disconnected'
        assert abs(strap.disconnected_at - time.time()) < TIMEOUT
        assert await within(app.central.connect(strap)) is strap
        phone.bluetooth('off')
        await until(lambda: app.central.bluetooth == 'off', 'bluetooth')
        assert strap.state == 'disconnected'
        with pytest.raises(PhoneError, match='Bluetooth is off'):
            app.central.scan()
    assert calls == [('connect', strap), ('disconnect', strap, None), ('connect', strap)]


async def test_included_services_and_connection_events(blepera, tmp_path, monkeypatch):
    accessory, app, events = tmp_path / 'strap.plist', App('org.example.watch'), []
    accessory.write_text(STRAP.read_text().replace('UUID = 180F;', 'UUID = 180F; IncludedServices = (180D);'))
    app.central.on_connection_event(lambda peripheral, is_connected: events.append((peripheral, is_connected)))
    with Lab([profile_path('heart-rate')], program=blepera, accessory=accessory, link_interval=7.5) as lab:
        for name, value in lab.environment.items():
            monkeypatch.setenv(name, value)
        async with app:
            strap = (await within(found(app, 'HR Strap'))).peripheral
            app.central.register_for_connection_events(['180D'])
            await within(app.central.connect(strap))
            [battery] = await strap.services('180F')
            [included] = await battery.included_services()
            assert included.uuid == '180D'
            assert await battery.included_services('180A') == []
            await within(strap.disconnect())
            await until(lambda: events == [(strap, True), (strap, False)], 'connection events')
            app.central.register_for_connection_events()
            await within(app.central.connect(strap))
            await strap.services()
    assert len(events) == 2


async def test_waits_end_with_what_they_wait_for(phone):
    """A scan by `stop_scan`, a connection by its cancellation or the end of the app."""
    app, other = App('org.example.watch'), App('org.example.other')
    async with other:
        with pytest.raises(RuntimeError, match='before it runs'):
            other.central.stop_scan()
    assert app.central.bluetooth == 'unknown'
    device, _ = await find('C0:AA:01:00:00:02')
    client = BleakClient(device, timeout=TIMEOUT)  # which has the strap until after the end of the app
    async with app:
        strap = (await within(found(app, 'HR Strap'))).peripheral
        await client.connect()
        scan = app.central.scan(['180F'])
        scanning = asyncio.ensure_future(anext(aiter(scan), None))
        await asyncio.sleep(0)
        app.central.stop_scan()
        assert await within(scanning) is None
        connecting = asyncio.ensure_future(app.central.connect(strap))
        await asyncio.sleep(0.5)
        assert strap.state == 'connecting'
        await within(strap.disconnect())
        with pytest.raises(CBError, match='operationCancelled'):
            await connecting
        connecting = asyncio.ensure_future(app.central.connect(strap))
        await asyncio.sleep(0)
    with pytest.raises(PhoneError, match='the app has ended'):
        await connecting
    await client.disconnect()


async def test_without_the_background_mode_alerts_are_shown(phone):
    app, values = App('org.example.watch', background='peripheral'), []
    app.central.on_notify(lambda characteristic, value: values.append(value))
    async with app:
        strap = (await within(found(app, 'HR Strap'))).peripheral
        await within(app.central.connect(strap, notify_on_notification=True))
        await (await strap.characteristic('180D', '2A37')).notify()
        phone.suspend('org.example.watch')
        phone.wait_for('alert', reason='a notification')
        phone.foreground('org.example.watch')
        await until(lambda: values, 'values')


async def test_writes_without_response_wait_for_a_place(blepera, tmp_path, monkeypatch):
    (tmp_path / 'sink.plist').write_text('''{
      Name = Sink; Advertisement = { ServiceUUIDs = (180D); };
      Services = ({
        UUID = 180D;
        Characteristics = ({ UUID = FE01; Properties = (writeWithoutResponse); Permissions = (writeable); });
      });
    }''')
    with Lab([profile_path('heart-rate')], program=blepera, accessory=tmp_path / 'sink.plist') as lab:
        for name, value in lab.environment.items():
            monkeypatch.setenv(name, value)
        app = App('org.example.watch')
        assert app.central.bluetooth == 'unknown'
        async with app:
            sink = (await within(found(app, None))).peripheral
            await within(app.central.connect(sink))
            written = await sink.characteristic('180D', 'FE01')
            for number in range(60):
                await within(written.write(bytes([number]), response=False))
            lab.wait_for('write', side='accessory', value='3B')
    assert [one['value'] for one in lab.events if one['event'] == 'write'] == [f'{number:02X}' for number in range(60)]


async def test_the_page_shows_a_central(phone, capsys):
    page = (ROOT / 'docs/python.md').read_text()
    names, printed = {'App': App}, []
    blocks = re.findall(r'^```python\n(.*?)^```$', page, re.MULTILINE | re.DOTALL)
    exec(next(block for block in blocks if 'app.central' in block), names)  # noqa: S102
    async with names['app']:
        await until(lambda: printed.extend(capsys.readouterr().out.split()) or printed, 'rate')
    assert 60 <= int(printed[0]) <= 100


async def test_a_suspended_app_is_woken_and_a_terminated_one_restored(watch):
    lab, output = watch('180D', '2A37', accessory=STRAP)
    await printed(output, 'found HR Strap', 'connected', 'subscribed True', 'value 06')
    lab.phone.suspend()
    lab.phone.wait_for('state', state='suspended')
    lab.phone.wait_for('state', state='background', timeout=TIMEOUT)
    lab.phone.terminate()
    await printed(output, 'subscribed True', 'restored connected', 'value 06')
    assert sum('subscribed' in line for line in output()) == 1


async def test_a_pending_connection_relaunches_an_app(watch):
    lab, output = watch('180D', '2A37', '3', accessory=STRAP)
    await printed(output, 'found HR Strap')
    lab.phone.terminate()
    await printed(output, 'restored connected', 'connected', 'subscribed True', 'value 06')


async def test_a_peripheral_of_bumble_wakes_an_app_in_the_background(watch):
    lab, output = watch(BOX, LEVEL, hci='tcp:0', wake_time=0.5)

    def is_suspended():
        return [event['state'] for event in lab.phone.events if event['event'] == 'state'][-1] == 'suspended'

    lab.phone.background()
    await until(is_suspended, 'suspension')
    async with attached(lab.environment['BLEPERA_HCI']) as device:
        level, _ = add_box(device)
        uuids = AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS
        data = AdvertisingData([(uuids, bytes(UUID(BOX))), (AdvertisingData.COMPLETE_LOCAL_NAME, b'Box')])
        interval = AdvertisingParameters(primary_advertising_interval_min=100, primary_advertising_interval_max=100)
        await device.create_advertising_set(
            advertising_parameters=interval, advertising_data=bytes(data), random_address=Address('C0:00:00:00:00:01')
        )
        await printed(output, 'found Box', 'connected', 'subscribed True')
        lab.phone.wait_for('state', state='background', reason='woken for a discovery')
        await until(is_suspended, 'suspension after the wake')
        await device.notify_subscribers(level, bytes([42]))
        await printed(output, 'value 2a')
        lab.phone.wait_for('state', state='background', reason='woken for a notification')
    await printed(output, 'disconnected')


@pytest.mark.parametrize(
    ('offered', 'octets', 'mtu'), [(185, 251, 185), (517, 251, 517), (527, 251, 527), (517, 27, 185)])
async def test_packets_to_and_from_a_peripheral_of_bumble_are_full(blepera, monkeypatch, offered, octets, mtu):
    app, written, values = App('org.example.full'), asyncio.Queue(), asyncio.Queue()
    _ = app.central  # the role
    with Lab([profile_path('heart-rate')], program=blepera, link_interval=7.5, hci='tcp:0') as lab:
        for name, value in lab.environment.items():
            monkeypatch.setenv(name, value)
        async with attached(lab.environment['BLEPERA_HCI'], octets) as device:
            device.gatt_server.max_mtu = offered
            requested, answer = [], device.gatt_server.on_att_exchange_mtu_request
            device.gatt_server.on_att_exchange_mtu_request = lambda bearer, request: (
                requested.append(request.client_rx_mtu), answer(bearer, request))
            properties = Characteristic.Properties
            level = Characteristic(
                UUID(LEVEL), properties.WRITE_WITHOUT_RESPONSE | properties.NOTIFY, Characteristic.WRITEABLE,
                CharacteristicValue(write=lambda connection, value: written.put_nowait(len(value))))
            device.add_service(BumbleService(UUID(BOX), [level]))
            uuids = AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS
            interval = AdvertisingParameters(primary_advertising_interval_min=100, primary_advertising_interval_max=100)
            await device.create_advertising_set(
                advertising_parameters=interval, advertising_data=bytes(AdvertisingData([(uuids, bytes(UUID(BOX)))])),
                random_address=Address('C0:00:00:00:00:01'))
            async with app:
                async for discovery in app.central.scan([BOX]):
                    break
                peripheral = await within(app.central.connect(discovery.peripheral))
                remote = await within(peripheral.characteristic(BOX, LEVEL))
                assert peripheral.mtu == mtu
                assert requested == [527 if octets == 251 else 185]
                await within(remote.notify(lambda value: values.put_nowait(len(value))))
                # Bumble cuts what it notifies, and drops a write of more than 512 bytes.
                await device.notify_subscribers(level, bytes(600))
                assert await within(values.get()) == mtu - 3
                longest = min(mtu - 3, 512)
                for length in [mtu - 2, longest]:
                    await remote.write(bytes(length), response=False)
                assert await within(written.get()) == longest
                dropped = lab.phone.wait_for('writeDropped', since=0)
                assert dropped['reason'] == f'{mtu - 2} bytes; the ATT_MTU leaves {mtu - 3}'
                assert (dropped['app'], dropped['characteristic']) == ('org.example.full', LEVEL)


async def serve_bless(service: str, characteristic: str):
    server = BlessServer('Bless', loop=asyncio.get_running_loop())
    server.read_request_func = lambda characteristic, **_: characteristic.value
    await server.add_new_service(service)
    flags = GATTCharacteristicProperties
    await server.add_new_characteristic(
        service, characteristic, flags.read | flags.notify, bytearray(), GATTAttributePermissions.readable)
    await server.start()

    def send(value: bytes) -> None:
        server.get_characteristic(characteristic).value = bytearray(value)
        server.update_value(service, characteristic)

    return send, server.stop


async def serve_bluez_peripheral(service: str, _: str):
    bus, thermometer = await get_message_bus(), Thermometer()
    await thermometer.register(bus)
    await Advertisement('Thermometer', [service], 0x0300, 600).register(bus)

    async def stop() -> None:
        bus.disconnect()

    return thermometer.measured.changed, stop


@pytest.mark.parametrize(
    'serve, uuids',
    [
        (serve_bless, ('A07498CA-AD5B-474E-940D-16F1FBE7E8CD', 'A07498CA-AD5B-474E-940D-16F1FBE7E8CF')),
        (serve_bluez_peripheral, ('BEEF', 'BEF1')),
    ],
    ids=['bless', 'bluez-peripheral'],
)
async def test_a_server_of_others_and_an_app_that_is_suspended_and_killed(watch, serve, uuids):
    lab, output = watch(*uuids, experimental=True)
    send, stop = await serve(*uuids)
    await printed(output, 'found', 'connected', 'subscribed True')
    send(b'first')
    await printed(output, f'value {b"first".hex()}')
    lab.phone.suspend()
    lab.phone.wait_for('state', state='suspended')
    send(b'second')
    await printed(output, f'value {b"second".hex()}')
    lab.phone.terminate()
    lab.phone.wait_for('terminated')
    send(b'third')
    await printed(output, 'restored connected', f'value {b"third".hex()}')
    await stop()


async def test_a_link_sends_lines_in_order_and_none_after_its_end():
    app, phone = socket.socketpair()
    app.setblocking(False)
    phone.setblocking(False)
    link = Link(app)
    for number in range(3000):  # more than the sockets hold
        link.send('line', number=number, rest='x' * 1000)
    received = b''
    while received.count(b'\n') < 3000:
        received += await within(asyncio.get_running_loop().sock_recv(phone, 1 << 16))
    assert [json.loads(line)['line']['number'] for line in received.splitlines()] == list(range(3000))
    phone.close()
    assert [message async for message in link.messages()] == []
    link.send('late')
    link.close()
