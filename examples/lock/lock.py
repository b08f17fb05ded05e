#!/usr/bin/env python3
"""The lock of profiles/challenge-lock.plist as a program, on a phone of blepera's.

    blepera system --virtual &
    python3 examples/lock/lock.py

The profile has one challenge and one right answer, because a table cannot compute. Here each challenge is new, and the
answer is an HMAC of it with a key that lock and central share. A central subscribes to the challenge, writes 01 to the
command, and writes 02 and the first eight bytes of HMAC-SHA256(key, challenge). 00 locks.
"""

import asyncio
import hashlib
import hmac
import secrets

from blepera import App, ATTError, Service

SERVICE, COMMAND, CHALLENGE, STATE = (f'7C1B000{number}-4E6A-4B3C-8F5D-2A9E6D70C3F1' for number in (1, 2, 3, 4))
NOT_SUPPORTED, WRONG, UNASKED, UNSUBSCRIBED = 0x06, 0x80, 0x81, 0x82  # the last three are the lock's own errors
KEY = b'a key that both sides know'
LIMIT = 30  # seconds that a challenge is good for, and that the lock stays open

app = App('org.example.lock', restore_identifier='lock')
service = Service(SERVICE)
command = service.characteristic(COMMAND, 'write')
challenge = service.characteristic(CHALLENGE, 'notify')
state = service.characteristic(STATE, 'read', 'notify')
app.add(service)
app.advertise('Padlock')


class Lock:
    is_open = False
    challenge = None
    timer = None

    def set(self, is_open=False, challenge=None):
        was_open, self.is_open, self.challenge = self.is_open, is_open, challenge
        if self.timer:
            self.timer.cancel()
        if is_open or challenge:
            self.timer = asyncio.get_running_loop().call_later(LIMIT, self.set)
        if is_open != was_open:
            state.update(bytes([is_open]))


lock = Lock()


@state.on_read
def read(central):
    return bytes([lock.is_open])


@command.on_write
def write(central, value):
    if value == b'\0':
        lock.set()
    elif value == b'\1' and not lock.is_open:
        if central not in challenge.subscribers:
            raise ATTError(UNSUBSCRIBED)
        lock.set(challenge=secrets.token_bytes(8))
        challenge.update(lock.challenge)
    elif value[:1] == b'\2':
        if lock.challenge is None:
            raise ATTError(UNASKED)
        answer = hmac.digest(KEY, lock.challenge, hashlib.sha256)[:8]
        lock.set(is_open=hmac.compare_digest(value[1:], answer))
        if not lock.is_open:
            raise ATTError(WRONG)
    else:
        raise ATTError(NOT_SUPPORTED)


if __name__ == '__main__':
    app.run()
