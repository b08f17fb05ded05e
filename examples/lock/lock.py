#!/usr/bin/env python3
"""The lock of profiles/challenge-lock.plist as a program, on a phone of blepera's.

    blepera system &
    python3 examples/lock/lock.py

The profile has one challenge and one right answer, because a table cannot compute. Here each challenge is new, and the
answer is an HMAC of it with a key that lock and central share. A central subscribes to the challenge, writes 01 to the
command, and writes 02 and the first eight bytes of HMAC-SHA256(key, challenge). 00 locks. What the phone says is
printed, a line for each message.
"""

import hashlib
import hmac
import json
import os
import secrets
import selectors
import socket
import sys
import time

SERVICE, COMMAND, CHALLENGE, STATE = (f'7C1B000{number}-4E6A-4B3C-8F5D-2A9E6D70C3F1' for number in (1, 2, 3, 4))
POWERED_ON, INVALID_OFFSET, NOT_SUPPORTED = 5, 7, 6  # CBManagerState, CBATTError
WRONG, UNASKED, UNSUBSCRIBED = 0x80, 0x81, 0x82  # the lock's own errors
KEY = b'a key that both sides know'
LIMIT = 30  # seconds that a challenge is good for, and that the lock stays open

APP = {
    'bundleIdentifier': 'org.example.lock',
    'name': 'Lock',
    'backgroundModes': ['bluetooth-peripheral'],
    'restoreIdentifier': 'lock',
}
# How the phone starts it again.
PROCESS = {'arguments': [sys.executable, *sys.orig_argv[1:]], 'folder': os.getcwd(), 'environment': dict(os.environ)}


def characteristic(uuid: str, properties: list[str], permissions: list[str]) -> dict:
    return {'uuid': uuid, 'properties': properties, 'permissions': permissions, 'descriptors': []}


DEFINITION = {
    'uuid': SERVICE,
    'isPrimary': True,
    'includedServices': [],
    'characteristics': [
        characteristic(COMMAND, ['write'], ['writeable']),
        characteristic(CHALLENGE, ['notify'], ['readable']),
        characteristic(STATE, ['read', 'notify'], ['readable']),
    ],
}
COMMAND_PLACE, CHALLENGE_PLACE, STATE_PLACE = ({'service': 1, 'index': index} for index in range(3))
ADVERTISEMENT = {'localName': 'Padlock', 'serviceUUIDs': [SERVICE]}


def answer(challenge: bytes) -> bytes:
    return hmac.digest(KEY, challenge, hashlib.sha256)[:8]


class Lock:
    def __init__(self, phone: socket.socket):
        self.phone = phone
        self.is_published = False
        self.is_open = False
        self.challenge: bytes | None = None
        self.subscribers: set[str] = set()  # of the challenge
        self.due: float | None = None  # when it locks, or the challenge is no good any more

    def say(self, message: str, **fields) -> None:
        self.phone.sendall(json.dumps({message: fields}).encode() + b'\n')

    def run(self) -> None:
        self.say('hello', version=1, app=APP, process=PROCESS)
        waiting, received = selectors.DefaultSelector(), b''
        waiting.register(self.phone, selectors.EVENT_READ)
        while True:
            left = None if self.due is None else max(0, self.due - time.monotonic())
            if not waiting.select(left):
                self.lock()
                continue
            if not (data := self.phone.recv(65536)):
                return
            *lines, received = (received + data).split(b'\n')
            for line in lines:
                print(line.decode(), flush=True)
                [(message, fields)] = json.loads(line).items()
                if callback := getattr(self, message, None):
                    callback(**fields) if isinstance(fields, dict) else callback(fields)

    # What the phone says; of what is not here nothing has to be done.

    def refused(self, reason):
        sys.exit(f'the phone refuses the lock: {reason}')

    def error(self, reason):
        sys.exit(f'no phone that takes apps is at the socket: {reason}')

    def willRestoreState(self, state):
        self.is_published = bool(state['services'])
        for service in state['services']:
            for one in service['subscriptions']:
                for central in one['centrals']:
                    self.didSubscribe(central, {'index': one['index']})

    def didUpdateState(self, state):
        if state == POWERED_ON and not self.is_published:
            self.is_published = True
            self.say('addService', id=1, service=DEFINITION)
            self.say('startAdvertising', advertisement=ADVERTISEMENT)

    def didSubscribe(self, central, characteristic):
        if characteristic['index'] == CHALLENGE_PLACE['index']:
            self.subscribers.add(central['id'])

    def didUnsubscribe(self, central, characteristic):
        if characteristic['index'] == CHALLENGE_PLACE['index']:
            self.subscribers.discard(central['id'])

    def didReceiveRead(self, request):
        value = [int(self.is_open)]
        if request['offset'] > len(value):
            return self.say('respond', request=request['id'], error=INVALID_OFFSET, value=[])
        self.say('respond', request=request['id'], value=value[request['offset'] :])

    def didReceiveWrite(self, requests):
        first = requests[0]
        value = b''.join(bytes(request['value']) for request in requests)  # the pieces of a long write
        error = self.obey(value, first['central']['id'])
        self.say('respond', request=first['id'], value=[], **({'error': error} if error else {}))
        if error:
            return
        if value[0] == 1:
            self.say('updateValue', characteristic=CHALLENGE_PLACE, value=list(self.challenge))
        else:
            self.say('updateValue', characteristic=STATE_PLACE, value=[int(self.is_open)])

    # The lock.

    def obey(self, value: bytes, central: str) -> int | None:
        """The ATT error, or none."""
        if value == b'\1' and not self.is_open:
            if central not in self.subscribers:
                return UNSUBSCRIBED
            self.challenge, self.due = secrets.token_bytes(8), time.monotonic() + LIMIT
        elif value[:1] == b'\2':
            challenge, self.challenge = self.challenge, None
            if challenge is None:
                return UNASKED
            self.is_open = hmac.compare_digest(value[1:], answer(challenge))
            self.due = time.monotonic() + LIMIT if self.is_open else None
            return None if self.is_open else WRONG
        elif value == b'\0':
            self.is_open, self.challenge, self.due = False, None, None
        else:
            return NOT_SUPPORTED
        return None

    def lock(self) -> None:
        was_open, self.is_open, self.challenge, self.due = self.is_open, False, None, None
        if was_open:
            self.say('updateValue', characteristic=STATE_PLACE, value=[0])


def main() -> None:
    runtime = os.environ.get('XDG_RUNTIME_DIR')
    folder = f'{runtime}/blepera' if runtime else f'/tmp/blepera-{os.getuid()}'
    folder = os.environ.get('BLEPERA_RUNTIME_DIR', folder)
    path = f'{folder}/default.socket'
    with socket.socket(socket.AF_UNIX) as phone:
        try:
            phone.connect(path)
        except OSError as failure:
            sys.exit(f'no phone is at {path}: {failure.strerror}. Start one with: blepera system')
        Lock(phone).run()


if __name__ == '__main__':
    main()
