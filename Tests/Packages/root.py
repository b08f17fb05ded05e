"""A clean root of Debian, with nothing built and nothing downloaded in it."""

import os
import pathlib
import pty
import select
import shlex
import subprocess
import tempfile
import time

CACHE = pathlib.Path(os.environ.get('XDG_CACHE_HOME', pathlib.Path.home() / '.cache')) / 'blepera'
SUITES = ('bookworm', 'trixie')
AS_ROOT = [] if os.geteuid() == 0 else ['sudo']
TIMEOUT = 300  # seconds; only how long a failing test waits
PAUSE = 1.5  # seconds before a key, for the shell to be ready

# $1 the clean root, $2 the changes to it, $3 a folder of this machine seen at /srv/material.
ENTER = """
set -e
lower=$1 changes=$2 material=$3
shift 3
mkdir -p "$changes/upper" "$changes/work" "$changes/root"
mount -t overlay overlay -o "lowerdir=$lower,upperdir=$changes/upper,workdir=$changes/work" "$changes/root"
cd "$changes/root"
mkdir -p srv/material
mount --bind "$material" srv/material
mount -t proc proc proc
mount --rbind /dev dev
mount -t tmpfs tmpfs tmp
mount -t tmpfs tmpfs run
exec chroot . env -i HOME=/root LANG=C.UTF-8 TERM=xterm PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"
"""


def lower_root(suite: str) -> pathlib.Path:
    found = [path for path in CACHE.glob(f'root-{suite}-*') if (path / 'complete').exists()]
    assert found, f'there is no root of {suite}; make it with: Scripts/setup packages-test'
    return max(found, key=lambda path: path.stat().st_mtime) / 'root'


def place() -> str:
    """A folder for changes, which cannot lie on an overlay, as much of a container does."""
    folders = ['/var/tmp', str(pathlib.Path(__file__).parent)]
    types = subprocess.run(['stat', '--file-system', '--format=%T', *folders], capture_output=True, text=True, check=True)
    return folders[types.stdout.splitlines()[0] == 'overlayfs']


class Root:
    """Commands run in namespaces of their own, without a network; changes stay from one to the next, until `close`."""

    def __init__(self, suite: str, folder: pathlib.Path):
        self.suite = suite
        self.folder = folder
        self.changes = pathlib.Path(tempfile.mkdtemp(prefix=f'blepera-{suite}-', dir=place()))

    def words(self, *words: str) -> list[str]:
        return [
            *AS_ROOT, 'unshare', '--mount', '--pid', '--net', '--ipc', '--fork', '--kill-child', 'sh', '-c', ENTER, 'sh',
            str(lower_root(self.suite)), str(self.changes), str(self.folder), *words,
        ]

    def run(self, script: str, status: int = 0) -> str:
        """Standard output and standard error of a script, which has to end with this status."""
        done = subprocess.run(
            self.words('sh', '-c', script), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT,
        )
        assert done.returncode == status, f'{script}\nstatus {done.returncode}\n{done.stdout}'
        return done.stdout

    def type(self, command: str, keys: list[str], expected: str) -> str:
        """The output of an interactive program when `keys` are typed into its terminal, until `expected` is shown."""
        controller, terminal = pty.openpty()
        program = subprocess.Popen(
            self.words(*shlex.split(command)), stdin=terminal, stdout=terminal, stderr=terminal, start_new_session=True,
            preexec_fn=lambda: os.close(controller),
        )
        os.close(terminal)
        shown = ''

        def read(seconds: float) -> bool:
            """Whether `expected` is shown, within this time or before nothing more comes."""
            nonlocal shown
            end = time.monotonic() + seconds
            while expected not in shown and (rest := end - time.monotonic()) > 0:
                if not select.select([controller], [], [], rest)[0]:
                    break
                try:
                    shown += os.read(controller, 4096).decode(errors='replace')
                except OSError:
                    break
            return expected in shown

        try:
            for key in keys:
                read(PAUSE)
                os.write(controller, key.encode())
            read(TIMEOUT / 10)
        finally:
            program.kill()
            program.wait()
            os.close(controller)
        return shown

    def close(self) -> None:
        subprocess.run([*AS_ROOT, 'rm', '-rf', str(self.changes)], check=True)
