"""An app in Python continues, whatever its phone sends: random messages of docs/schema in any order, right and wrong."""

import asyncio
import contextlib
import json
import logging
import random
import socket

import pytest
from blepera import App, ATTError, CBError, PhoneError, Service
from blepera.session import Session
from blepera_tests.paths import ROOT

SCHEMA = json.loads((ROOT / 'docs/schema/applink-phone.json').read_text())
SESSIONS, MESSAGES = 300, 60
# Few, so that most messages are about what others have named.
POOLS = {
    'ManagerID.Name': ['kept', 1, 2], 'PeripheralID': ['A', 'B'], 'AttributeHandle': [1, 2, 3], 'L2CAPPSM': [128, 129],
    'BluetoothUUID': ['180D', '2A37', '6E400001-B5A3-F393-E0A9-E50E24DCCA9E'],
}
TEXTS = ['', 'A', 'a\0b', '\x1b]0;pwn\x07', '\ufffd' * 82]
WRONG = [None, True, -1, 0, 256, 1 << 70, 0.5, '', 'a\0b', [], [0], {}, {'error': {}}, {'id': 'A'}]
FAILURES = (ATTError, CBError, LookupError, PhoneError)


def merged(schema: dict, other: dict) -> dict:
    """Both, without the reference from one to the other."""
    both = {key: one for key, one in other.items() if key != '$ref'}
    return {**schema, **{key: merged(schema.get(key, {}), one) if isinstance(one, dict) else one for key, one in both.items()}}


class Examples:
    """Values of a schema; with `is_wild` some are wrong."""

    def __init__(self, seed: int, is_wild: bool) -> None:
        self.random = random.Random(seed)
        self.is_wild = is_wild

    def value(self, schema: dict):
        if self.is_wild and self.random.random() < 0.03:
            return self.random.choice(WRONG)
        if name := schema.get('$ref', '').rpartition('/')[2]:
            return self.random.choice(POOLS[name]) if name in POOLS else self.value(merged(SCHEMA['$defs'][name], schema))
        if schema.get('maxProperties') == 1:
            key, one = self.random.choice(list(schema['properties'].items()))
            return {key: self.value(one)}
        if 'const' in schema or 'enum' in schema:
            return self.random.choice(schema.get('enum', [schema.get('const')]))
        match schema['type']:
            case 'object':
                return {
                    key: self.value(one) for key, one in schema.get('properties', {}).items()
                    if key in schema.get('required', ()) or self.random.random() < self.chance(key, one)}
            case 'array':
                least = schema.get('minItems', 0)
                return [self.value(schema['items']) for _ in range(self.random.randint(least, least + 2))]
            case 'integer':
                least, most = schema.get('minimum', 0), schema.get('maximum', 40)
                if self.is_wild and self.random.random() < 0.1:
                    return self.random.choice([least - 1, most + 1])
                return self.random.choice([least, most, self.random.randint(least, least + 3)])
            case 'boolean':
                return self.random.random() < 0.5
            case 'string':
                return self.random.choice(TEXTS)
        raise NotImplementedError(schema)

    def chance(self, key: str, schema: dict) -> float:
        # The errors of managers, which are texts, end the app.
        return 0.05 if key == 'error' and '$ref' not in schema else 0.5

    def message(self) -> dict:
        # Most messages are those of managers, and Bluetooth is mostly on.
        if self.random.random() < 0.2:
            role, number = self.random.choice([('peripheral', 'kept'), ('central', 1), ('peripheral', 2)])
            return {role: {'id': number, 'callback': {'didUpdateState': {'state': 5}}}}
        kinds = SCHEMA['properties']
        kind = self.random.choice([*kinds] if self.random.random() < 0.1 else ['peripheral', 'central'])
        message = {kind: self.value(kinds[kind])}
        return message if isinstance(message, dict) and len(message) == 1 else {'welcome': message}


class Phone:
    """The link of a session, on which the phone has sent these messages."""

    def __init__(self, messages: list[dict]) -> None:
        self.messages_left = messages
        self.streams: list[socket.socket] = []

    async def messages(self):
        while self.messages_left:
            [(name, fields)] = self.messages_left.pop(0).items()
            yield name, fields if isinstance(fields, dict) else {'reason': fields}

    def send(self, message: str, **fields: object) -> None:
        json.dumps({message: fields})

    def take_stream(self) -> socket.socket:
        stream, other = socket.socketpair()
        self.streams.append(other)
        stream.setblocking(False)
        return stream


class CountedSession(Session):
    """Keeps the messages whose receivers fail."""

    def __init__(self, app: App, link: Phone) -> None:
        super().__init__(app, link, lambda: None)
        self.failed: list[dict] = []
        self._receivers = {name: self.counted(name, function) for name, function in self._receivers.items()}

    def counted(self, name: str, function):
        def receive(**fields: object) -> None:
            try:
                function(**fields)
            except PhoneError:
                raise
            except Exception:
                self.failed.append({name: fields})
                raise

        return receive

    def _deliver(self, role: str, fields: dict) -> None:
        self.counted(role, lambda **_: super(CountedSession, self)._deliver(role, fields))(**fields)


def make_app() -> App:
    """An app that uses all that it can."""
    app = App('org.example.app', restore_identifier='kept')
    central = app.central
    second = app.add_peripheral_manager()
    for number, manager in enumerate((app.peripheral, second)):
        service = Service('180D')
        value = service.characteristic('2A37', 'read', 'write', 'notify')
        value.on_read(lambda central: b'\1\2\3')
        value.on_write(lambda central, written, value=value: value.update(written))
        value.on_subscribe(lambda central, value=value: value.update(b'\1', central))
        manager.add(service)
        manager.advertise(str(number))

        async def echo(channel) -> None:
            channel.writer.write(await channel.reader.read())

        manager.publish_channel(echo)

    async def use(peripheral) -> None:
        with contextlib.suppress(*FAILURES):
            await central.connect(peripheral)
            await peripheral.rssi()
            for one in await peripheral.services():
                await one.included_services()
                for characteristic in await one.characteristics():
                    await characteristic.read()
                    await characteristic.write(b'1', response=False)
                    await characteristic.notify(lambda value: None)
                    for descriptor in await characteristic.descriptors():
                        await descriptor.read()
            await peripheral.open_channel(128)

    central.on_discover(lambda discovery: use(discovery.peripheral))
    central.on_restore(lambda peripherals: asyncio.gather(*map(use, peripherals)))
    central.on_connect(use)
    return app


@pytest.fixture
def errors():
    """The errors that the package logs."""
    records: list[logging.LogRecord] = []
    handler = logging.Handler(logging.ERROR)
    handler.emit = records.append
    logger = logging.getLogger('blepera')
    logger.addHandler(handler)
    yield records
    logger.removeHandler(handler)


@pytest.mark.parametrize('is_wild', [False, True], ids=['right', 'wrong'])
async def test_random_messages(errors, caplog, is_wild):
    caplog.set_level(logging.CRITICAL + 1, 'blepera')
    logging.getLogger('blepera').setLevel(logging.WARNING)
    lost: list[dict] = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: lost.append(context))
    failures = 0
    for seed in range(SESSIONS):
        examples = Examples(seed, is_wild)
        messages = [{'welcome': {'version': 1}}, *(examples.message() for _ in range(MESSAGES))]
        while messages:
            link = Phone(messages)
            app = make_app()
            app._session = session = CountedSession(app, link)
            errors.clear()
            before = messages.copy()
            try:
                await session.run()
            except PhoneError:  # the phone refuses what the app asks for
                last = before[len(before) - len(messages) - 1]
                assert 'error' in str(last) or 'refused' in last, f'seed {seed}: {last}'
            finally:
                app._session = None
                for stream in link.streams:
                    stream.close()
            logged = [one.getMessage() for one in errors]
            of_messages = [text for text in logged if 'the message' in text]
            assert len(of_messages) == len(session.failed), f'seed {seed}'
            for text, failed in zip(of_messages, session.failed, strict=True):
                assert str(next(iter(failed.values()))) in text, f'seed {seed}'
            assert is_wild or not logged, f'seed {seed}: {logged[0]}'
            failures += len(session.failed)
    await asyncio.sleep(0.05)
    assert not lost, lost[0]
    assert (failures > SESSIONS) == is_wild


@pytest.mark.parametrize(('code', 'raised'), [(0, 0x0E), (1, 1), (0x81, 0x81), (0xFF, 0xFF)])
async def test_an_error_of_a_peripheral(code, raised):
    """0x00 is no error of ATT, but a peripheral can send it."""
    app = make_app()
    app._session = Session(app, Phone([]), lambda: None)
    manager = app.central
    manager._begin(app._session)
    manager._receive('didUpdateState', {'state': 5})
    manager._receive('didConnect', {'peripheral': {'id': 'A', 'mtu': 23, 'isConnected': True}})
    rssi = asyncio.ensure_future(manager._peripherals['A'].rssi())
    await asyncio.sleep(0)
    answer = {'didReadRSSI': {'rssi': 127, 'error': {'CBATTError': {'code': code}}}}
    manager._receive('peripheral', {'peripheral': 'A', 'callback': answer})
    with pytest.raises(ATTError) as caught:
        await rssi
    assert caught.value.code == raised


async def test_an_error_of_a_receiver(errors):
    """Is logged with its message, and the next message is handled."""
    app = make_app()
    peripheral = {'id': 'A', 'mtu': 23, 'isConnected': False}
    link = Phone([
        {'welcome': {'version': 1}}, {'central': {'id': 1, 'callback': {'didConnect': {}}}},
        {'central': {'id': 1, 'callback': {'didConnect': {'peripheral': peripheral}}}},
    ])
    app._session = session = Session(app, link, lambda: None)
    assert await session.run() is None
    [record] = errors
    assert record.getMessage() == "org.example.app: the message central has failed: {'id': 1, 'callback': {'didConnect': {}}}"
    assert record.exc_info and record.exc_info[0] is KeyError
    assert list(app.central._peripherals) == ['A']
