"""blepera compare, with a phone's own log that shows all that one can show."""

import json
import subprocess

import phone_log
import pytest
from phone_log import PhoneLog
from test_measured import compared

# The delay is the controller's, and a log has no services to order.
NOT_IN_A_LOG = {'advertisingDelay', 'overflowOrder'}
OTHER = """{
  Phone = "a test"; iOS = 26;
  foregroundBudget = 20; scanResponseNameBudget = 8; emptyScanResponseNameBudget = 20;
  txPowerLevel = 3; txPowerPlace = last; backgroundAppleItems = (0F0107, 100523AABBCCDD);
  nearbyInfoStatus = { locked = 23; unlocked = 6B; };
  foregroundInterval = 50; backgroundInterval = 400; ownInterval = 300; findMyInterval = 1000;
  handoffInterval = { first = 60; newTime = 4000; then = 200; };
  addressRotation = 600000; connectionInterval = 45; clientMTU = 247;
  foregroundScan = { window = 20; interval = 50; }; backgroundScan = { window = 40; interval = 250; };
  litScan = { window = 15; interval = 90; time = 5000; }; sleepScan = { window = 25; interval = 1000; };
  connectionScan = { window = 60; interval = 120; }; sleepConnectionScan = { window = 20; interval = 500; };
  requestedLink = { minimum = 20; maximum = 40; latency = 1; timeout = 2000; };
  ownHandles = { 1800 = 1; 180A = 16; };
}"""


def rules(blepera, *options) -> dict[str, str]:
    """Returns the visible values as texts, by name."""
    text = subprocess.run([blepera, 'rules', '--json', *options], stdout=subprocess.PIPE, check=True).stdout
    return {value['name']: value['value'] for value in json.loads(text)['values'] if 'visible' in value}


def logged(folder, values, big_endian=True):
    """Writes a phone's log and the scenes that were played; returns the options that name them."""
    log = PhoneLog(values, big_endian)
    start, end = log.whole()
    (folder / 'phone.pklg').write_bytes(log.bytes)
    (folder / 'played.scenes').write_text(f'{start} behind\n{end} end\n')
    return [folder / 'phone.pklg', '--scene', folder / 'played.scenes', '--offset', '0']


@pytest.mark.parametrize('big_endian', [True, False])
@pytest.mark.parametrize('ios', ['11', '13', '16', '26'])
def test_each_value_of_a_version_is_found_in_a_log(blepera, tmp_path, ios, big_endian):
    values = rules(blepera, '--ios', ios) | {'handles': phone_log.OWN}
    found = compared(blepera, '--ios', ios, *logged(tmp_path, values, big_endian))
    verdicts = {name: value['verdict'] for name, value in found.items() if value['verdict'] != 'agrees'}
    # Earlier phones have no scan when lit, and the first no TX power.
    missing = NOT_IN_A_LOG | {'11': {'litScan', 'txPowerPlace'}, '26': set()}.get(ios, {'litScan'})
    assert verdicts == dict.fromkeys(missing, 'notSeen')


def test_a_phone_with_all_other_values_is_measured_as_it_is(blepera, tmp_path):
    like, measured = tmp_path / 'like.plist', tmp_path / 'measured.plist'
    like.write_text(OTHER)
    values = rules(blepera, '--like', like)
    usual = rules(blepera, '--ios', '26')
    # One order is known, and of scan responses this is what the log can show.
    kept = {'advertisingDelay', 'overflowOrder', 'backgroundScanResponses'}
    assert {name for name in usual if values[name] == usual[name]} == kept
    words = logged(tmp_path, values | {'handles': {'1800': 1, '180A': 16}})
    found = compared(blepera, '--ios', '26', *words)
    assert {name for name, value in found.items() if value['verdict'] != 'differs'} == kept
    subprocess.run([blepera, 'compare', '--show-values', *words, '-o', measured], stdout=subprocess.PIPE, check=True)
    assert rules(blepera, '--like', measured) == values
    assert 'ownHandles = { 1800 = <*I1>; 180A = <*I16>; };' in measured.read_text()


def test_nothing_of_a_log_that_is_its_owners_is_printed_or_written(blepera, tmp_path):
    words = logged(tmp_path, rules(blepera) | {'handles': phone_log.OWN})
    written = []
    for number, options in enumerate([[], ['--json'], ['--anonymous'], ['--show-values']]):
        files = [tmp_path / f'{number}.plist', tmp_path / f'{number}.html']
        asked = [blepera, 'compare', '--ios', '13', *options, *words, '-o', files[0], '--html', files[1]]
        written.append(subprocess.run(asked, stdout=subprocess.PIPE, check=True).stdout.lower())
        written += [file.read_bytes().lower() for file in files]
    assert all(written)
    for what, secret in phone_log.SECRETS.items():
        for form in (secret, secret[::-1]):
            texts = [form.hex(), form.hex(':'), form.hex('-'), form.decode('latin1').lower()]
            assert not [text for text in texts for bytes in written if text.encode('latin1') in bytes], what
