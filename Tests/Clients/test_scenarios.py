"""Reports of `blepera scenario run`, read by others: JUnit's XML by junitparser, TAP by tap.py and Perl's TAP::Parser."""

import json
import pathlib
import subprocess

import pytest
from blepera_tests.paths import ROOT
from conftest import assert_installed
from junitparser import Error, Failure, JUnitXml, Skipped
from tap.parser import Parser

SCENARIOS = sorted((ROOT / 'scenarios').glob('*.plist'))
# A scenario whose expectations iOS 13 does not meet, so that a step fails.
FAILING = ('--ios', '13', str(ROOT / 'scenarios/ios-14-rule.plist'))


def run(blepera: str, *words: str) -> subprocess.CompletedProcess:
    return subprocess.run([blepera, 'scenario', 'run', *words], capture_output=True, text=True)


def read(junit: pathlib.Path) -> JUnitXml:
    report = JUnitXml.fromfile(str(junit))
    stated = (report.tests, report.failures, report.errors, [suite.tests for suite in report])
    for suite in report:
        suite.update_statistics()
    report.update_statistics()
    # The counts in the report are the counts of junitparser.
    assert stated == (report.tests, report.failures, report.errors, [suite.tests for suite in report])
    return report


def test_junit_of_stories_that_end_as_expected(blepera, tmp_path):
    done = run(blepera, '--junit', str(tmp_path / 'report.xml'), *map(str, SCENARIOS))
    assert (done.returncode, done.stderr) == (0, '')
    report = read(tmp_path / 'report.xml')
    assert len(list(report)) == len(SCENARIOS) == 14
    assert all(case.is_passed for suite in report for case in suite)
    assert (report.tests, report.failures, report.errors) == (153, 0, 0)
    # A night is in it, which took a moment.
    clocks = [float(prop.value) for suite in report for prop in suite.properties() if prop.name == 'virtual time']
    assert sum(clocks) > 28800
    assert report.time < 600


def test_junit_of_a_step_that_fails(blepera, tmp_path):
    done = run(blepera, '--junit', str(tmp_path / 'report.xml'), *FAILING)
    assert done.returncode == 1
    (suite,) = read(tmp_path / 'report.xml')
    kinds = [type(case.result[0]) if case.result else None for case in suite]
    assert kinds == [None] * 6 + [Failure] + [Skipped] * 2
    assert Error not in kinds
    (failure,) = list(suite)[6].result
    assert failure.message.startswith('found phone with no local name')
    assert 'scenario  step 7:' in failure.text


def test_junit_in_a_folder_that_is_not_there(blepera, tmp_path):
    done = run(blepera, '--junit', str(tmp_path / 'none/report.xml'), *map(str, SCENARIOS))
    assert (done.returncode, done.stdout) == (1, '')
    assert done.stderr == f"error: cannot write {tmp_path}/none/report.xml: No such file or directory\n"


@pytest.mark.parametrize(('words', 'failed', 'skipped'), [(tuple(map(str, SCENARIOS)), 0, 0), (FAILING, 1, 2)])
def test_tap_read_by_tap_py(blepera, words, failed, skipped):
    done = run(blepera, '--tap', *words)
    assert done.returncode == (1 if failed else 0)
    lines = list(Parser().parse_text(done.stdout))
    tests = [line for line in lines if line.category == 'test']
    assert [line.category for line in lines[:2]] == ['version', 'plan']
    assert lines[1].expected_tests == len(tests)
    assert [test.number for test in tests] == list(range(1, len(tests) + 1))
    assert (sum(not test.ok for test in tests), sum(test.skip for test in tests)) == (failed, skipped)
    assert [line for line in lines if line.category == 'unknown'] == []
    for test in tests:
        assert test.ok or test.yaml_block['message'].startswith('found phone with no local name')
        assert test.ok or len(test.yaml_block['trace']) > 5


# Prints what TAP::Parser complains of, and how many tests it has found to be passed and failed.
PERL = r"""
use TAP::Parser;
local $/;
my $parser = TAP::Parser->new({ tap => scalar <STDIN> });
while (my $result = $parser->next) { print "unknown: ", $result->raw, "\n" if $result->is_unknown }
print "$_\n" for $parser->parse_errors;
printf "%d %d %d\n", scalar $parser->passed, scalar $parser->failed, scalar $parser->skipped;
"""


@pytest.mark.parametrize(('words', 'counts'), [(tuple(map(str, SCENARIOS)), '153 0 0'), (FAILING, '8 1 2')])
def test_tap_read_by_tap_parser(blepera, words, counts):
    assert_installed('perl')
    done = run(blepera, '--tap', *words)
    read = subprocess.run(['perl', '-we', PERL], input=done.stdout, capture_output=True, text=True)
    assert (read.stdout, read.stderr) == (f'{counts}\n', '')


def test_prove_takes_a_scenario_for_a_test_program(blepera):
    assert_installed('prove')
    done = subprocess.run(
        ['prove', '--exec', f'{blepera} scenario run --tap', *map(str, SCENARIOS)], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, '')
    assert 'Files=14, Tests=153,' in done.stdout


def test_alerts_are_in_the_record(blepera, tmp_path):
    assert run(blepera, '--record', str(tmp_path / 'trace'), str(ROOT / 'scenarios/strap-alerts.plist')).returncode == 0
    events = map(json.loads, (tmp_path / 'trace').read_text().splitlines())
    alerts = [event['reason'] for event in events if event.get('event') == 'alert']
    assert alerts == ['connected', 'a notification', 'a notification', 'disconnected']


def test_a_file_with_faults_is_not_played(blepera, tmp_path):
    text = SCENARIOS[0].read_text().replace('../profiles', str(ROOT / 'profiles')).replace('= gateway;', '= gatway;', 1)
    file = tmp_path / 'faulty.plist'
    file.write_text(text.replace('Do = scan;', 'Do = scann;', 1))
    done = run(blepera, str(file), str(SCENARIOS[1]))
    assert (done.returncode, done.stdout) == (2, '')
    assert done.stderr.startswith(f'{file}:')
    assert "found \"scann\", expected serve" in done.stderr
    assert "did you mean 'scan'?" in done.stderr


def test_check(blepera, tmp_path):
    words = [blepera, 'scenario', 'check', *map(str, SCENARIOS)]
    done = subprocess.run(words, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, '')
    assert done.stdout.count('no errors: ') == 14
    done = subprocess.run([*words, str(tmp_path / 'none.plist')], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (2, f'{tmp_path}/none.plist: error: no such file\n')


@pytest.mark.parametrize(
    ('pairing', 'expect'), [('just-works', ''), ('refuse', 'Expect = { Error = unlikelyError; };')])
def test_a_phone_that_refuses_to_pair(blepera, tmp_path, pairing, expect):
    lock = 'C8B6F0B5-7A37-4B4E-9F0C-6B2B5D1E8A0'
    file = tmp_path / 'pairing.plist'
    file.write_text(f"""{{
      Title = "A lock whose phone has the pairing {pairing}";
      Phones = ({{
        Name = phone; Pairing = "{pairing}";
        Apps = ({{ Name = lock; Profile = "{ROOT}/profiles/smart-lock.plist"; }});
      }});
      Centrals = ({{ Name = door; }});
      Steps = (
        {{ Do = serve; }},
        {{ Do = connect; Phone = phone; Within = 60; Expect = {{ ServiceUUIDs = ({lock}1); }}; }},
        {{ Do = write; Characteristic = {lock}2; Value = 01; {expect} }}
      );
    }}""")
    done = run(blepera, str(file))
    assert done.returncode == 0, done.stdout + done.stderr
