"""A machine that boots Debian from a disk: QEMU, systemd, and adapters whose controllers and centrals are Bumble's, as in
Tests/RealLane.
"""

import asyncio
import pathlib
import re
import shutil
import subprocess
import time
from collections.abc import Awaitable, Callable

from blepera_tests.paths import ROOT
from disk import folder
from rig.air import Air
from rig.errors import Failure
from rig.process import Line, Process
from rig.vm import ARGUMENTS, VM, escape

GUEST = ROOT / 'Tests/RealLane/rig/guest.py'
BOOT = 240  # seconds; only how long a failing test waits


class Disks:
    """The disk of the system, which keeps what is written to it, and a second one with the material of the tests."""

    def __init__(self, to: pathlib.Path, deb: pathlib.Path, logs: pathlib.Path):
        self.logs, self.boots = logs, 0
        self.root, self.material = to / 'root.ext4', to / 'material.ext4'
        subprocess.run(['cp', '--sparse=always', folder() / 'root.ext4', self.root], check=True)
        files = to / 'material'
        packages = files / 'blepera/.build/packages'
        packages.mkdir(parents=True)
        shutil.copy(GUEST, files)
        shutil.copy(deb, packages)
        subprocess.run(['/sbin/mke2fs', '-q', '-t', 'ext4', '-d', files, self.material, '64M'], check=True)

    def remove(self) -> None:
        self.root.unlink()


class Machine(VM):
    """Boots on entry. The folder of its logs has its console, its journal and what was typed."""

    def __init__(self, disks: Disks):
        disks.boots += 1
        super().__init__(disks.logs / f'boot-{disks.boots}', BOOT)
        self.disks, self.folder = disks, '/'

    def system(self) -> list[object]:
        boot = folder()
        drives = []
        for file, readonly in ((self.disks.root, 'off'), (self.disks.material, 'on')):
            drives += ['-drive', f'file={escape(file)},format=raw,if=virtio,cache=writeback,readonly={readonly}']
        return ['-kernel', boot / 'vmlinux', '-initrd', boot / 'initrd', '-append', ARGUMENTS, *drives]

    async def __aenter__(self):
        await super().__aenter__()
        self.air = Air(self)
        await self.air.plug()
        return self

    async def __aexit__(self, *_) -> None:
        if hasattr(self, 'air') and not self.has_ended:
            journal = await self.run('journalctl', '--boot', '--no-pager', '--output', 'short-precise', limit=60)
            (self.out / 'journal.txt').write_text(journal.text())
        await self.cut()

    async def cut(self) -> None:
        """Ends QEMU, as a loss of power ends a machine."""
        await super().__aexit__()
        self.has_ended = True

    async def call(self, *words: object, limit: float = 60) -> str:
        """The output of a program that has to succeed."""
        done = await self.run(*words, limit=limit)
        assert done.status == 0, f'{done}: status {done.status}\n{done.text()}'
        return done.text('out')

    async def log_in(self) -> 'Terminal':
        """The first user, at a terminal."""
        def log(line: Line) -> None:
            with open(self.out / 'terminal.txt', 'a') as file:
                print(line.text, file=file)

        words = ('login', '-f', 'user')
        return await Terminal.of(await self.start_program(*words, terminal=True, env={'TERM': 'linux'}, on_line=log))


class Terminal:
    """A shell in which lines are typed one after the other. Before each prompt it prints how many lines have been typed."""

    def __init__(self, shell: Process):
        self.shell, self.prompts = shell, 0

    @classmethod
    async def of(cls, shell: Process) -> 'Terminal':
        terminal = cls(shell)
        await shell.until(lambda: terminal.last.rstrip().endswith('$'), 60, 'the prompt of the shell')
        await terminal.type("bind 'set enable-bracketed-paste off'; PS1= PROMPT_COMMAND='echo typed $((++typed))'")
        return terminal

    @property
    def last(self) -> str:
        """The line that has not ended."""
        return self.shell.unfinished['out']

    async def type(self, line: str, answer: str = '', limit: float = 300) -> list[str]:
        """The lines that are shown until the next prompt. `answer` is typed where the command asks whether to continue."""
        before = len(self.shell.lines)
        self.shell.type(f'{line}\n')
        if answer:
            await self.shell.until(lambda: self.last.endswith('[Y/n] '), limit, f'the question of {line}')
            self.shell.type(f'{answer}\n')
        self.prompts += 1
        mark = f'typed {self.prompts}'

        def look() -> int:
            """The number of the line with the mark; what runs in the background prints before and after it."""
            shown = enumerate(self.shell.lines[before:], before)
            return next((number for number, one in shown if one.text.endswith(mark)), 0)

        end = await self.shell.until(look, limit, f'the end of {line}')
        return [plain(one.text) for one in self.shell.lines[before:end]]

    async def until_shown(self, text: str, limit: float = 60) -> None:
        await self.shell.until(lambda: text in plain(self.shell.text()), limit, f'the line "{text}"')


def plain(text: str) -> str:
    """The text without the escapes for colors."""
    return re.sub(r'\x1b\[[\d;?]*[a-zA-Z]', '', text)


async def until(look: Callable[[], Awaitable], what: str, limit: float = 60):
    """The first true value of `look`."""
    end = time.monotonic() + limit
    while not (value := await look()):
        if time.monotonic() > end:
            raise Failure(f'{what} did not happen in {limit:g} s')
        await asyncio.sleep(0.2)
    return value
