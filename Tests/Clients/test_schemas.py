"""The JSON that blepera writes, against the schemas in docs/schema; SchemaTests.swift compares those that are generated."""

import json
import os
import pathlib
import signal
import socket
import subprocess
import tempfile

import jsonschema
import pytest
import referencing
from blepera_tests.paths import ROOT, profile_path
from program import TIMEOUT, Program

FOLDER = ROOT / 'docs/schema'
SCHEMAS = {path.name: json.loads(path.read_text()) for path in FOLDER.glob('*.json')}
REGISTRY = referencing.Registry().with_resources(
    (name, referencing.Resource.from_contents(schema)) for name, schema in SCHEMAS.items()
)
HEART_RATE = str(profile_path('heart-rate'))
PHONE_FILE = str(ROOT / 'Tests/Clients/my-iphone.plist')


def validate(value: object, schema: str) -> None:
    jsonschema.Draft202012Validator(SCHEMAS[f'{schema}.json'], registry=REGISTRY).validate(value)


def validate_strictly(value: object, schema: str) -> None:
    """Requires the schema, and that no object of the value may have an unknown key."""
    validate(value, schema)
    for one in dictionaries(value):
        one['other'] = 1
        with pytest.raises(jsonschema.ValidationError):
            validate(value, schema)
        del one['other']


def dictionaries(value: object):
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from dictionaries(inner)


def output(*words: str) -> dict:
    return json.loads(subprocess.run(words, stdout=subprocess.PIPE, text=True).stdout)


@pytest.fixture
def folder():
    with tempfile.TemporaryDirectory() as path:
        yield pathlib.Path(path)


@pytest.mark.parametrize('name', sorted(SCHEMAS))
def test_a_schema_is_valid(name):
    jsonschema.Draft202012Validator.check_schema(SCHEMAS[name])


@pytest.mark.parametrize(
    'schema, words',
    [
        ('check', ['check', '--json', HEART_RATE, 'missing.plist']),
        (
            'scenario-check',
            ['scenario', 'check', '--json', str(ROOT / 'scenarios/whole-mask.plist'), HEART_RATE, 'missing.plist'],
        ),
        ('explain', ['explain', '--json', HEART_RATE, str(profile_path('foreground-only'))]),
        ('explain', ['explain', '--json', '--state', 'suspended', str(profile_path('foreground-only'))]),
        ('explain', ['explain', '--json', str(profile_path('lock-remote'))]),
        ('explain-link', ['explain', '--link', '--json']),
        ('explain-link', ['explain', '--link', '--json', '--ios', '11']),
        ('explain-link', ['explain', '--link', '--json', '--peer-mtu', '517', '--data-length', '27']),
        ('check', ['check', '--json', PHONE_FILE]),
        ('rules', ['rules', '--json']),
        ('rules', ['rules', '--json', '--like', PHONE_FILE]),
        ('rules', ['rules', '--json', '--ios', '13']),
        ('defects', ['defects', '--json']),
        ('predict', ['predict', '--json', HEART_RATE, '--preset', 'esphome', '--preset', 'bluez-discovery']),
        ('predict', ['predict', '--json', '--interval', '270', '--window', '30', '--scan-interval', '320', '--within', '1']),
        ('overflow', ['overflow', 'encode', '--json', '180D', '180A']),
        ('overflow', ['overflow', 'decode', '--json', '02000000000000200000000000000000', '--candidates', '180D']),
        ('overflow', ['overflow', 'find', '--json', '61', '0']),
        ('doctor', ['doctor', '--json']),
        ('scenario-report', ['scenario', 'run', '--json', *map(str, sorted((ROOT / 'scenarios').glob('*.plist')))]),
    ],
)
def test_the_result_of_a_command(blepera, schema, words):
    validate(output(blepera, *words), schema)


def test_the_events_the_trace_and_the_status_of_a_phone(blepera, folder):
    environment = {
        **os.environ, 'XDG_RUNTIME_DIR': str(folder), 'BLEPERA_RUNTIME_DIR': '', 'BLEPERA_STATE_DIR': str(folder / 'state')}
    trace = folder / 'trace.jsonl'
    serve = Program(
        blepera, 'serve', '--virtual', '--json', '--record', str(trace), HEART_RATE, env=environment)
    serve.line('"event":"notified"')
    status = subprocess.run([blepera, 'status', '--json'], env=environment, stdout=subprocess.PIPE, text=True)
    validate(json.loads(status.stdout), 'status')
    bonds = subprocess.run([blepera, 'bonds', '--json'], env=environment, stdout=subprocess.PIPE, text=True)
    validate(json.loads(bonds.stdout), 'bonds')
    serve.line('"event":"disconnecting"')
    subprocess.run([blepera, 'background'], env=environment, check=True)
    serve.line('"event":"waiting"')
    assert serve.end(signal.SIGINT) == 0
    first, *lines = [json.loads(line) for line in serve.output]
    assert (first['event'], first['version']) == ('started', 2)
    validate_strictly(first, 'event')
    for line in lines:
        validate_strictly(line, 'central-event' if line['side'] == 'central' else 'event')
    header, *recorded = [json.loads(line) for line in trace.read_text().splitlines()]
    validate(header, 'trace-header')
    assert recorded == lines


def names(schema: dict, definition: str) -> set[str]:
    return set(schema['$defs'][definition]['properties'])


@pytest.mark.parametrize('schema, calls', [('applink-app', 'call'), ('applink-phone', 'callback')])
def test_the_messages_of_central_managers(schema, calls):
    """Each has a sample, which CentralMessageTests.swift writes and reads, and no further keys."""
    lines = (ROOT / 'Tests/Clients/central-messages.jsonl').read_text().splitlines()
    found = {'': set(), 'peripheral': set()}
    for message in map(json.loads, lines):
        if calls not in message['central']:
            continue
        validate_strictly(message, schema)
        [(name, content)] = message['central'][calls].items()
        found[''].add(name)
        found['peripheral'] |= set(content[calls]) if name == 'peripheral' else set()
    definitions = {'': f'Central{calls.capitalize()}', 'peripheral': f'Peripheral{calls.capitalize()}'}
    assert found == {key: names(SCHEMAS[f'{schema}.json'], name) for key, name in definitions.items()}


def test_a_scan(blepera):
    words = [blepera, 'lab', '--quiet', '--serve', HEART_RATE, '--', blepera, 'scan', '--json', '--seconds', '2']
    result = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True)
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert [line['event'] for line in lines[:3]] == ['started', 'scanning', 'discovered']
    for line in lines:
        validate(line, 'scan')


def test_applink_and_preserved_state(blepera, folder):
    """A phone in a lab that an app of this test's own connects to, and what is preserved of apps."""
    environment = {**os.environ, 'BLEPERA_STATE_DIR': str(folder)}
    validate(output(*['env', f'BLEPERA_STATE_DIR={folder}', blepera, 'preserved', 'list', '--json']), 'preserved')
    lab = Program(blepera, 'lab', '--quiet', env=environment)
    variables = dict(
        word.split('=', 1) for word in lab.line('export ').removeprefix('export ').replace("'", '').split(' '))
    phone = {**environment, **variables}
    system = Program(blepera, 'system', '--json', env=phone)
    system.line('"event":"poweredOn"')
    validate(json.loads(system.output[0]), 'event')
    with socket.socket(socket.AF_UNIX) as app:
        app.settimeout(TIMEOUT)
        app.connect(f'{variables["BLEPERA_RUNTIME_DIR"]}/default.socket')
        lines = app.makefile()
        service = {
            'uuid': '180D', 'isPrimary': True, 'includedServices': [],
            'characteristics': [
                {'uuid': '2A37', 'properties': ['read', 'notify'], 'permissions': ['readable'], 'descriptors': []}
            ],
        }
        identity = {
            'bundleIdentifier': 'org.example.test', 'name': 'Test', 'backgroundModes': ['bluetooth-peripheral'],
            'rules': {}, 'usesAccessorySetup': False,
        }
        messages = [
            {'hello': {'version': 1, 'app': identity, 'launch': 'foreground'}},
            {'create': {'id': 'test', 'role': 'peripheral'}},
            {'create': {'id': 'other', 'role': 'peripheral'}},
            {'create': {'id': 0, 'role': 'central'}},
            {'central': {'id': 0, 'call': {'stopScan': {}}}},
            {'peripheral': {'id': 'other', 'call': {'startAdvertising': {'advertisement': {'serviceUUIDs': ['1809']}}}}},
            {'peripheral': {'id': 'test', 'call': {'addService': {'id': 0, 'service': service}}}},
            {'peripheral': {'id': 'test', 'call': {'startAdvertising': {
                'advertisement': {'localName': 'Test', 'serviceUUIDs': ['180D']}}}}},
        ]
        for message in messages:
            validate_strictly(message, 'applink-app')
            app.sendall(json.dumps(message).encode() + b'\n')
        received: list[tuple[object, str]] = []
        while ('test', 'didStartAdvertising') not in received:
            message = json.loads(lines.readline())
            validate_strictly(message, 'applink-phone')
            [(name, fields)] = message.items()
            received += [(fields.get('id'), one) for one in fields.get('callback', [name])]
        wanted = {('test', 'didAddService'), ('other', 'didStartAdvertising'), (0, 'didUpdateState')}
        assert received[0] == (None, 'welcome') and wanted <= set(received)
        words = [blepera, 'preserved', 'list', '--json']
        shown = json.loads(subprocess.run(words, env=phone, stdout=subprocess.PIPE, text=True).stdout)
        validate(shown, 'preserved')
        assert [one['identifier'] for one in shown['apps']] == ['org.example.test']
    assert system.end(signal.SIGTERM) == 143
    for line in system.output:
        validate(json.loads(line), 'event')
    lab.end(signal.SIGINT)
