"""A program that a test runs, what it prints, and a phone's socket."""

import json
import os
import socket
import subprocess
import threading
from collections.abc import Callable

TIMEOUT = 60  # seconds; only how long a failing test waits: other parts of the tests come first


def run_simpleble(*words, before=lambda: None, **options) -> subprocess.CompletedProcess:
    """Runs a program that may use SimpleBLE, after `before`, and again where SimpleBLE has missed a reply: that may happen
    on a busy machine, where its other thread reads the reply, and SimpleBLE then waits for 30 s. dbus-monitor shows each
    reply within a millisecond."""
    for _ in range(4):
        before()
        done = subprocess.run(words, capture_output=True, text=True, **options)
        if 'D-Bus call timed out' not in done.stderr:
            break
    return done


class Program:
    def __init__(self, *words: str, env: dict[str, str] | None = None, folder=None):
        self.words = words
        self.process = subprocess.Popen(
            words, env=env, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True,
        )
        self.output: list[str] = []
        self.errors: list[str] = []
        self.changed = threading.Condition()
        self.open = 2
        self.readers = [
            threading.Thread(target=self.read, args=stream)
            for stream in ((self.process.stdout, self.output), (self.process.stderr, self.errors))
        ]
        for reader in self.readers:
            reader.start()

    def read(self, stream, lines: list[str]) -> None:
        for line in stream:
            with self.changed:
                lines.append(line.rstrip('\n'))
                self.changed.notify_all()
        with self.changed:
            self.open -= 1
            self.changed.notify_all()

    def wait_for(self, found: Callable[[], object], what: str):
        """The first true answer, which is asked for at each line that the program prints."""
        with self.changed:
            self.changed.wait_for(lambda: found() or not self.open, TIMEOUT)
            if answer := found():
                return answer
        printed = '\n'.join(self.output + self.errors)
        raise AssertionError(f'{" ".join(self.words)}: no {what}\n{printed}')

    def line(self, words: str) -> str:
        """A line with these words, of either stream."""
        return self.wait_for(
            lambda: next((line for line in self.output + self.errors if words in line), None), f'line with "{words}"'
        )

    def end(self, signal: int) -> int:
        """The exit status; minus the number of the signal where that is what ended it."""
        self.process.send_signal(signal)
        return self.wait()

    def wait(self) -> int:
        try:
            status = self.process.wait(TIMEOUT)
        finally:
            self.process.kill()
            for reader in self.readers:
                reader.join()
        return status


def flood(path: str | os.PathLike[str], requests: int) -> None:
    """Locks and unlocks the phone over its socket, which prints some lines for each."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(TIMEOUT)
        client.connect(os.fspath(path))
        # The file is not for writing too: Python's text streams would then discard lines that they have read.
        lines = client.makefile()
        for number in range(requests):
            client.sendall(json.dumps({'command': 'lock' if number % 2 == 0 else 'unlock'}).encode() + b'\n')
            assert 'error' not in json.loads(lines.readline())
