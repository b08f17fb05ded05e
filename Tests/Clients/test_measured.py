"""Phones on the virtual air, captured and measured by blepera compare."""

import json
import random
import struct
import subprocess

import pytest
from blepera_tests.paths import profile_path

HEART_RATE = str(profile_path('heart-rate'))
# The values that a phone shows which advertises for a minute in the foreground, and an hour in the background.
SHOWN = {
    'txPowerLevel', 'backgroundAppleItems', 'foregroundInterval', 'backgroundInterval', 'advertisingDelay',
    'addressRotation',
}  # fmt: skip
# The values that no packet of this app shows.
NEVER = {'foregroundBudget', 'overflowOrder'}
APP = '{ UIBackgroundModes = (bluetooth-peripheral); BLEPeripheral = { Advertisement = { %s }; Services = ({ UUID = %s; }); }; }'


def captured(blepera, folder, *options, profile=f'"{HEART_RATE}"', others=0, behind=3600):
    """Returns the capture of a phone in the foreground, and then in the background, beside others."""
    phones = [f'{{ Name = phone; Apps = ({{ Name = heart; Profile = {profile}; }}); }}']
    serve = ['{ Do = serve; App = heart; },' if others else '{ Do = serve; },']
    for number in range(others):
        app = APP % ('ServiceUUIDs = (181A);', '181A')
        phones.append(f'{{ Name = other{number}; Apps = ({{ Name = battery{number}; Profile = {app}; }}); }}')
        serve.append(f'{{ Do = serve; App = battery{number}; }},')
    scan = '{ Do = scan; LookFor = { LocalName = Nobody; }; Within = %d; Expect = { Found = NO; }; }'
    background = '{ Do = background; },' if not others else '{ Do = background; Phone = phone; },'
    scenario = folder / 'measured.plist'
    scenario.write_text(
        f'{{ Title = "A phone is measured"; Phones = ({", ".join(phones)}); Centrals = ({{ Name = gateway; }});'
        f'Steps = ({"".join(serve)} {scan % 60}, {background} {scan % behind}); }}'
    )
    pcap = folder / 'air.pcap'
    pcap.unlink(missing_ok=True)
    run = [blepera, 'scenario', 'run', '--quiet', scenario, '--pcap', pcap, *options]
    played = subprocess.run(run, capture_output=True, text=True)
    assert played.returncode == 0, played.stdout + played.stderr
    return pcap


def long_named(count) -> str:
    """Returns the profile of an app with a long name, and with services of 16 bits and a number of 128 bits."""
    services = ['181A', '181C', *(f'{number}0000000-0000-4000-8000-000000000000' for number in range(1, count + 1))]
    listed = ', '.join(f'"{uuid}"' for uuid in services)
    name = 'LocalName = "A name that is longer than all room";'
    return APP % (f'{name} ServiceUUIDs = ({listed});', '; }, { UUID = '.join(f'"{uuid}"' for uuid in services))


def advertisers(pcap) -> set:
    """Returns the addresses whose advertisements are in a capture."""
    whole, position, found = pcap.read_bytes(), 24, set()
    while position < len(whole):
        length = 16 + struct.unpack_from('<I', whole, position + 8)[0]
        pdu = whole[position + 30 : position + length]
        if pdu[0] & 0xF in (0, 2):
            found.add(':'.join(f'{octet:02X}' for octet in reversed(pdu[2:8])))
        position += length
    return found


def compared(blepera, *words) -> dict:
    """Returns the values by name."""
    text = subprocess.run([blepera, 'compare', '--json', *words], stdout=subprocess.PIPE, check=True).stdout
    return {value['name']: value for value in json.loads(text)['values']}


def verdicts(values, verdict) -> set:
    return {name for name, value in values.items() if value['verdict'] == verdict}


@pytest.mark.parametrize('ios', ['11', '13', '16', '26'])
def test_the_values_of_each_version_are_found_in_its_packets(blepera, tmp_path, ios):
    pcap = captured(blepera, tmp_path, '--ios', ios)
    values = compared(blepera, '--ios', ios, '--profile', HEART_RATE, pcap)
    assert verdicts(values, 'differs') == set()
    assert verdicts(values, 'agrees') >= SHOWN
    assert verdicts(values, 'agrees').isdisjoint(NEVER)


@pytest.mark.parametrize('ios', ['11', '13', '16', '26'])
@pytest.mark.parametrize(
    'services, shown',
    [(0, {'foregroundBudget'}), (1, {'emptyScanResponseNameBudget'}), (4, {'scanResponseNameBudget', 'overflowOrder'})],
)
def test_rooms_and_order_are_found_where_a_name_is_shortened(blepera, tmp_path, ios, services, shown):
    profile = long_named(services)
    own = tmp_path / 'own.plist'
    own.write_text(profile)
    pcap = captured(blepera, tmp_path, '--ios', ios, profile=profile, behind=60)
    values = compared(blepera, '--ios', ios, '--profile', own, pcap)
    assert verdicts(values, 'differs') == set()
    rooms = {name for name in values if 'Budget' in name or name == 'overflowOrder'}
    assert verdicts(values, 'agrees') & rooms == shown


def test_a_phone_is_found_among_three_with_packets_missing(blepera, tmp_path):
    pcap = captured(blepera, tmp_path, others=2, behind=600)
    whole = pcap.read_bytes()
    draw, position, kept = random.Random(7), 24, [whole[:24]]
    while position < len(whole):
        length = 16 + struct.unpack_from('<I', whole, position + 8)[0]
        if draw.random() >= 0.3:
            kept.append(whole[position : position + length])
        position += length
    pcap.write_bytes(b''.join(kept))
    values = compared(blepera, '--profile', HEART_RATE, pcap)
    assert verdicts(values, 'differs') == set()
    assert verdicts(values, 'agrees') >= SHOWN - {'addressRotation'}


OTHER = (
    '{ Phone = "a test"; ownInterval = 300; nearbyInfoStatus = { locked = 23; unlocked = 6B; }; connectionInterval = 45;'
    ' backgroundAppleItems = (0F0107, 1005230A0B0C0D); handoffInterval = { first = 60; newTime = 4000; then = 250; };'
    ' findMyInterval = 1000; txPowerLevel = 3; txPowerPlace = last; advertisingDelay = { maximum = 5; step = 1.25; }; }'
)


def other(folder, likes) -> list:
    """Returns the options of a phone with other values, where the test is of one."""
    (folder / 'like.plist').write_text(OTHER)
    return ['--like', folder / 'like.plist'] if likes else []


@pytest.mark.parametrize('likes', [False, True])
def test_a_phone_shows_its_own_set_its_status_and_its_links(blepera, tmp_path, likes):
    wait = '{ Do = scan; LookFor = { LocalName = Nobody; }; Within = 60; Expect = { Found = NO; }; },'
    scenario = tmp_path / 'own.plist'
    scenario.write_text(
        '{ Title = "A phone without its app, and a link"; Phones = ({ Name = phone; PublicAddress = YES; PhoneServices = YES;'
        f' Apps = ({{ Name = heart; Profile = "{HEART_RATE}"; }}); }}); Centrals = ({{ Name = gateway; Kind = iOS; }});'
        f' Steps = ({wait} {{ Do = lock; }}, {wait} {{ Do = unlock; }}, {{ Do = serve; }},'
        ' { Do = scan; LookFor = { Services = (180D); }; }, { Do = connect; }, { Do = disconnect; }); }'
    )
    pcap = tmp_path / 'air.pcap'
    run = [blepera, 'scenario', 'run', '--quiet', scenario, '--pcap', pcap, *other(tmp_path, likes)]
    subprocess.run(run, stdout=subprocess.PIPE, check=True)
    values = compared(blepera, '--address', '00:AA:01:00:00:00', '--show-values', pcap)
    shown = {
        'ownInterval', 'advertisingDelay', 'nearbyInfoStatus', 'txPowerLevel', 'txPowerPlace', 'backgroundAppleItems',
    }  # fmt: skip
    # The other phone has made the link, and has chosen the interval.
    assert values['connectionInterval']['verdict'] == 'notSeen'
    assert verdicts(values, 'agrees') == (set() if likes else shown)
    measured = {name: values[name]['measured'] for name in shown}
    if likes:
        # The last bytes of an item are the phone's own.
        assert measured.pop('backgroundAppleItems').startswith('0F0107, 100523')
        assert measured == {
            'ownInterval': '300 ms', 'advertisingDelay': 'maximum 5 ms, step 1.25 ms',
            'nearbyInfoStatus': 'locked 23, unlocked 6B', 'txPowerLevel': '3', 'txPowerPlace': 'last',
        }  # fmt: skip
    else:
        assert measured['nearbyInfoStatus'] == 'locked 33, unlocked 7B'
    # The emulated phone's own services have other handles, of which the first are the same.
    assert verdicts(values, 'differs') == {'ownHandles'} | (shown if likes else set())
    assert values['ownHandles']['measured'].startswith('1800 1, ')
    # The other side of the link is an app on an iPhone.
    central = compared(blepera, '--address', '00:AA:01:00:00:01', pcap)
    assert central['clientMTU']['measured'] == '185'
    assert central['connectionInterval']['verdict'] == ('differs' if likes else 'agrees')
    assert central['connectionInterval']['measured'] == ('45 ms' if likes else '30 ms')


@pytest.mark.parametrize('likes, seconds', [(False, 30), (True, 20)])
def test_handoff_and_find_my_are_measured_in_their_sets(blepera, tmp_path, likes, seconds):
    pcap = tmp_path / 'air.pcap'
    play = f'(sleep 2; {blepera} lock; sleep 2; {blepera} unlock) & bluetoothctl --timeout {seconds} scan on; true'
    lab = [blepera, 'lab', '--quiet', '--public-address', '--apple-items', 'nearby-info,handoff,find-my', '--background']
    lab += [*other(tmp_path, likes), '--serve', HEART_RATE, '--pcap', pcap, '--', 'sh', '-c', play]
    subprocess.run(lab, stdout=subprocess.PIPE, check=True)
    # Find My has an address of its own, and there is no other phone.
    words = [word for address in advertisers(pcap) for word in ('--address', address)]
    values = compared(blepera, *words, pcap)
    verdict = 'differs' if likes else 'agrees'
    assert values['handoffInterval']['verdict'] == verdict and values['findMyInterval']['verdict'] == verdict
    if likes:
        assert values['findMyInterval']['measured'] == '1000 ms'
        handoff = [float(word) for word in values['handoffInterval']['measured'].split() if word[0].isdigit()]
        assert handoff == [pytest.approx(60, abs=1), pytest.approx(4000, abs=90), pytest.approx(250, abs=1)]


@pytest.mark.parametrize('count', [0, 1, 4])
def test_a_phone_with_other_values_measures_as_they_are(blepera, tmp_path, count):
    like = tmp_path / 'like.plist'
    like.write_text(
        '{ Phone = "a test"; backgroundInterval = 400; foregroundInterval = 50; txPowerLevel = 3; txPowerPlace = last;'
        ' advertisingDelay = { maximum = 2.5; step = 1.25; }; addressRotation = 600000; emptyScanResponseNameBudget = 20;'
        ' scanResponseNameBudget = 8; foregroundBudget = 25; }'
    )
    profile = long_named(count)
    own = tmp_path / 'own.plist'
    own.write_text(profile)
    pcap = captured(blepera, tmp_path, '--like', like, profile=profile)
    measured = tmp_path / 'measured.txt'
    words = [blepera, 'compare', '--profile', own, '-o', measured, pcap]
    subprocess.run(words, stdout=subprocess.PIPE, check=True)
    lines = [line.strip(' ;').split(' = ', 1) for line in measured.read_text().splitlines() if ' = ' in line]
    found = dict(lines)
    room, size = {
        0: ('foregroundBudget', '25'), 1: ('emptyScanResponseNameBudget', '20'), 4: ('scanResponseNameBudget', '8')
    }[count]  # fmt: skip
    assert float(found['backgroundInterval']) == pytest.approx(400, abs=0.2)
    assert float(found['foregroundInterval']) == pytest.approx(50, abs=0.2)
    assert float(found['addressRotation']) == pytest.approx(600000, rel=0.01)
    assert found['txPowerLevel'] == '3' and found['txPowerPlace'] == 'last'
    assert found[room] == size
    assert 'advertisingDelay' in measured.read_text()
    # And again with what was measured.
    again = captured(blepera, tmp_path, '--like', measured, profile=profile, behind=60)
    values = compared(blepera, '--profile', own, again)
    assert verdicts(values, 'differs') >= {'backgroundInterval', 'foregroundInterval', 'txPowerLevel', room}


def test_a_phone_is_found_by_its_key_under_each_address(blepera, tmp_path):
    pcap, status = tmp_path / 'air.pcap', tmp_path / 'status.json'
    scan = 'bluetoothctl --timeout 4 scan on'
    play = f'{blepera} status --json > {status}; {scan}; {blepera} bluetooth off; {blepera} bluetooth on; {scan}'
    lab = [blepera, 'lab', '--quiet', '--serve', HEART_RATE, '--pcap', pcap, '--', 'sh', '-c', play]
    subprocess.run(lab, stdout=subprocess.PIPE, check=True)
    address = json.loads(status.read_text())['address']
    for key, sets in [(address['irk'], [['foreground', '2 addresses']]), (address['irkReversed'], [])]:
        words = [blepera, 'compare', '--json', '--irk', key, pcap]
        report = json.loads(subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout)
        # The kind of each set, and its addresses.
        found = [item['text'].split(', ')[0:3:2] for item in report['observations'] if item['name'] == 'set']
        assert found == sets
    assert report['airPackets'] == 0


def test_the_packets_of_a_measured_phone_are_explained(blepera, tmp_path):
    words = [blepera, 'explain', '--state', 'background', *other(tmp_path, True), HEART_RATE]
    text = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout
    assert "Apple's Nearby Action, Nearby Info" in text and '0F010710056B0A0B0C0D' in text and 'TX power level: 3 dBm' in text
