"""blepera compare, with what a phone on the virtual air sent."""

import json
import re
import subprocess

import pytest
from blepera_tests.paths import profile_path
from test_schemas import output, validate

HEART_RATE = str(profile_path('heart-rate'))
# A Bluetooth address, and more bytes in a row than a scan, a range of handles or an item without its value have.
PRIVATE = re.compile(r'\b[0-9A-F]{2}(:[0-9A-F]{2}){5}\b|(?<![-.0-9A-F])[0-9A-F]{12,}(?![-0-9A-F])', re.IGNORECASE)


def scanned(blepera, pcap, *options) -> None:
    """Writes what a scan of ten seconds receives of a phone."""
    scan = ['bluetoothctl', '--timeout', '10', 'scan', 'on']
    words = [blepera, 'lab', '--quiet', *options, '--serve', HEART_RATE, '--pcap', pcap, '--', *scan]
    subprocess.run(words, stdout=subprocess.PIPE, check=True)


@pytest.mark.parametrize(
    'state, seen',
    [
        ([], {'foregroundInterval', 'advertisingDelay'}),
        (
            ['--background'],
            {
                'backgroundInterval', 'advertisingDelay', 'txPowerLevel', 'txPowerPlace', 'backgroundAppleItems',
                'nearbyInfoStatus',
            },
        ),
    ],
)
def test_a_phone_on_the_virtual_air_agrees_with_its_rules(blepera, tmp_path, state, seen):
    pcap = tmp_path / 'air.pcap'
    scanned(blepera, pcap, *state)
    report = output(blepera, 'compare', '--json', '--profile', HEART_RATE, str(pcap))
    validate(report, 'compare')
    verdicts = {value['name']: value['verdict'] for value in report['values']}
    assert {name for name, verdict in verdicts.items() if verdict != 'notSeen'} == seen
    assert 'differs' not in verdicts.values()
    assert report['airPackets'] > 0 and report['logPackets'] == 0


@pytest.mark.parametrize(
    'state, kind, seen', [([], 'foreground', set()), (['--background'], 'background', {'txPowerLevel'})]
)
def test_a_phone_is_compared_by_what_bluetoothd_reports(blepera, state, kind, seen):
    lab = [blepera, 'lab', '--quiet', *state, '--serve', HEART_RATE, '--', blepera, 'compare', '--profile', HEART_RATE]
    words = [*lab, '--listen', 'hci0', '--seconds', '5', '--json']
    report = json.loads(subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout)
    validate(report, 'compare')
    values = {value['name']: value for value in report['values']}
    assert {name for name, value in values.items() if value['verdict'] == 'agrees'} == seen
    assert {value['reason'] for value in values.values() if value['visible'] == 'hci'} == {"only in a phone's own log"}
    assert values['backgroundInterval']['reason'] == 'bluetoothd does not report it'
    assert 'reason' not in values['nearbyInfoStatus']
    observed = {item['name']: item['text'] for item in report['observations']}
    assert observed['set'] == f'{kind}, 1 address' and 'dBm' in observed['signal']
    assert observed['contents'].startswith(f'{kind}: {"overflow area" if state else "services, name"}')
    assert observed.get('overflow area') == (None if not state else 'bit 61')
    assert report['airPackets'] >= 3


def test_what_listens_needs_a_phone_to_look_for(blepera):
    for words in [['--listen', 'hci0'], ['--listen', 'hci0', '--profile', HEART_RATE, 'a.pcap'], ['--seconds', '1', 'a.pcap']]:
        assert subprocess.run([blepera, 'compare', *words], capture_output=True).returncode == 64


def test_a_phone_like_the_captured_one_measures_the_same(blepera, tmp_path):
    given = tmp_path / 'given.plist'
    given.write_text('{ Phone = "a test"; backgroundInterval = 400; txPowerLevel = 3; txPowerPlace = last; }')
    files = []
    for turn, like in enumerate([given, tmp_path / '0.plist']):
        scanned(blepera, tmp_path / f'{turn}.pcap', '--background', '--like', like)
        file = tmp_path / f'{turn}.plist'
        words = [blepera, 'compare', '--profile', HEART_RATE, '-o', file, tmp_path / f'{turn}.pcap']
        subprocess.run(words, stdout=subprocess.PIPE, check=True)
        subprocess.run([blepera, 'check', file], stdout=subprocess.PIPE, check=True)
        lines = [line.strip(' ;').split(' = ') for line in file.read_text().splitlines() if ' = ' in line]
        files.append(dict(lines))
    # Some twenty gaps fix the interval to a millisecond or two.
    intervals = [float(file.pop('backgroundInterval')) for file in files]
    assert intervals == pytest.approx([400, 400], abs=2)
    assert files == [{'Phone': '"an iPhone"', 'iOS': '26', 'txPowerLevel': '3', 'txPowerPlace': 'last'}] * 2
    # An existing file is not overwritten.
    refused = subprocess.run(words, capture_output=True, text=True)
    assert refused.returncode == 1 and 'already exists' in refused.stderr


def test_scenes_are_asked_for_and_measured_by(blepera, tmp_path):
    played = tmp_path / 'played.scenes'
    words = [blepera, 'compare', '--scenes', '-o', played]
    asked = subprocess.run(words, input='\n' * 11, capture_output=True, text=True, check=True).stderr
    assert '1 of 11: Lock the phone: ' in asked and '8 of 11: after 2 min: Go to the home screen: ' in asked
    assert [line.split()[1] for line in played.read_text().splitlines()[1:]][6:] == [
        'front', 'behind', 'copy', 'dark', 'end'
    ]
    cut = subprocess.run(words[:-2], input='\n' * 3, capture_output=True, text=True)
    assert cut.returncode == 1 and cut.stdout == ''
    # A minute behind, by clocks that are the same.
    pcap = tmp_path / 'air.pcap'
    scanned(blepera, pcap, '--background')
    played.write_text('0 front\n1 behind\n4102444000 end\n')
    compare = [blepera, 'compare', '--profile', HEART_RATE, '--scene', played]
    unknown = subprocess.run([*compare, pcap], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert 'no three pairs of lock and unlock' in unknown
    report = output(blepera, 'compare', '--json', *map(str, compare[2:]), '--offset', '0', str(pcap))
    validate(report, 'compare')
    assert report['clocks'] == [{'capture': str(pcap), 'offset': 0, 'error': 0}]
    verdicts = {value['name']: value['verdict'] for value in report['values']}
    assert verdicts['backgroundInterval'] == 'agrees' and verdicts['foregroundInterval'] == 'notSeen'


def test_standard_input_is_read_and_what_is_published_names_no_file(blepera, tmp_path):
    pcap = tmp_path / 'air.pcap'
    scanned(blepera, pcap)
    words = [blepera, 'compare', '--profile', HEART_RATE, '--anonymous']
    text = subprocess.run([*words, '-'], stdin=pcap.open('rb'), stdout=subprocess.PIPE, text=True, check=True).stdout
    report = json.loads(text)
    validate(report, 'compare')
    assert report['airPackets'] > 0 and 'air.pcap' not in text
    assert report == json.loads(subprocess.run([*words, pcap], stdout=subprocess.PIPE, check=True).stdout)
    assert 'clocks' not in report and PRIVATE.search(json.dumps(report)) is None


def test_a_page_has_the_gaps_beside_the_rule(blepera, tmp_path):
    pcap, page = tmp_path / 'air.pcap', tmp_path / 'page.html'
    scanned(blepera, pcap)
    words = [blepera, 'compare', '--profile', HEART_RATE, '--html', page, pcap]
    for _ in range(2):
        subprocess.run(words, stdout=subprocess.PIPE, check=True)
    text = page.read_text()
    assert text.count('<svg') == 1 and 'aria-label="Gaps of foregroundInterval"' in text and '<script' not in text
    page.write_text('mine')
    refused = subprocess.run(words, capture_output=True, text=True)
    assert refused.returncode == 1 and page.read_text() == 'mine'
