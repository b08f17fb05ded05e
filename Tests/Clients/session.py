"""Plays the commands of a page as its reader would: in a copy of the clone, with blepera on PATH."""

import contextlib
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from blepera_tests.paths import ROOT
from blepera_tests.site import make_site
from transcripts import Command

TIMEOUT = 60  # seconds; only how long a failing test waits
# Commands of another terminal while `serve` runs in its own.
OF_A_PHONE = re.compile(
    r'blepera (launch|foreground|background|suspend|lock|unlock|status|terminate|quit|bluetooth|notify|scan) ?')
# The virtual BlueZ of a lab stands in for the machine's bluetoothd.
ON_AN_ADAPTER = re.compile(r'blepera serve (?!.*--virtual)')
IN_THE_BACKGROUND = re.compile(r'^blepera (serve|system) [^>]*$|.* &$')


class Session:
    def __init__(self, blepera: str):
        self.home = pathlib.Path(tempfile.mkdtemp(prefix='page-', dir='/tmp'))  # short, for the names of sockets
        self.clone = self.folder = self.home / 'blepera'
        for name in ('profiles', 'scenarios', 'examples'):
            ignored = shutil.ignore_patterns('.build', '.venv', '__pycache__', '.pytest_cache')
            shutil.copytree(ROOT / name, self.clone / name, ignore=ignored)
        (self.clone / '.build/packages').mkdir(parents=True)
        (self.clone / '.build/packages/blepera-0.1.0.whl').touch()  # copied; what it has is there by `make_site`
        programs = self.home / 'bin'
        programs.mkdir()
        (programs / 'blepera').symlink_to(blepera)
        (self.home / 'run').mkdir(mode=0o700)
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(('PYTEST_', 'BLEPERA_'))},
            'HOME': str(self.home), 'XDG_RUNTIME_DIR': str(self.home / 'run'), 'XDG_STATE_HOME': str(self.home / 'state'),
            'PATH': f'{programs}:{pathlib.Path(sys.prefix) / "bin"}:{os.environ["PATH"]}',
            'PYTHONPATH': str(make_site(self.home / 'site')),
        }
        for name in ('XDG_CONFIG_HOME', 'COLUMNS', 'LINES'):
            self.environment.pop(name, None)
        self.running: list[tuple[subprocess.Popen, pathlib.Path, float]] = []
        self.outside: dict[str, str] | None = None

    def close(self) -> None:
        self.end_programs()
        shutil.rmtree(self.home)

    def play(self, command: Command) -> list[str]:
        """Runs the command, and returns its output."""
        text = command.text.replace('/usr/share/blepera/', '')
        if ON_AN_ADAPTER.match(text) and not self.running:
            self.enter_lab('blepera lab --quiet')
        if re.match(r'blepera (?!serve|system)', text) and self.running and not OF_A_PHONE.match(text):
            self.end_programs()
        if text.endswith(' -- sh'):
            return self.enter_lab(text.removesuffix(' -- sh'))
        if IN_THE_BACKGROUND.match(text):
            return self.start(text.removesuffix('&').rstrip())
        if folder := re.fullmatch(r'(.* && )?cd (\S+)', text):
            printed = self.run(folder[1].removesuffix(' && '), None, self.clone) if folder[1] else []
            self.folder = pathlib.Path(folder[2].replace('~', str(self.home)))
            return printed
        shown = command.output[: command.output.index('^C')] if '^C' in command.output else []
        return self.run(text, shown[-1] if shown else None, self.folder_of(text))

    def run(self, text: str, last: str | None, folder: pathlib.Path) -> list[str]:
        """`last` ends the command as Ctrl-C does, once it has printed three lines that end like it."""
        program = subprocess.Popen(
            ['bash', '-c', text], cwd=folder, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, start_new_session=True,
        )
        printed: list[str] = []
        try:
            if last:
                while sum(line.endswith(last[-12:]) for line in printed) < 3 and (line := program.stdout.readline()):
                    printed.append(line.rstrip('\n'))
                os.killpg(program.pid, signal.SIGINT)
            rest, _ = program.communicate(timeout=TIMEOUT)
        except BaseException:
            os.killpg(program.pid, signal.SIGKILL)
            raise
        return printed + rest.splitlines()

    def folder_of(self, text: str) -> pathlib.Path:
        """The clone for commands with its files; else where the last `cd` led."""
        return self.clone if re.search(r'(^|\s)(profiles|scenarios|examples)/', text) else self.folder

    def start(self, text: str) -> list[str]:
        log = self.home / f'{len(self.running)}.log'
        words = text.partition('>')[0]
        with log.open('w') as out:
            program = subprocess.Popen(
                shlex.split(words), cwd=self.folder_of(text), env=self.environment, stdin=subprocess.DEVNULL, stdout=out,
                stderr=subprocess.STDOUT,
            )
        self.running.append((program, log, time.monotonic()))
        started = 'process' if 'system' in words.split()[1:2] else 'advertising'
        deadline = time.monotonic() + TIMEOUT
        while started not in log.read_text() and program.poll() is None and started == 'advertising':
            assert time.monotonic() < deadline, f'{text} does not advertise: {log.read_text()}'
            time.sleep(0.05)
        if started == 'process':
            socket = self.home / 'run/blepera/default.socket'
            while not socket.exists() and program.poll() is None:
                assert time.monotonic() < deadline, f'{text} has no socket'
                time.sleep(0.05)
        assert program.poll() is None, log.read_text()
        return log.read_text().splitlines()

    def enter_lab(self, text: str) -> list[str]:
        """The commands that follow are those of a shell in the lab."""
        program = subprocess.Popen(
            shlex.split(text), cwd=self.folder_of(text), env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True,
        )
        line = program.stdout.readline()
        assert line.startswith('export '), line
        self.outside = dict(self.environment)
        self.environment |= dict(word.split('=', 1) for word in shlex.split(line)[1:])
        self.running.append((program, self.home / 'lab.log', time.monotonic()))
        return []

    def end_programs(self) -> None:
        for program, _, since in reversed(self.running):
            # A recording of less than this would have nothing of the central.
            time.sleep(max(0, since + 4 - time.monotonic()) if program.poll() is None else 0)
            program.send_signal(signal.SIGINT)
            try:
                program.wait(TIMEOUT)
            finally:
                with contextlib.suppress(ProcessLookupError):
                    program.kill()
        self.running = []
        if self.outside:
            self.environment, self.outside = self.outside, None
