"""Devices that answer by a table, and their like in Python: a glucose meter, a lock, a serial line."""

import asyncio
import hashlib
import hmac
import os
import shlex
import signal
import sys

import pytest
from blepera_tests.paths import ROOT
from bleak import BleakClient
from bleak.exc import BleakGATTProtocolError
from bluetooth_sig import BluetoothSIGTranslator
from program import TIMEOUT, Program
from scanning import find

PHONE = '00:AA:01:00:00:01'
MEASUREMENT, CONTROL = '2a18', '2a52'
COMMAND, CHALLENGE, STATE = (f'7c1b000{number}-4e6a-4b3c-8f5d-2a9e6d70c3f1' for number in (2, 3, 4))
RX, TX = (f'6e40000{number}-b5a3-f393-e0a9-e50e24dcca9e' for number in (2, 3))
VERSIONS = [('--bluez-version', '5.66', '--experimental'), ('--bluez-version', '5.82')]


async def listen(client: BleakClient, characteristic: str) -> asyncio.Queue:
    values = asyncio.Queue()
    await client.start_notify(characteristic, lambda _, value: values.put_nowait(bytes(value)))
    return values


async def value(values: asyncio.Queue) -> bytes:
    return await asyncio.wait_for(values.get(), TIMEOUT)


async def refusal(client: BleakClient, characteristic: str, value: bytes) -> int:
    """The ATT error that a write gets; 0 where it is accepted."""
    try:
        await client.write_gatt_char(characteristic, value, response=True)
    except BleakGATTProtocolError as error:
        return error.code
    return 0


@pytest.mark.parametrize('options', VERSIONS, ids=['5.66', '5.82'])
async def test_a_glucose_meter_reports_its_records(lab, options):
    """A library that knows the specification decodes the records; it takes a kg/l for 1,000 times as much."""
    lab('glucose-meter', options=options)
    decode = BluetoothSIGTranslator().parse_characteristic
    device, _ = await find(PHONE)
    async with BleakClient(device) as client:
        assert await refusal(client, CONTROL, b'\1\1') == 0xFD
        answers = await listen(client, CONTROL)
        assert await refusal(client, CONTROL, b'\1\1') == 0xFD
        records = await listen(client, MEASUREMENT)
        await client.write_gatt_char(CONTROL, b'\4\1', response=True)
        assert await value(answers) == b'\5\0\3\0'
        await client.write_gatt_char(CONTROL, b'\1\1', response=True)
        assert await refusal(client, CONTROL, b'\4\1') == 0xFE
        decoded = [decode('2A18', await value(records)) for _ in range(3)]
        assert [one.sequence_number for one in decoded] == [1, 2, 3]
        assert [round(one.glucose_concentration / 1_000) for one in decoded] == [95, 142, 118]
        assert decoded[0].base_time.isoformat() == '2024-01-15T08:30:00'
        assert await value(answers) == b'\6\0\1\1'
        await client.write_gatt_char(CONTROL, b'\1\1', response=True)
        await value(records)
        await client.write_gatt_char(CONTROL, b'\3\0', response=True)
        assert await value(answers) == b'\6\0\3\1'
        await client.write_gatt_char(CONTROL, b'\2\1', response=True)
        assert await value(answers) == b'\6\0\2\2'
        assert records.empty()


async def open_lock(client: BleakClient, answer, wrong: bytes) -> None:
    assert await client.read_gatt_char(STATE) == b'\0'
    assert await refusal(client, COMMAND, b'\1') == 0x82
    challenges, states = await listen(client, CHALLENGE), await listen(client, STATE)
    assert await refusal(client, COMMAND, b'\2' + wrong) == 0x81
    await client.write_gatt_char(COMMAND, b'\1', response=True)
    await value(challenges)
    assert await refusal(client, COMMAND, b'\2' + wrong) == 0x80
    assert await refusal(client, COMMAND, b'\x09') == 0x06
    await client.write_gatt_char(COMMAND, b'\1', response=True)
    await client.write_gatt_char(COMMAND, b'\2' + answer(await value(challenges)), response=True)
    assert await value(states) == b'\1'
    await client.write_gatt_char(COMMAND, b'\0', response=True)
    assert await value(states) == b'\0'
    # This read comes last, because BlueZ reports read values to subscribers too.
    assert await client.read_gatt_char(STATE) == b'\0'


async def test_a_lock_opens_for_the_right_answer(lab):
    lab('challenge-lock')
    device, _ = await find(PHONE)
    async with BleakClient(device) as client:
        await open_lock(client, lambda challenge: bytes(byte ^ 0xFF for byte in challenge), bytes(8))


async def test_the_lock_in_python_does_the_same(lab):
    lab(options=('--app', shlex.join([sys.executable, '-S', str(ROOT / 'examples/lock/lock.py')])))
    device, _ = await find(PHONE)
    async with BleakClient(device) as client:
        key = b'a key that both sides know'
        await open_lock(client, lambda challenge: hmac.digest(key, challenge, hashlib.sha256)[:8], bytes(8))


async def test_a_serial_line_has_commands(lab):
    lab('nordic-uart')
    device, _ = await find(PHONE)
    async with BleakClient(device) as client:
        answers = await listen(client, TX)
        for command, answer in [
            (b'version?', b'blepera UART 1.0'), (b'led red', b'the led is red'), (b'Version?', b'Version?'),
        ]:
            await client.write_gatt_char(RX, command, response=False)
            assert await value(answers) == answer
        await client.write_gatt_char(RX, b'count', response=True)
        assert [await value(answers) for _ in range(3)] == [b'1', b'2', b'3']


async def test_ble_serial_is_a_terminal_of_it(lab, tmp_path):
    """ble-serial connects a serial port with a Nordic UART."""
    lab('nordic-uart', options=('--bluez-version', '5.82'))
    port = tmp_path / 'port'
    serial = Program(
        sys.executable, '-m', 'ble_serial', '-d', PHONE, '-p', str(port), '-w', RX, '-r', TX, '-t', str(TIMEOUT),
    )
    try:
        serial.line('Running main loop!')
        with open(port, 'r+b', buffering=0) as terminal:
            os.set_blocking(terminal.fileno(), False)
            for command, answer in [(b'version?', b'blepera UART 1.0'), (b'led blue', b'the led is blue')]:
                terminal.write(command)
                assert await answer_of(terminal, len(answer)) == answer
    finally:
        serial.end(signal.SIGKILL)


async def answer_of(terminal, length: int) -> bytes:
    received = b''
    for _ in range(20 * TIMEOUT):
        received += terminal.read(length) or b''
        if len(received) >= length:
            break
        await asyncio.sleep(0.05)
    return received
