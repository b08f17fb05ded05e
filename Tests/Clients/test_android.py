"""docs/android.md: what Android's two kinds of ScanRecord have of published captures, and what the page's function makes of
them, played in Python.

The captures are those of herald-for-android (BLEDeviceFilterTest), android-beacon-library (OverflowAreaBeaconTest),
davidgyoung/ios-overflow-area, Crownstone's BROADCASTING_AS_BEACON.md, BleChat, NHS Sonar, room-assistant, covidsafescan,
AOSP's car trust, pagepinner, reelyActive, SmartScreen, Boston-Mesh, Bafang-RideSync and uynguyen.github.io; where
only a mask is published, beside a packet of another, and with made-up bytes where an item is published without its contents.
"""

import json
import re
import subprocess

import pytest
from blepera_tests.paths import ROOT

PAGE = (ROOT / 'docs/android.md').read_text()


def area(*bits: int) -> str:
    """The AD structure of an overflow area."""
    return '14FF4C0001' + sum(1 << bit for bit in bits).to_bytes(16, 'little').hex()


# Advertisement, scan response, the bits that are set.
CAPTURES = {
    'iPhone 6, iOS 11': ('02011A' + area(83), '', {83}),
    'iPhone SE': ('02011A020A0C' + area(61), '', {61}),
    'iPhone X': ('02011A020A0C0BFF4C001006071EA3DD89E0', area(61), {61}),
    'Nearby Action and Nearby Info': ('02011A020A0C0EFF4C000F05A0336AA5F110025B0C', area(1, 61), {1, 61}),
    'bitchat': ('02011A020A0C0CFF4C00100713A1B2C3D4E5F6', area(103), {103}),
    'an iPhone with N1': ('02011A0CFF4C0010077B1FF082030038020A00', area(46), {46}),
    'five UUIDs': ('02011A020A0C', '14FF4C000100040100000020000000010000000008', {10, 16, 53, 80, 123}),
    'C007 of Crownstone': ('02011A' + area(36), '', {36}),
    'C008 of Crownstone': ('02011A' + area(59), '', {59}),
    '1001 and 3333 of Crownstone': ('02011A' + area(57), '', {57}),
    'SmartScreen': ('02011A020A0C0BFF4C001006071EA3DD89E0', area(31), {31}),
    'SmartScreen, an earlier UUID': ('02011A020A0C0BFF4C001006071EA3DD89E0', area(85), {85}),
    'an Apple Watch in setup': ('02011A020A0C0BFF4C001006071EA3DD89E0', area(66), {66}),
    'reelyActive': ('02011A020A0C0BFF4C001006071EA3DD89E0', area(54), {54}),
    'LegacyZeroOne of Herald': ('02011A020A0C' + area(13), '', {13}),
    'a scan response of Wireshark': ('', area(103), {103}),
    'NHS Sonar': ('02011A020A0C0BFF4C001006071EA3DD89E0', area(78), {78}),
    'room-assistant': ('02011A020A0C0BFF4C001006071EA3DD89E0', area(28), {28}),
    'COVIDSafe': ('02011A020A0C0AFF4C001005031C8BA89D', area(0, 23), {0, 23}),
    'Handoff with Nearby Info': (
        '02011A1BFF4C000C0E0852005C1E9047B32AD8710F66E91006551EEE51497A', area(61), {61},
    ),
    'no app: Nearby Info': ('02011A020A0C0BFF4C0010060C1E4FDE4DF7', '', set()),
    'no app: iPhone 7': ('0BFF4C001006061A396363CE', '', set()),
    'no app: five bytes': ('02011A020A0C0AFF4C001005031C8BA89D', '', set()),
    'Find My': ('1EFF4C001219' + '01' * 25, '', set()),
    'foreground, Fred': ('02011A030307C0050946726564', '', set()),
    'foreground, 128 bits': ('02011A1107A6FFA91B91F4F2AD0F4A6DCF5444232F', '', set()),
    'foreground, two dashes': ('02011A1107A6FFA91B91F4F2AD0F4A6DCF5444232F03092D2D', '', set()),
    'foreground, iPhone SE': ('02011A020A0C1107A6FFA91B91F4F2AD0F4A6DCF5444232F', '', set()),
    'foreground, Tester': ('02011A1107FB349B5F8000008000100000C53A00000709546573746572', '', set()),
    'foreground, LightBlue': ('02011A1106A6FFA91B91F4F2AD0F4A6DCF5444232F09084C69676874426C75', area(121), {121}),
    'foreground, five UUIDs': (
        '02011A1106A6FFA91B91F4F2AD0F4A6DCF5444232F0909' + b'uynguyen'.hex(), area(2, 3, 5, 8), {2, 3, 5, 8},
    ),
    'Microsoft': ('02011A1BFF060001092022' + '01' * 20, '', set()),
    'iBeacon': ('02011A1AFF4C000215' + '01' * 21, '', set()),
}


def record(packet: bytes, joins: bool) -> bytes | None:
    """`ScanRecord.parseFromBytes` and `getManufacturerSpecificData(0x004C)`."""
    found, at = None, 0
    while at < len(packet) and packet[at]:
        kind, payload = packet[at + 1], packet[at + 2:at + 1 + packet[at]]
        if kind == 0xFF and payload[:2] == b'\x4c\x00':
            found = (found or b'') + payload[2:] if joins else payload[2:]
        at += 1 + packet[at]
    return found


def overflow_bits(data: bytes) -> set[int]:
    """The page's function, statement by statement."""
    bits = set()
    at = 0
    while at + 1 < len(data):
        if data[at] != 0x01:
            at += 2 + data[at + 1]
            continue
        if at + 17 > len(data):
            break
        for bit in range(128):
            if data[at + 1 + bit // 8] >> bit % 8 & 1 == 1:
                bits.add(bit)
        at += 17
    return bits


def matches(data: bytes, mask: bytes, parsed: bytes | None) -> bool:
    """`ScanFilter.matchesPartialData`."""
    if parsed is None or len(parsed) < len(data):
        return False
    return all(each & byte == each & wanted for wanted, each, byte in zip(data, mask, parsed, strict=False))


def run(blepera: str, *words: str) -> dict:
    return json.loads(subprocess.run([blepera, 'overflow', *words, '--json'], check=True, capture_output=True).stdout)


@pytest.mark.parametrize('name', CAPTURES)
def test_a_capture(blepera, name):
    advertisement, response, bits = CAPTURES[name]
    packet = bytes.fromhex(advertisement + response)
    last, joined = record(packet, joins=False), record(packet, joins=True)
    assert overflow_bits(last or b'') == bits and overflow_bits(joined or b'') == bits
    # The filter for all Apple data finds what has a bit.
    assert not bits or matches(b'', b'', last) and matches(b'', b'', joined)
    if not bits:
        return
    for data in (last, joined, b'\x4c\x00' + joined):
        decoded = run(blepera, 'decode', data.hex())
        assert set(decoded['bits']) == bits
        assert ('android' in decoded) == (data != last and last != joined)
    whole = run(blepera, 'decode', packet.hex())
    expected = {'last': last.hex().upper(), 'joined': joined.hex().upper()}
    assert whole.get('android', {key: last.hex().upper() for key in expected}) == expected


def test_a_filter_of_the_bit_finds_it_in_the_last_structure_alone(blepera):
    [service] = run(blepera, 'encode', '--android', '180D')['services']
    data, mask = (bytes.fromhex(service['filter'][key]) for key in ('data', 'mask'))
    assert data.hex().upper() in PAGE and mask.hex().upper() in PAGE
    for name, (advertisement, response, bits) in CAPTURES.items():
        packet = bytes.fromhex(advertisement + response)
        last, joined = record(packet, joins=False), record(packet, joins=True)
        assert matches(data, mask, last) == (61 in bits), name
        assert matches(data, mask, joined) == (61 in bits and last == joined), name


def test_the_function_is_that_of_the_page():
    """The numbers of the page's function, in their order."""
    kotlin = re.search(r'fun overflowBits.*?^}', PAGE, re.MULTILINE | re.DOTALL)[0]
    assert re.findall(r'0x\w+|\b\d+\b', kotlin) == [
        '0', '1', '0x01', '2', '1', '0xFF', '17', '0', '128', '1', '8', '8', '1', '1', '17',
    ]
