"""blepera compare, with what a phone on the virtual air sent."""

import subprocess

import pytest
from blepera_tests.paths import profile_path
from test_schemas import output, validate

HEART_RATE = str(profile_path('heart-rate'))


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
    scan = ['bluetoothctl', '--timeout', '10', 'scan', 'on']
    subprocess.run(
        [blepera, 'lab', '--quiet', *state, '--serve', HEART_RATE, '--pcap', pcap, '--', *scan], stdout=subprocess.PIPE,
        check=True)
    report = output(blepera, 'compare', '--json', '--profile', HEART_RATE, str(pcap))
    validate(report, 'compare')
    verdicts = {value['name']: value['verdict'] for value in report['values']}
    assert {name for name, verdict in verdicts.items() if verdict != 'notSeen'} == seen
    assert 'differs' not in verdicts.values()
    assert report['airPackets'] > 0 and report['logPackets'] == 0
