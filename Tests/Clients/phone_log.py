"""A log as an iPhone writes it of its own HCI traffic, with the values of a rule set."""

import re
import struct

START = 1_700_000_000.0
# The secrets in each log, which only the owner of the phone may know.
SECRETS = {
    'a long-term key': bytes.fromhex('5EC2E7000102030405060708090A0B0C'),
    'an identity address': bytes.fromhex('A1B2C3D4E5F6'),
    'an identity resolving key': bytes.fromhex('1D3E7177000102030405060708090A0B'),
    'the name of a neighbor': b'Somebodys TV',
}
OWN = {'1800': 1, '1801': 6, '180A': 10, '180F': 15, '1805': 19}
BACKGROUND = bytes.fromhex('14FF4C000100000000000000000000002000000000')


def numbers(text: str) -> list[float]:
    return [float(number) for number in re.findall(r'[\d.]+', text)]


class PhoneLog:
    def __init__(self, values: dict[str, str], big_endian: bool = True) -> None:
        self.values, self.order, self.time, self.bytes = values, '>' if big_endian else '<', START, b''

    def record(self, type: int, data: bytes, after: float = 0) -> None:
        self.time += after
        seconds, part = divmod(round(self.time * 1000), 1000)
        self.bytes += struct.pack(f'{self.order}IIIB', 9 + len(data), seconds, part * 1000, type) + data

    def command(self, opcode: int, parameters: bytes, after: float = 0.001) -> None:
        self.record(0, struct.pack('<HB', opcode, len(parameters)) + parameters, after)

    def event(self, code: int, parameters: bytes) -> None:
        self.record(1, bytes([code, len(parameters)]) + parameters, 0.001)

    def data(self, channel: int, payload: bytes, received: bool = False) -> None:
        head = struct.pack('<HHHH', 0x2040, 4 + len(payload), len(payload), channel)
        self.record(3 if received else 2, head + payload, 0.001)

    # Actions of a phone.

    def advertise(self, milliseconds: float, data: bytes, response: bytes = b'', set: int = 0, kind: int = 0x13) -> None:
        units = struct.pack('<I', round(milliseconds / 0.625))[:3]
        self.command(0x2039, bytes([0, 1, set, 0, 0, 0]))
        self.command(0x207F, bytes([set, kind, 0]) + units + units + bytes.fromhex('07010000000000000000 7F0100020000'))
        self.command(0x2037, bytes([set, 3, 1, len(data)]) + data)
        self.command(0x2038, bytes([set, 3, 1, len(response)]) + response)
        self.command(0x2039, bytes([1, 1, set, 0, 0, 0]))

    def scan(self, name: str, seconds: float, active: bool = False, second: float | None = 20) -> None:
        window, interval = (round(number / 0.625) for number in numbers(self.values[name])[:2])
        self.command(0xFF3E, bytes.fromhex('000201020100000000'))
        self.command(0xFF42, bytes.fromhex('0100010201') + struct.pack('<BHH', active, interval, window))
        if second is not None:
            core = struct.pack('<BHH', active, interval, round(second / 0.625))
            self.command(0xFF42, bytes.fromhex('0100010208') + core)
        self.command(0xFF3E, bytes.fromhex('010201020100000000'))
        self.time += seconds

    def power(self, text: str) -> None:
        self.record(0xFB, text.encode())

    def apple(self, status: str = '') -> bytes:
        """The structures of TX power and of Apple's items, in the order of the rules."""
        items = [bytes.fromhex(item) for item in re.findall(r'[0-9A-F ]{5,}', self.values['backgroundAppleItems'])]
        if status:
            last = items.pop() if items else bytes.fromhex('10050000000000')
            items.append(last[:2] + bytes.fromhex(status) + last[3:])
        own = b'\xff\x4c\x00' + b''.join(items)
        structures = [bytes([len(own)]) + own] if items else []
        if self.values['txPowerLevel'] != 'none':
            power = bytes([2, 0x0A, int(self.values['txPowerLevel'].split()[0]) & 0xFF])
            structures.insert(1 if self.values['txPowerPlace'] == 'last' else 0, power)
        return b'\x02\x01\x1a' + b''.join(structures)

    def advertising(self) -> None:
        value = self.values
        room, beside, empty = (
            int(numbers(value[name])[0])
            for name in ('foregroundBudget', 'scanResponseNameBudget', 'emptyScanResponseNameBudget')
        )
        services = b'\x02\x01\x1a\x03\x03\x0d\x18'
        for data, response in [
            (bytes([room - 5, 8]) + b'n' * (room - 6), b''),
            (b'', bytes([empty - 1, 8]) + b'n' * (empty - 2)),
            (b'', BACKGROUND[:21] + bytes([beside - 1, 8]) + b'n' * (beside - 2)),
        ]:
            self.advertise(numbers(value['foregroundInterval'])[0], services + data, response)
        locked, unlocked = re.findall('[0-9A-F]{2}', value['nearbyInfoStatus'])
        for status in (locked, unlocked):
            self.advertise(numbers(value['ownInterval'])[0], self.apple(status))
        for _ in range(5):
            self.advertise(numbers(value['backgroundInterval'])[0], self.apple(), BACKGROUND)
        first, time, then = numbers(value['handoffInterval'])
        handoff = bytes.fromhex('02011A 13FF4C00 0C0E0852005C1E9047B32AD8710F66E9'.replace(' ', ''))
        self.advertise(first, handoff)
        self.time += time - 0.005
        self.advertise(then, handoff)
        self.advertise(numbers(value['findMyInterval'])[0], bytes.fromhex('07FF4C0012020002'), set=1, kind=0x10)

    def rotation(self) -> None:
        for turn in range(3):
            self.command(0x2035, bytes([0, turn, 1, 2, 3, 4, 0x45]), numbers(self.values['addressRotation'])[0])

    def scanning(self) -> None:
        self.scan('backgroundScan', 20, second=10)
        for _ in range(3):
            if numbers(self.values['litScan'])[2] > 0:
                self.scan('litScan', numbers(self.values['litScan'])[2], second=None)
            self.scan('backgroundScan', 20, second=10)
        self.scan('foregroundScan', 1.7, active=True)
        self.scan('sleepScan', 0)
        self.power('AP Sleep')
        self.time += 100
        self.power('AP Wake - Other')

    def behind(self) -> tuple[float, float]:
        """An app behind scans; returns from when to when."""
        start = self.time
        self.scan('foregroundScan', 5, active=True)
        self.command(0xFF3E, bytes.fromhex('000201020100000000'))
        self.time += 1
        return start, self.time

    def links(self) -> None:
        value = self.values
        low, high, latency, timeout = (int(number) for number in numbers(value['requestedLink']))
        asked = struct.pack('<HHHH', int(low / 1.25), int(high / 1.25), latency, timeout // 10)
        given = struct.pack('<HHH', round(numbers(value['connectionInterval'])[0] * 800), 0, 72)
        for name in ('sleepConnectionScan', 'connectionScan'):
            window, interval = (round(number / 0.625) for number in numbers(value[name]))
            scan = struct.pack('<HH', interval, window)
            self.command(0x2085, bytes.fromhex('FF00010100') + bytes(6) + b'\x01' + scan + asked + bytes(4))
            if name == 'sleepConnectionScan':
                self.power('AP Sleep')
                self.power('AP Wake - Other')
        self.event(0x3E, b'\x0a\x00\x40\x00' + bytes(20) + given + b'\x00')
        self.command(0x2019, b'\x40\x00' + bytes(10) + SECRETS['a long-term key'])
        self.data(4, b'\x02' + struct.pack('<H', int(numbers(value['clientMTU'])[0])))
        for uuid, handle in value['handles'].items():
            service = struct.pack('<HHH', handle, handle, int(uuid, 16))
            self.data(4, b'\x11\x06' + service)
        self.data(6, b'\x08' + SECRETS['an identity resolving key'], received=True)
        self.data(6, b'\x09\x00' + SECRETS['an identity address'], received=True)

    def neighbor(self) -> None:
        name = SECRETS['the name of a neighbor']
        report = b'\x02\x01\x00\x00' + SECRETS['an identity address'] + bytes([len(name) + 2, len(name) + 1, 9]) + name
        self.event(0x3E, report + b'\xc8')

    def whole(self) -> tuple[float, float]:
        """All that a phone does; returns from when to when an app was behind."""
        self.record(0xFC, b'Software: Version 26.5.1 (Build 23F81)')
        self.power('AP Wake - Other')
        self.advertising()
        self.scanning()
        times = self.behind()
        self.links()
        self.neighbor()
        self.rotation()
        return times
