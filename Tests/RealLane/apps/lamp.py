"""A lamp by AppLink alone, without the package, that prints what the phone sends, a line for each message.

A central writes 01 or 00 to switch it, reads what it is, and is notified when it changes.
"""

import json
import os
import socket
import sys

SERVICE, SWITCH = 'B7E10001-6F0A-4E0C-9A55-3C1D7E8B9F20', 'B7E10002-6F0A-4E0C-9A55-3C1D7E8B9F20'
POWERED_ON, INVALID_OFFSET = 5, 7  # CBManagerState, CBATTError
PLACE = {'service': 1, 'index': 0}  # of the characteristic: the service's number, which is ours, and its place in it

APP = {
    'bundleIdentifier': 'org.example.lamp',
    'name': 'Lamp',
    'backgroundModes': ['bluetooth-peripheral'],
}
MANAGER = 'lamp'  # its restoration identifier
# The command with which the phone relaunches the app.
PROCESS = {'arguments': [sys.executable, *sys.orig_argv[1:]], 'folder': os.getcwd(), 'environment': dict(os.environ)}
DEFINITION = {
    'uuid': SERVICE,
    'isPrimary': True,
    'includedServices': [],
    'characteristics': [
        {
            'uuid': SWITCH,
            'properties': ['read', 'write', 'notify'],
            'permissions': ['readable', 'writeable'],
            'descriptors': [],
        }
    ],
}
ADVERTISEMENT = {'localName': 'Lamp', 'serviceUUIDs': [SERVICE]}


class Lamp:
    def __init__(self, phone: socket.socket):
        self.phone = phone
        self.is_published = False
        self.value = [0]

    def send(self, message: str, **fields) -> None:
        self.phone.sendall(json.dumps({message: fields}).encode() + b'\n')

    def call(self, name: str, **fields) -> None:
        self.send('peripheral', id=MANAGER, call={name: fields})

    def run(self) -> None:
        self.send('hello', version=1, app=APP, process=PROCESS)
        self.send('create', id=MANAGER, role='peripheral')
        for line in self.phone.makefile():
            print(line, end='', flush=True)
            [(message, fields)] = json.loads(line).items()
            if message == 'peripheral':
                [(message, fields)] = fields['callback'].items()
            if callback := getattr(self, message, None):
                callback(**fields)

    # The phone's messages; messages without a function here need no reaction.

    def refused(self, reason):
        sys.exit(f'the phone refuses the lamp: {reason}')

    def willRestoreState(self, state):
        self.is_published = bool(state['services'])

    def didUpdateState(self, state):
        if state == POWERED_ON and not self.is_published:
            self.is_published = True
            self.call('addService', id=1, service=DEFINITION)
            self.call('startAdvertising', advertisement=ADVERTISEMENT)

    def didReceiveRead(self, request):
        self.call('respond', request=request['id'], value=self.value[request['offset'] :])

    def didReceiveWrite(self, requests):
        value = self.value
        for request in requests:  # the pieces of a long write, all or nothing
            if request['offset'] > len(value):
                return self.call('respond', request=requests[0]['id'], error=INVALID_OFFSET, value=[])
            value = value[: request['offset']] + request['value']
        self.value = value
        self.call('respond', request=requests[0]['id'], value=[])
        self.call('updateValue', characteristic=PLACE, value=self.value)


def main() -> None:
    runtime = os.environ.get('XDG_RUNTIME_DIR')
    folder = f'{runtime}/blepera' if runtime else f'/tmp/blepera-{os.getuid()}'
    folder = os.environ.get('BLEPERA_RUNTIME_DIR', folder)
    with socket.socket(socket.AF_UNIX) as phone:
        phone.connect(f'{folder}/default.socket')
        Lamp(phone).run()


if __name__ == '__main__':
    main()
