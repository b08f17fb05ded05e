"""The program inside the micro-VM: starts programs for the machine outside, forwards their output, and carries the
adapters' HCI packets between /dev/vhci and that machine.

Orders and answers are JSON, one object a line, over the virtio port "orders":

    {"id": 7, "run": ["program", ...], "env": {...}, "folder": "/", "terminal": true, "type": "keys"}
                                                                                      -> {"id": 7, "pid": 123}
    {"id": 7, "signal": 2}
    {"id": 7, "keys": "q"}
    {"adapter": 0, "plug": true}                                                      -> {"plugged": true}
    {"sweep": "blepera", "with": 15}: every process of that name gets the signal      -> {"swept": ["123 blepera ..."]}
    what it prints: {"id": 7, "out": "..."}, {"id": 7, "err": "..."}; at its end: {"id": 7, "exit": 0}

Text is Latin-1, so that every byte is one character. HCI packets go over the ports "air0", "air1" as they are (H4).
Only the standard library, and little of it: under emulation every import costs.
"""

import errno
import json
import os
import select
import signal
import subprocess

# The bytes of the header after the type, and of the length in it, for an H4 packet (command, ACL, SCO, event, ISO).
HEADERS = {1: (3, 1), 2: (4, 2), 3: (3, 1), 4: (2, 1), 5: (4, 2)}


def open_port(name):
    folder = '/sys/class/virtio-ports'
    for port in os.listdir(folder):
        with open(f'{folder}/{port}/name') as file:
            if file.read().strip() == name:
                return os.open(f'/dev/{port}', os.O_RDWR)
    raise SystemExit(f'guest: no port {name}')


def write_all(fd, data):
    while data:
        data = data[os.write(fd, data) :]


class Adapter:
    """The virtual controller: one packet a read and a write, as /dev/vhci has it."""

    def __init__(self, waiting_for, air):
        self.waiting_for, self.air = waiting_for, air
        self.vhci = None
        self.waiting = b''

    def plug(self):
        self.waiting = b''
        self.vhci = os.open('/dev/vhci', os.O_RDWR)
        os.write(self.vhci, b'\xff\x00')
        self.waiting_for.add(self.vhci, self.from_kernel)

    def unplug(self):
        self.waiting_for.remove(self.vhci)
        os.close(self.vhci)
        self.vhci = None

    def from_kernel(self):
        packet = os.read(self.vhci, 4096)
        if packet[0] != 0xFF:
            write_all(self.air, packet)

    def from_air(self):
        data = os.read(self.air, 65536)
        self.waiting += data
        while packet := self.next_packet():
            if self.vhci is not None:
                self.to_kernel(packet)

    def to_kernel(self, packet):
        try:
            os.write(self.vhci, packet)
        except OSError as error:
            # For an adapter that is off: newer kernels refuse a packet (7.2 does), older ones drop it.
            if error.errno != errno.ENXIO:
                raise

    def next_packet(self):
        waiting = self.waiting
        if not waiting:
            return None
        header, size = HEADERS[waiting[0]]
        if len(waiting) < 1 + header:
            return None
        length = 1 + header + (int.from_bytes(waiting[1 + header - size : 1 + header], 'little') & 0x3FFF)
        if len(waiting) < length:
            return None
        self.waiting = waiting[length:]
        return waiting[:length]


def sweep(name, number):
    """Sends a signal to every process of that name, and waits for the ends after SIGKILL alone, as others need the
    adapter to end; their command lines."""
    swept, ends = [], []
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open(f'/proc/{pid}/comm') as file:
                if file.read().strip() != name:
                    continue
            with open(f'/proc/{pid}/cmdline') as file:
                if not (words := file.read()):  # one that has ended and that nobody has waited for
                    continue
            if number == signal.SIGKILL:
                ends.append(os.pidfd_open(int(pid)))
            os.kill(int(pid), number)
        except (FileNotFoundError, ProcessLookupError):
            continue
        swept.append(' '.join([pid, *words.split('\0')]).strip())
    for end in ends:
        select.select([end], [], [])
        os.close(end)
    return swept


class WaitingFor:
    """The actions for descriptors that can be read. `selectors` takes twice as much time for an HCI packet."""

    def __init__(self):
        self.epoll, self.actions = select.epoll(), {}

    def add(self, fd, action):
        self.actions[fd] = action
        self.epoll.register(fd, select.EPOLLIN)

    def remove(self, fd):
        self.epoll.unregister(fd)
        del self.actions[fd]

    def round(self):
        for fd, _ in self.epoll.poll():
            if action := self.actions.get(fd):  # an earlier one of this round may have closed it
                action()


class Guest:
    def __init__(self):
        self.waiting_for = WaitingFor()
        self.orders = open_port('orders')
        self.adapters = [Adapter(self.waiting_for, open_port(name)) for name in ('air0', 'air1')]
        self.programs = {}
        self.outputs = {}
        self.terminals = {}
        self.line = b''
        self.waiting_for.add(self.orders, self.from_host)
        for adapter in self.adapters:
            self.waiting_for.add(adapter.air, adapter.from_air)
        self.open = True

    def answer(self, **message):
        write_all(self.orders, json.dumps(message).encode() + b'\n')

    def loop(self):
        self.answer(ready=True)
        while self.open:
            self.waiting_for.round()

    def from_host(self):
        data = os.read(self.orders, 65536)
        self.open = bool(data)  # nothing to read: the host has closed the port, and the VM ends
        *lines, self.line = (self.line + data).split(b'\n')
        for line in lines:
            self.take(json.loads(line))

    def take(self, order):
        if 'plug' in order:
            adapter = self.adapters[order['adapter']]
            adapter.plug() if order['plug'] else adapter.unplug()
            self.answer(plugged=order['plug'])
        elif 'sweep' in order:
            self.answer(swept=sweep(order['sweep'], order['with']))
        elif 'signal' in order:
            if program := self.programs.get(order['id']):
                program.send_signal(order['signal'])
        elif 'keys' in order:
            if (terminal := self.terminals.get(order['id'])) is not None:
                write_all(terminal, order['keys'].encode())
        else:
            self.run(order)

    def run(self, order):
        id = order['id']
        prepare = None
        if order['terminal']:
            out, inside = os.openpty()
            name = os.ttyname(inside)

            def prepare():
                """The first terminal that the leader of a session opens is its own."""
                os.close(os.open(name, os.O_RDWR))

            write_all(out, order['type'].encode())
            pipes, outputs = {'stdin': inside, 'stdout': inside, 'stderr': inside}, {out: 'out'}
        else:
            out, err = os.pipe(), os.pipe()
            pipes = {'stdin': subprocess.DEVNULL, 'stdout': out[1], 'stderr': err[1]}
            outputs = {out[0]: 'out', err[0]: 'err'}
        try:
            program = subprocess.Popen(
                order['run'],
                env=order['env'],
                cwd=order['folder'],
                start_new_session=True,
                preexec_fn=prepare,
                **pipes,
            )
        except OSError as error:
            self.answer(id=id, pid=0)
            self.answer(id=id, err=f'{error}\n')
            self.answer(id=id, exit=127)
            program = None
        for fd in {pipes['stdout'], pipes['stderr']}:
            os.close(fd)
        if program is None:
            for fd in outputs:
                os.close(fd)
            return
        self.programs[id], self.outputs[id] = program, outputs
        if order['terminal']:
            self.terminals[id] = out
        self.answer(id=id, pid=program.pid)
        for fd, name in list(outputs.items()):
            os.set_blocking(fd, False)
            self.waiting_for.add(fd, lambda fd=fd, name=name: self.hand_on(id, fd, name))
        ended = os.pidfd_open(program.pid)
        self.waiting_for.add(ended, lambda: self.end(id, ended))

    def hand_on(self, id, fd, name):
        """Hands on what there is to read; says whether there was any."""
        try:
            data = os.read(fd, 65536)
        except BlockingIOError:
            return False
        except OSError:  # the other end of a terminal is closed
            data = b''
        if not data:
            self.close(id, fd)
            return False
        self.answer(id=id, **{name: data.decode('latin-1')})
        return True

    def end(self, id, ended):
        self.waiting_for.remove(ended)
        os.close(ended)
        outputs = self.outputs[id]
        for fd, name in list(outputs.items()):
            while fd in outputs and self.hand_on(id, fd, name):
                pass
            if fd in outputs:  # a child of it still holds the pipe: not read any longer
                self.close(id, fd)
        del self.outputs[id]
        self.answer(id=id, exit=self.programs.pop(id).wait())

    def close(self, id, fd):
        self.waiting_for.remove(fd)
        os.close(fd)
        del self.outputs[id][fd]  # its number may be another program's from now on
        self.terminals.pop(id, None)


signal.signal(signal.SIGPIPE, signal.SIG_IGN)
Guest().loop()
