"""Gateways that people run, unmodified, beside a phone whose app moves to the background, is suspended and terminated, and
whose Bluetooth is switched off and on."""

import asyncio
import contextlib
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time

import pytest
from attributes import LOCATION, MEASUREMENT
from bleak_retry_connector import BleakClientWithServiceCache, establish_connection
from blepera_tests.paths import ROOT, profile_path
from habluetooth import BluetoothScanningMode
from home_assistant import home_assistant
from paho.mqtt import client as mqtt
from program import TIMEOUT, Program, run_simpleble
from scanning import until

SCANNING = [BluetoothScanningMode.ACTIVE, BluetoothScanningMode.PASSIVE]


@pytest.fixture
def phone(lab, blepera):
    """Commands a phone whose app is in the foreground: `phone('background')`. The gateway's adapter is hci8, which is none of
    the machine's."""
    lab('heart-rate', options=('--experimental', '--adapters', 'hci8'), is_private=True)

    def run(*words: str) -> str:
        return subprocess.run([blepera, *words], check=True, capture_output=True, text=True).stdout

    return run


def address_of(phone) -> str:
    return json.loads(phone('status', '--json'))['address']['current']


class Connected:
    """A connection as integrations of Home Assistant make them."""

    @classmethod
    async def to(cls, info) -> 'Connected':
        self = cls()
        self.values: asyncio.Queue[bytes] = asyncio.Queue()
        self.lost = asyncio.Event()
        self.client = await establish_connection(
            BleakClientWithServiceCache, info.device, info.name, disconnected_callback=lambda _: self.lost.set()
        )
        await self.subscribe()
        return self

    async def subscribe(self) -> None:
        await self.client.start_notify(MEASUREMENT, lambda _, value: self.values.put_nowait(bytes(value)))
        await self.beat()

    async def beat(self) -> None:
        assert 60 <= (await asyncio.wait_for(self.values.get(), TIMEOUT))[1] <= 100

    async def read(self) -> bytes:
        return bytes(await self.client.read_gatt_char(LOCATION))


@pytest.mark.parametrize('mode', SCANNING, ids=['active', 'passive'])
async def test_home_assistant(phone, mode):
    async with home_assistant(mode, 'hci8') as manager:

        def found():
            address = address_of(phone)
            return next((one for one in manager.async_discovered_service_info(False) if one.address == address), None)

        info = await until(found, 'the phone')
        assert (info.name, info.manufacturer_data) == ('Heart Rate', {})
        connected = await Connected.to(info)
        assert await connected.read() == b'\x01'

        await asyncio.to_thread(phone, 'background')
        await asyncio.to_thread(phone, 'suspend')
        await connected.client.stop_notify(MEASUREMENT)
        await connected.subscribe()  # which wakes the app
        await asyncio.to_thread(phone, 'terminate')
        assert await connected.read() == b'\x01'  # a cached value

        await asyncio.to_thread(phone, 'bluetooth', 'off')
        await asyncio.wait_for(connected.lost.wait(), TIMEOUT)
        await asyncio.to_thread(phone, 'bluetooth', 'on')
        await asyncio.to_thread(phone, 'launch')
        await asyncio.to_thread(phone, 'background')
        await asyncio.to_thread(phone, 'bluetooth', 'off')
        await asyncio.to_thread(phone, 'bluetooth', 'on')
        if mode is BluetoothScanningMode.ACTIVE:
            # BlueZ has the scan response's data of Apple, of type 01, which Home Assistant drops.
            await asyncio.sleep(2)
            assert found() is None
            await asyncio.to_thread(phone, 'foreground')
            await asyncio.sleep(2)
            assert found() is None  # BlueZ keeps the data of an address
            await asyncio.to_thread(phone, 'bluetooth', 'off')
            await asyncio.to_thread(phone, 'bluetooth', 'on')
        else:
            info = await until(found, 'Nearby Info')
            assert info.manufacturer_data[0x004C][0] == 0x10
        info = await until(found, 'the phone')
        connected = await Connected.to(info)
        await connected.client.disconnect()


@pytest.fixture
def broker():
    """The port of an MQTT broker."""
    with socket.socket() as free:
        free.bind(('127.0.0.1', 0))
        port = free.getsockname()[1]
    program = Program('/usr/sbin/mosquitto', '-p', str(port))
    program.line('running')
    yield port
    program.end(signal.SIGTERM)


class Topics:
    """The messages that are published to a broker."""

    def __init__(self, port: int):
        self.messages: list[dict] = []
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
        self.client.on_message = self.add
        self.client.connect('127.0.0.1', port)
        self.client.subscribe('#')
        self.client.loop_start()

    def add(self, client, data, message) -> None:
        if 'BTtoMQTT' in message.topic:
            self.messages.append(json.loads(message.payload))

    def close(self) -> None:
        self.client.disconnect()
        self.client.loop_stop()

    def next(self, since: int | None = None, limit: float = TIMEOUT, **fields) -> dict:
        """Waits for a message with these fields, from now on or after so many others."""
        start = len(self.messages) if since is None else since
        deadline = time.monotonic() + limit
        while time.monotonic() < deadline:
            for message in self.messages[start:]:
                if fields.items() <= message.items():
                    return message
            time.sleep(0.05)
        raise AssertionError(f'no message with {fields} in {self.messages}')

    def silence(self) -> None:
        """Nothing is published, but for what was on its way, which may take its time on a busy machine."""
        deadline = time.monotonic() + TIMEOUT
        count = -1
        while count != len(self.messages):
            assert time.monotonic() < deadline, self.messages[-3:]
            count = len(self.messages)
            time.sleep(1.5)


def scanning_theengs(topics: Topics, *options: str) -> Program:
    """TheengsGateway, which a user would start again, too: it begins to scan before it makes its MQTT client, and where the scan
    needs the client first, the scan ends without a word (1.8.0)."""
    for _ in range(5):
        gateway = Program(sys.executable, '-m', 'TheengsGateway', *options)
        gateway.line('Connected to MQTT broker')  # a slow start is no such end
        with contextlib.suppress(AssertionError):
            topics.next(0, limit=15)
            return gateway
        gateway.end(signal.SIGTERM)
    raise AssertionError('TheengsGateway does not scan')


@pytest.mark.parametrize('mode', ['active', 'passive'])
def test_theengs_gateway(phone, broker, tmp_path, mode):
    address = json.loads(phone('status', '--json'))['address']
    identity = address['identity']
    topics = Topics(broker)  # before the gateway: while no signal strength changes, a passive scan reports a device once
    gateway = scanning_theengs(
        topics, '--config', str(tmp_path / 'theengs.conf'), '--host', '127.0.0.1', '--port', str(broker),
        # A passive scan reports a change once: none may fall between two scans.
        '--ble_scan_time', '1' if mode == 'active' else '300',
        '--ble_time_between_scans', '0', '--discovery', '0', '--scanning_mode', mode,
        '--identities', identity, address['irkReversed'],
    )
    try:
        assert topics.next(0, id=identity, name='Heart Rate')['rssi'] == -50
        front = len(topics.messages)
        phone('background')
        phone('suspend')
        if mode == 'active':
            # BlueZ has the scan response's data of Apple, of type 01, which is not published.
            topics.silence()
            phone('foreground')
            topics.silence()  # BlueZ keeps the data of an address
            phone('bluetooth', 'off')
            phone('bluetooth', 'on')
            topics.next(id=identity, name='Heart Rate')
            phone('background')
        else:
            topics.next(front, id=identity, model_id='APPLEDEVICE')
        phone('terminate')
        phone('bluetooth', 'off')
        off = len(topics.messages)
        phone('bluetooth', 'on')
        topics.next(off, id=identity, model_id='APPLEDEVICE')
    finally:
        topics.close()
        gateway.end(signal.SIGTERM)
        print('\n'.join(gateway.errors))


@pytest.fixture
def system_packages(tmp_path):
    """The environment in which Debian's own Python finds bluezero; dbus-python and PyGObject are Debian's."""
    (tmp_path / 'bluezero').symlink_to(pathlib.Path(mqtt.__file__).parents[2] / 'bluezero')
    return {**os.environ, 'PYTHONPATH': str(tmp_path)}


@pytest.mark.parametrize('name', ['simplepyble', 'bluezero'])
def test_a_program(blepera, system_packages, name):
    """In a process of its own, as the library knows one bus."""
    python, environment = (sys.executable, None) if name == 'simplepyble' else ('/usr/bin/python3', system_packages)
    lab = [blepera, 'lab', '--quiet', '--serve', str(profile_path('heart-rate'))]
    program = [python, str(ROOT / f'Tests/Clients/programs/{name}_program.py'), blepera]
    done = run_simpleble(*lab, '--', *program, env=environment, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
