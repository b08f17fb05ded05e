"""blepera compare, with what a phone on the virtual air sent."""

import subprocess

import pytest
from blepera_tests.paths import profile_path
from test_schemas import output, validate

HEART_RATE = str(profile_path('heart-rate'))


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
            {'backgroundInterval', 'advertisingDelay', 'txPowerLevel', 'txPowerPlace', 'backgroundAppleItems'},
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
        files.append({name: value for name, value in lines})
    # Some twenty gaps fix the interval to a millisecond or two.
    intervals = [float(file.pop('backgroundInterval')) for file in files]
    assert intervals == pytest.approx([400, 400], abs=2)
    assert files == [{'Phone': '"an iPhone"', 'txPowerLevel': '3', 'txPowerPlace': 'last'}] * 2
    # What is there is not overwritten.
    refused = subprocess.run(words, capture_output=True, text=True)
    assert refused.returncode == 1 and 'already exists' in refused.stderr
