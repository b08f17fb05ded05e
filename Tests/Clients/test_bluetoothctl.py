"""bluetoothctl, unmodified, in a lab: its own commands at its own prompt."""

import os
import re

import pexpect
import pytest
from attributes import COMMAND, COUNTER, ECHO, LONG_READ, SECRET
from conftest import assert_installed, long_value
from program import TIMEOUT

PHONE = '00:AA:01:00:00:01'


class Prompt:
    """A terminal with bluetoothctl: types commands, and reads the output without its colors."""

    def __init__(self):
        assert_installed('bluetoothctl')
        self.terminal = pexpect.spawn(
            'bluetoothctl', timeout=TIMEOUT, encoding='utf-8', dimensions=(50, 200), env={**os.environ, 'TERM': 'dumb'}
        )
        self.terminal.expect('Agent registered')

    def type(self, command: str, *answers: str) -> list[str]:
        """Types a command, and returns the text in the parentheses of each answer."""
        self.terminal.sendline(command)
        found = []
        for answer in answers:
            self.terminal.expect(answer)
            found += self.terminal.match.groups()
        return found

    def line_of_value(self) -> bytes:
        """The next line of a value: up to 16 bytes in hexadecimal digits, which their characters follow."""
        self.terminal.expect(r'\r  ((?:[0-9a-f]{2} ){1,16}) ')
        return bytes.fromhex(self.terminal.match.group(1))

    def read(self, length: int) -> bytes:
        """Reads the selected attribute, whose value is that long."""
        self.type('read', 'Attempting to read')
        shown = b''
        while len(shown) < length:
            shown += self.line_of_value()
        return shown

    def close(self) -> None:
        self.terminal.sendline('quit')
        self.terminal.expect(pexpect.EOF)
        self.terminal.close()
        assert self.terminal.exitstatus == 0


@pytest.fixture
def prompt(lab):
    phone = lab('every-kind')
    prompt = Prompt()
    prompt.phone = phone
    prompt.type('scan le', 'Discovery started', rf'Device {PHONE} Every')
    yield prompt
    prompt.close()


@pytest.fixture
def connected(prompt):
    prompt.type(f'connect {PHONE}', 'Connection successful', 'ServicesResolved: yes')
    prompt.type('menu gatt', 'Menu gatt')
    return prompt


def test_scan_and_info(prompt):
    shown = prompt.type(f'info {PHONE}', r'Name: (\w+)', r'UUID: .*\(([0-9a-f-]{36})\)')
    assert shown == ['Every', 'b1e9e2a0-0000-4000-8000-000000000010']
    prompt.type('scan off', 'Discovery stopped')


def test_list_attributes(connected):
    connected.type('list-attributes', r'service0100\s+b1e9e2a0-0000-4000-8000-000000000010')
    for characteristic in (LONG_READ, ECHO, COMMAND):
        connected.terminal.expect(rf'/service0100/char[0-9a-f]{{4}}\s+{characteristic}')


def test_read_and_write(connected):
    connected.type(f'select-attribute {LONG_READ}', 'Every')
    assert connected.read(512) == long_value()
    connected.type(f'select-attribute {ECHO}', 'Every')
    connected.type('write "0x01 0x02 0xfe"', 'Attempting to write')
    connected.phone.event('write', characteristic=ECHO.upper(), value='0102FE')
    assert connected.read(3) == bytes([1, 2, 0xFE])


def test_notify(connected):
    connected.type(f'select-attribute {COUNTER}', 'Every')
    connected.type('notify on', 'Notify started')
    numbers = [int.from_bytes(connected.line_of_value(), 'little') for _ in range(3)]
    assert numbers == [numbers[0], numbers[0] + 1, numbers[0] + 2]
    connected.type('notify off', 'Notify stopped')
    connected.phone.event('unsubscribed', characteristic=COUNTER.upper())


def test_pair_and_read_what_is_encrypted(connected):
    connected.type('back', 'Menu main')
    connected.type(f'pair {PHONE}', 'Pairing successful')
    connected.type('menu gatt', 'Menu gatt')
    connected.type(f'select-attribute {SECRET}', 'Every')
    assert connected.read(6) == b'secret'


def test_disconnect(connected):
    connected.type('back', 'Menu main')
    connected.type(f'disconnect {PHONE}', 'Successful disconnected')
    connected.phone.event('disconnected', central='00:AA:01:00:00:00')


def test_show_says_which_bluez_it_is(prompt):
    shown = prompt.type('show', r'Controller (\S+)', r'Modalias: (\S+)')
    assert shown[0] == '00:AA:01:00:00:00'
    assert re.fullmatch('usb:v1D6Bp0246d0542', shown[1])
