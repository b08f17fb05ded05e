"""The image that the micro-VM boots: a stock kernel of Debian and an initial file system. The packages are downloaded
once, unpacked, and never installed; the files that are needed of them are kept in the cache.
"""

import glob
import hashlib
import lzma
import os
import pathlib
import shutil
import subprocess
import tempfile
from dataclasses import dataclass

from . import releases
from .errors import RigError
from .releases import Release

HERE = pathlib.Path(__file__).parent
MODULES = HERE / 'modules'
PINNED = HERE / 'kernel'


def cache_folder() -> pathlib.Path:
    base = os.environ.get('XDG_CACHE_HOME') or pathlib.Path.home() / '.cache'
    return pathlib.Path(base) / 'blepera'


def key() -> str:
    return hashlib.sha256(MODULES.read_bytes() + PINNED.read_bytes()).hexdigest()[:12]


def module_groups() -> dict[str, list[str]]:
    lines = [line.split() for line in MODULES.read_text().splitlines() if line and not line.startswith('#')]
    return {group: names for group, *names in lines}


@dataclass(frozen=True)
class Image:
    """A folder with `vmlinux` and `modules.cpio`, and where bluetoothd is not this machine's own, a folder `root`."""

    folder: pathlib.Path

    @property
    def root(self) -> pathlib.Path | None:
        root = self.folder / 'root'
        return root if root.exists() else None


def cached(name: str) -> Image | None:
    """The newest of the cache; its name carries the release of the kernel or of BlueZ, and a hash of the module list and of
    the pinned kernel."""
    made = glob.glob(f'{cache_folder()}/{name}-{key()}/modules.cpio')
    return Image(pathlib.Path(max(made, key=os.path.getmtime)).parent) if made else None


def image(release: Release) -> Image:
    """The image for a release, made where the cache has none."""
    if release.is_own:
        return cached('linux-*') or make_kernel()
    name = f'bluez-{release.version}'
    return cached(name) or make_release(release, cache_folder() / f'{name}-{key()}')


def pinned() -> tuple[str, str, str]:
    """The package, its version, and its SHA-256."""
    package, version, checksum = next(
        line.split() for line in PINNED.read_text().splitlines() if line and not line.startswith('#'))
    return package, version, checksum


def newest() -> str:
    depends = call('apt-cache', 'depends', 'linux-image-amd64')
    packages = [line.split()[1] for line in depends.splitlines() if line.split()[:1] == ['Depends:']]
    if not packages:
        raise RigError('apt knows no package linux-image-amd64, whose kernel the micro-VM boots; try: apt-get update')
    return packages[0]


def make_release(release: Release, to: pathlib.Path) -> Image:
    """Bluetoothd and the kernel of another suite of Debian. The kernel's files, which are large, are not kept."""
    to.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=to.parent, prefix='making-') as making:
        made = pathlib.Path(making) / 'made'
        made.mkdir()
        root = made / 'root'
        releases.unpack(release, root, call)
        modules = root / 'lib/modules'
        [kernel] = modules.iterdir()
        make_boot_files(root, kernel.name, made)
        for folder in (root / 'boot', modules):
            shutil.rmtree(folder)
        shutil.rmtree(to, ignore_errors=True)
        made.rename(to)
    return Image(to)


def make_kernel() -> Image:
    package, version, checksum = pinned()
    is_pinned = f'\nVersion: {version}\n' in call('apt-cache', 'show', package, may_fail=True)
    if not is_pinned:
        package = newest()
    wanted = f'{package}={version}' if is_pinned else package
    release = package.removeprefix('linux-image-')
    folder = cache_folder() / f'linux-{release}-{key()}'
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix='making-') as making:
        root = pathlib.Path(making)
        call('apt-get', 'download', '-q', wanted, folder=root, why=f'the kernel package {wanted} does not download')
        for archive in root.glob('*.deb'):
            if is_pinned and hashlib.sha256(archive.read_bytes()).hexdigest() != checksum:
                raise RigError(f'the kernel package {wanted} has another SHA-256 than {PINNED} says')
            call('dpkg', '-x', archive, root)
            archive.unlink()
        made = root / 'made'
        made.mkdir()
        make_boot_files(root, release, made)
        shutil.rmtree(folder, ignore_errors=True)
        made.rename(folder)
    return Image(folder)


def make_boot_files(root: pathlib.Path, release: str, made: pathlib.Path) -> None:
    call('depmod', '-b', root, release)
    # Newer packages have the kernel beside its modules.
    places = [root / 'boot' / f'vmlinuz-{release}', root / 'lib/modules' / release / 'vmlinuz']
    packed = next((place for place in places if place.exists()), None)
    if not packed:
        raise RigError(f'the kernel package {release} has no kernel at ' + ' or '.join(map(str, places)))
    make_vmlinux(packed.read_bytes(), made / 'vmlinux')
    make_modules(root, release, module_groups(), made / 'modules.cpio')


def make_vmlinux(compressed: bytes, to: pathlib.Path) -> None:
    """QEMU starts an unpacked kernel at once; unpacking it under emulation would take 4 s. One that is not packed
    with xz is left as it is: slower, but it boots."""
    start = compressed.find(lzma_magic := b'\xfd7zXZ\0')
    while start >= 0:
        try:
            unpacked = lzma.LZMADecompressor().decompress(compressed[start:])
        except lzma.LZMAError:
            unpacked = b''
        if unpacked.startswith(b'\x7fELF'):
            to.write_bytes(unpacked)
            return
        start = compressed.find(lzma_magic, start + 1)
    to.write_bytes(compressed)


def make_modules(root: pathlib.Path, release: str, groups: dict[str, list[str]], to: pathlib.Path) -> None:
    """Every module with what it needs, in an order that loads, and busybox to load them with."""
    with tempfile.TemporaryDirectory(dir=root) as tree:
        modules = pathlib.Path(tree) / 'modules'
        modules.mkdir()
        seen = set()
        for group, names in groups.items():
            order = []
            for name in names:
                shown = call('modprobe', '-d', root, '-S', release, '--show-depends', name, may_fail=True)
                paths = [line.split()[1] for line in shown.splitlines() if line.startswith('insmod')]
                order += [path for path in paths if path not in seen]
                seen.update(paths)
            lines = []
            for path in map(pathlib.Path, order):
                module = modules / path.name.removesuffix('.xz')
                data = path.read_bytes()
                module.write_bytes(lzma.decompress(data) if path.suffix == '.xz' else data)
                lines.append(f'{module.name}\n')
            (modules / group).write_text(''.join(lines))
        (modules.parent / 'bin').mkdir()
        shutil.copy2(shutil.which('busybox') or '/bin/busybox', modules.parent / 'bin' / 'busybox')
        to.write_bytes(pack(modules.parent))


def initial_files(to: pathlib.Path, image: Image) -> None:
    """The initial file system: the modules, which are cached, and after them the two scripts of this folder."""
    with tempfile.TemporaryDirectory() as tree:
        for name in ('init', 'guest.py'):
            shutil.copy(HERE / name, tree)
        os.chmod(f'{tree}/init', 0o755)
        to.write_bytes((image.folder / 'modules.cpio').read_bytes() + pack(pathlib.Path(tree)))


def pack(tree: pathlib.Path) -> bytes:
    names = '\n'.join(str(path.relative_to(tree)) for path in sorted(tree.rglob('*')))
    command = ['cpio', '-o', '-H', 'newc', '--quiet', '-R', '0:0']
    return subprocess.run(command, cwd=tree, input=names.encode(), stdout=subprocess.PIPE, check=True).stdout


def call(*command, folder=None, why: str | None = None, may_fail: bool = False) -> str:
    try:
        done = subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, text=True)
    except FileNotFoundError:
        raise RigError(f'{command[0]} is missing; Scripts/setup lane installs it') from None
    if done.returncode and not may_fail:
        last = (done.stderr.strip() or done.stdout.strip() or f'status {done.returncode}').splitlines()[-1]
        raise RigError(f'{why or " ".join(map(str, command)) + " fails"}: {last}')
    return done.stdout
