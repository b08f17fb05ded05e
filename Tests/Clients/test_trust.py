"""A phone withstands strangers, clients that do not read, and users who look at what it stores."""

import contextlib
import json
import os
import pathlib
import re
import resource
import signal
import socket
import subprocess
import threading
import time

import pytest
from blepera_tests.paths import ROOT
from program import TIMEOUT, Program, flood

HEART_RATE = str(ROOT / 'profiles/heart-rate.plist')
SMART_LOCK = str(ROOT / 'profiles/smart-lock.plist')


@pytest.fixture
def environment(tmp_path) -> dict[str, str]:
    for name in ('run', 'state'):
        (tmp_path / name).mkdir(mode=0o700)
    return {
        **os.environ, 'XDG_RUNTIME_DIR': str(tmp_path / 'run'), 'BLEPERA_STATE_DIR': str(tmp_path / 'state'),
        'BLEPERA_RUNTIME_DIR': '', 'SECRET_TOKEN': 'hunter2', 'KEPT_BY_NAME': 'yes',
    }


def ask(blepera, environment, *words: str) -> subprocess.CompletedProcess:
    return subprocess.run([blepera, *words], env=environment, capture_output=True, text=True, timeout=TIMEOUT)


@contextlib.contextmanager
def phone_in_a_lab(blepera, environment, *options: str, before: tuple[str, ...] = ()):
    """A phone on the bus of a lab that serves a lock, and the environment of commands for it; `before` starts it."""
    lab = Program(blepera, 'lab', '--quiet', env=environment)
    words = lab.line('export ').removeprefix('export ').replace("'", '').split(' ')
    inside = {**environment, **dict(word.split('=', 1) for word in words)}
    system = Program(*before, blepera, 'system', *options, env=inside)
    system.line('powered on')
    lock = Program(blepera, 'serve', SMART_LOCK, env=inside)
    lock.line('advertising')
    try:
        yield system, lock, inside
    finally:
        for program in (lock, system):
            if program.process.poll() is None:
                program.end(signal.SIGTERM)
        lab.end(signal.SIGINT)


def stored(inside) -> str:
    return pathlib.Path(inside['BLEPERA_STATE_DIR'], 'blepera/default/state.json').read_text()


def test_secrets_are_not_stored(blepera, environment):
    with phone_in_a_lab(blepera, environment, '--keep-environment', 'KEPT_BY_NAME') as (_, _, inside):
        app = json.loads(stored(inside).splitlines()[0])['apps'][0]
        assert app['launch']['environment']['KEPT_BY_NAME'] == 'yes'
        assert app['launch']['environment']['PATH'] == os.environ['PATH']
        assert 'hunter2' not in stored(inside)


def test_secrets_of_an_older_state_are_removed(blepera, environment):
    """The file is as old releases wrote it, which stored the whole environment."""
    with phone_in_a_lab(blepera, environment, '--keep-environment', 'SECRET_TOKEN') as (system, lock, inside):
        assert 'hunter2' in stored(inside)
        assert system.end(signal.SIGTERM) == 143
        lock.wait()
        system = Program(blepera, 'system', env=inside)
        try:
            system.line('restored')
            deadline = time.monotonic() + TIMEOUT
            while 'hunter2' in stored(inside):
                assert time.monotonic() < deadline
                time.sleep(0.05)
            assert SMART_LOCK in stored(inside)
        finally:
            system.end(signal.SIGTERM)


def test_no_relaunch(blepera, environment):
    with phone_in_a_lab(blepera, environment, '--no-relaunch') as (_, lock, inside):
        assert '"launch"' not in stored(inside) and SMART_LOCK not in stored(inside)
        lock.end(signal.SIGKILL)
        deadline = time.monotonic() + TIMEOUT
        while 'launched by the user only' not in (shown := ask(blepera, inside, 'status').stdout):
            assert time.monotonic() < deadline, shown
            time.sleep(0.05)


def capabilities(process: int) -> dict[str, int]:
    status = pathlib.Path(f'/proc/{process}/status').read_text()
    return {name: int(digits, 16) for name, digits in re.findall(r'^Cap(\w+):\t(\w+)$', status, re.MULTILINE)}


@pytest.mark.skipif(os.geteuid() != 0, reason='only root can give a capability')
def test_an_app_gets_no_capability_of_the_phone(blepera, environment):
    """The phone has one as in blepera-system.service, and starts an app again that was killed."""
    net_admin = 1 << 12
    give = ('setpriv', '--securebits=+noroot', '--inh-caps=-all,+net_admin', '--ambient-caps=-all,+net_admin')
    with phone_in_a_lab(blepera, environment, before=give) as (system, lock, inside):
        phone = system.process.pid
        assert capabilities(phone)['Eff'] == net_admin
        lock.end(signal.SIGKILL)
        system.line('preserved')
        assert ask(blepera, inside, 'launch').returncode == 0
        children = pathlib.Path(f'/proc/{phone}/task')
        deadline = time.monotonic() + TIMEOUT
        while not (apps := [app for path in children.glob('*/children') for app in path.read_text().split()]):
            assert time.monotonic() < deadline, system.output
            time.sleep(0.02)
        assert [capabilities(int(app))[kind] for app in apps for kind in ('Eff', 'Prm', 'Amb')] == [0, 0, 0] * len(apps)


def test_output_that_nobody_reads(blepera, environment):
    """The phone of `serve --virtual` answers and ends, though its output stands still."""
    reader, writer = os.pipe()
    program = subprocess.Popen(
        [blepera, 'serve', '--virtual', '--json', HEART_RATE], env=environment, stdin=subprocess.DEVNULL, stdout=writer,
        stderr=subprocess.PIPE)
    os.close(writer)
    try:
        path = f'{environment["XDG_RUNTIME_DIR"]}/blepera/default.socket'
        deadline = time.monotonic() + TIMEOUT
        while not os.path.exists(path):
            assert time.monotonic() < deadline and program.poll() is None
            time.sleep(0.02)
        flood(path, 8000)
        assert ask(blepera, environment, 'status').returncode == 0
        program.send_signal(signal.SIGINT)
        assert program.wait(TIMEOUT) == 0
        assert b'of the last events were not printed' in program.stderr.read()
        with os.fdopen(reader, 'rb') as pipe:
            lines = pipe.read().splitlines()
        assert [json.loads(line) for line in lines[:-1]], 'what was written is whole'
    finally:
        program.kill()
        program.stderr.close()


def test_trace_that_nobody_reads(blepera, environment, tmp_path):
    """A trace counts the events that were omitted."""
    fifo = tmp_path / 'trace'
    os.mkfifo(fifo)
    program = Program(blepera, 'serve', '--virtual', '--json', '--record', str(fifo), HEART_RATE, env=environment)
    program.line('"advertising"')
    path = f'{environment["XDG_RUNTIME_DIR"]}/blepera/default.socket'
    flood(path, 12000)
    descriptor = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(descriptor, True)
    received = b''
    while b'eventsOmitted' not in received:
        received += os.read(descriptor, 1 << 16)
    assert program.end(signal.SIGINT) == 0
    while more := os.read(descriptor, 1 << 16):
        received += more
    os.close(descriptor)
    lines = [json.loads(line) for line in received.splitlines()]
    omitted = sum(line['count'] for line in lines if line.get('event') == 'eventsOmitted')
    printed = [line for line in map(json.loads, program.output) if line['event'] != 'started']
    assert omitted + sum(line.get('event', 'eventsOmitted') != 'eventsOmitted' for line in lines) == len(printed)
    trace = tmp_path / 'trace.jsonl'
    trace.write_bytes(received)
    page = ask(blepera, environment, 'report', '-o', '-', str(trace))
    assert page.returncode == 0 and 'eventsOmitted' in page.stdout


@contextlib.contextmanager
def virtual_phone(blepera, environment):
    """A phone without output, and the path of its socket."""
    program = subprocess.Popen(
        [blepera, 'serve', '--virtual', HEART_RATE], env=environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    path = f'{environment["XDG_RUNTIME_DIR"]}/blepera/default.socket'
    try:
        deadline = time.monotonic() + TIMEOUT
        while not os.path.exists(path):
            assert time.monotonic() < deadline and program.poll() is None
            time.sleep(0.02)
        yield program, path
    finally:
        program.send_signal(signal.SIGINT)
        assert program.wait(TIMEOUT) == 0


def peak_memory(program) -> float:
    """In MiB."""
    status = pathlib.Path(f'/proc/{program.pid}/status').read_text()
    return int(re.search(r'VmHWM:\s+(\d+) kB', status)[1]) / 1024


def connected(path: str) -> socket.socket:
    client = socket.socket(socket.AF_UNIX)
    client.connect(path)
    client.settimeout(TIMEOUT)
    return client


def test_memory_of_all_clients(blepera, environment):
    """Watchers that do not read, lines without an end, and a suspended app that sends on and on."""
    with virtual_phone(blepera, environment) as (program, path), contextlib.ExitStack() as clients:
        ask(blepera, environment, 'status')
        before = peak_memory(program)
        for _ in range(100):
            watcher = clients.enter_context(connected(path))
            watcher.sendall(b'{"command":"events"}\n')
        for _ in range(80):
            half = clients.enter_context(connected(path))
            with contextlib.suppress(OSError):  # closed, because others have too much
                half.sendall(b'x' * 1_000_000)
        app = clients.enter_context(connected(path))
        app.settimeout(None)  # it blocks for as long as the flood takes
        lines = app.makefile()

        def send(**message) -> None:
            app.sendall(json.dumps(message).encode() + b'\n')

        def wait_for(word: str) -> dict:
            return json.loads(next(line for line in lines if word in line))

        name = {'bundleIdentifier': 'org.example.talker', 'name': 'Talker', 'backgroundModes': ['bluetooth-peripheral']}
        send(hello={'version': 1, 'app': name})
        wait_for('"foreground"')
        assert ask(blepera, environment, 'suspend', 'org.example.talker').returncode == 0
        wait_for('"suspended"')
        # Each has an answer, in the order in which they are handled.
        filler, count, sent = 'x' * 500_000, 99, []

        def talk() -> None:
            for number in range(1, count + 1):
                send(create={'id': number, 'role': 'peripheral', 'filler': filler})
                sent.append(number)

        talker = threading.Thread(target=talk, daemon=True)
        talker.start()
        flood(path, 8000)
        talker.join(1)
        assert talker.is_alive() and len(sent) < 10, 'the app blocks'
        assert ask(blepera, environment, 'status').returncode == 0
        assert peak_memory(program) - before < 96, 'MiB'
        assert ask(blepera, environment, 'foreground', 'org.example.talker').returncode == 0
        assert [wait_for('"peripheral"')['peripheral']['id'] for _ in range(count)] == list(range(1, count + 1))
        assert peak_memory(program) - before < 96, 'MiB'
        talker.join(TIMEOUT)


def test_files_that_never_end(blepera, environment):
    """No command waits for a named pipe, and none reads a file without a limit."""
    folder = pathlib.Path(environment['BLEPERA_STATE_DIR'], 'blepera')
    folder.mkdir(mode=0o700)
    (folder / 'default').mkdir(mode=0o700)
    state = folder / 'default/state.json'
    for name in ('stopped', 'system.log', 'state.json', 'profile.plist'):
        os.mkfifo(folder / 'default' / name)
    assert 'not a file' in ask(blepera, environment, 'preserved', 'list').stderr
    state.unlink()
    state.touch()
    os.truncate(state, 20 << 30)
    state.chmod(0o600)
    assert 'File too large' in ask(blepera, environment, 'preserved', 'list').stderr
    for words in (('check',), ('scenario', 'check'), ('report',)):
        done = ask(blepera, environment, *words, str(folder / 'default/profile.plist'))
        assert done.returncode and 'named pipe' in done.stderr + done.stdout, words
    state.unlink()
    with phone_in_a_lab(blepera, environment):
        pass


def test_reports_are_private(blepera, environment, tmp_path):
    page, junit = tmp_path / 'page.html', tmp_path / 'junit.xml'
    page.touch(0o644)
    scenario = str(ROOT / 'scenarios/foreground-only.plist')
    done = ask(blepera, environment, 'scenario', 'run', '--report', str(page), '--junit', str(junit), scenario)
    assert done.returncode == 0, done.stderr
    assert [path.stat().st_mode & 0o777 for path in (page, junit)] == [0o600, 0o600]
    assert page.read_text().endswith('</html>\n') and junit.read_text().endswith('</testsuites>\n')
    assert sorted(path.name for path in tmp_path.iterdir()) == ['junit.xml', 'page.html', 'run', 'state']


def test_no_descriptor_left(blepera, environment):
    """The phone waits while all descriptors are taken, and answers when some are free again."""
    limit = 64
    program = subprocess.Popen(
        [blepera, 'serve', '--virtual', '--json', HEART_RATE], env=environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit)))
    path = f'{environment["XDG_RUNTIME_DIR"]}/blepera/default.socket'
    clients = []
    try:
        deadline = time.monotonic() + TIMEOUT
        while not os.path.exists(path):
            assert time.monotonic() < deadline and program.poll() is None
            time.sleep(0.02)
        for _ in range(limit):
            client = socket.socket(socket.AF_UNIX)
            client.setblocking(False)
            clients.append(client)
            with contextlib.suppress(BlockingIOError):
                client.connect(path)
        time.sleep(1)
        for client in clients:
            client.close()
        assert ask(blepera, environment, 'status').returncode == 0
    finally:
        program.send_signal(signal.SIGINT)
        assert program.wait(TIMEOUT) == 0


@pytest.mark.parametrize('name', ['blepera.service', 'blepera-system.service', 'blepera-controller.service'])
def test_unit_is_hardened(tmp_path, name):
    unit = tmp_path / name
    unit.write_text((ROOT / 'Packaging' / name).read_text().replace('@PREFIX@', '/usr'))
    words = ['systemd-analyze', 'security', '--offline=yes', '--threshold=20', str(unit)]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
