"""A phone of `serve --virtual` is killed, and started again: what it has, and what a central finds."""

import asyncio
import json
import os
import re
import shlex
import signal
import subprocess

import pytest
from attributes import HEART_RATE, MEASUREMENT
from blepera_tests.paths import profile_path
from bleak import BleakClient, BleakScanner
from program import TIMEOUT, Program

CENTRAL = '00:AA:01:00:00:00'  # hci0's
OWN_CENTRAL = '00:AA:01:00:00:01'  # that of `serve --virtual`


@pytest.fixture
def environment(tmp_path, monkeypatch) -> dict[str, str]:
    (tmp_path / 'run').mkdir(mode=0o700)
    for name, value in (('XDG_RUNTIME_DIR', tmp_path / 'run'), ('XDG_STATE_HOME', tmp_path), ('BLEPERA_RUNTIME_DIR', '')):
        monkeypatch.setenv(name, str(value))
    return dict(os.environ)


class Phone(Program):
    """`serve --virtual`, whose bus is this test's system bus."""

    def __init__(self, blepera: str, environment: dict[str, str], monkeypatch, *options: str):
        super().__init__(blepera, 'serve', '--virtual', *options, str(profile_path('heart-rate')), env=environment)
        self.blepera = blepera
        self.environment = environment
        # "To use it from other terminals: export NAME='VALUE' ..."
        _, settings = self.line('export DBUS_SYSTEM_BUS_ADDRESS=').split('export ')
        for setting in shlex.split(settings):
            monkeypatch.setenv(*setting.split('=', 1))

    def lines(self, side: str, *words: str) -> list[str]:
        """The lines of the phone or of its own central that have these words, one after the other."""
        wanted = re.compile(rf'{side} +│ \S+  .*' + '.*'.join(map(re.escape, words)))
        return [line for line in self.output if wanted.match(line)]

    def event(self, side: str, *words: str) -> str:
        return self.wait_for(lambda: next(iter(self.lines(side, *words)), None), f'{words} of the {side}')

    def ask(self, *words: str) -> dict:
        done = subprocess.run(
            [self.blepera, *words, '--json'], env=self.environment, check=True, capture_output=True, text=True)
        return json.loads(done.stdout)

    def known_by(self) -> tuple[str, str]:
        address = self.ask('status')['address']
        return address['identity'], address['irk']

    def kill(self) -> None:
        assert self.end(signal.SIGKILL) == -signal.SIGKILL


async def find_phone():
    # The phone's own central scans on hci1.
    device = await BleakScanner.find_device_by_filter(
        lambda _, seen: HEART_RATE in seen.service_uuids, TIMEOUT, bluez={'adapter': 'hci0'})
    assert device, 'no phone was found'
    return device


def test_a_bonded_subscriber_is_kept(blepera, environment, monkeypatch):
    first = Phone(blepera, environment, monkeypatch)

    async def subscribe() -> None:
        client = BleakClient(await find_phone())
        await client.connect()
        await client.pair()
        await client.start_notify(MEASUREMENT, lambda *_: None)
        await asyncio.to_thread(first.event, 'phone', 'notified', CENTRAL)
        # The end of this program would be the end of its subscription.
        first.kill()

    # The phone's own central subscribes too, and has ended then.
    first.event('phone', 'disconnected', OWN_CENTRAL)
    (before,) = first.ask('preserved', 'show', 'org.blepera.heart-rate')['apps']
    identity = first.known_by()
    asyncio.run(subscribe())

    second = Phone(blepera, environment, monkeypatch)
    second.event('phone', 'restored', 'org.blepera.heart-rate  1 service, 1 subscriber, since')
    second.event('phone', 'published', '180D  handles 0x0100 to 0x0105')
    assert second.known_by() == identity
    (after,) = second.ask('preserved', 'show', 'org.blepera.heart-rate')['apps']
    assert after['services'] == before['services'] and after['services'][0]['handles'] == [0x100, 0x105]
    assert (after['localName'], after['serviceUUIDs']) == (before['localName'], before['serviceUUIDs'])
    # The phone's own central may have subscribed again by now.
    assert [one['bonded'] for one in after['subscribers'] if one['central'] != OWN_CENTRAL] == [True]
    assert CENTRAL in [one['central'] for one in after['subscribers']]

    async def return_to_it() -> None:
        async with BleakClient(await find_phone()) as client:
            await asyncio.to_thread(second.event, 'phone', 'connected', CENTRAL)
            await client.pair()
            # The notification needs no write by the central.
            await asyncio.to_thread(second.event, 'phone', 'notified', CENTRAL)

    asyncio.run(return_to_it())
    order = [line.split()[3] for line in second.lines('phone', CENTRAL) if 'retained' not in line]
    assert order[:4] == ['connected', 'paired', 'subscribed', 'notified']
    assert second.end(signal.SIGINT) == 0


def test_another_subscriber_is_dropped_with_an_event(blepera, environment, monkeypatch):
    first = Phone(blepera, environment, monkeypatch)
    first.event('phone', 'notified', OWN_CENTRAL)
    first.kill()
    second = Phone(blepera, environment, monkeypatch)
    second.event('phone', 'restored', '1 subscriber')
    second.event('phone', 'unsubscribed', f'{OWN_CENTRAL}  2A37')
    assert second.end(signal.SIGINT) == 0


def test_what_starts_with_nothing(blepera, environment, monkeypatch, tmp_path):
    """After Ctrl-C the phone has no app and is the same; with `--fresh` it is another one; a lab is new."""
    first = Phone(blepera, environment, monkeypatch)
    first.event('phone', 'notified')
    identity = first.known_by()
    refused = subprocess.run(first.words, env=environment, capture_output=True, text=True)
    assert refused.returncode == 1
    assert refused.stderr.startswith("error: a phone named 'default' is already running; shut it down"), refused.stderr
    assert first.end(signal.SIGINT) == 0

    second = Phone(blepera, environment, monkeypatch)
    second.event('phone', 'advertising')
    assert second.known_by() == identity
    assert not second.lines('phone', 'restored')
    second.kill()
    state = tmp_path / 'blepera/virtual/default/state.json'
    kept = state.read_text()

    with_lab = Program(
        blepera, 'lab', '--serve', str(profile_path('heart-rate')), '--', blepera, 'status', '--json', env=environment)
    assert with_lab.wait() == 0
    assert not any('restored' in line for line in with_lab.errors), with_lab.errors
    assert json.loads(with_lab.output[0])['address']['identity'] == OWN_CENTRAL
    assert state.read_text() == kept and [path.name for path in (tmp_path / 'blepera').iterdir()] == ['virtual']

    third = Phone(blepera, environment, monkeypatch, '--fresh')
    third.event('phone', 'advertising')
    assert not third.lines('phone', 'restored')
    assert all(new != old for new, old in zip(third.known_by(), identity, strict=True))
    assert third.end(signal.SIGTERM) == 143
