"""The C libraries that RootCanal needs where this machine's are older: glibc 2.39, and libstdc++ of GCC 14. They are
Debian's, of its stable suite, unpacked into the cache and never installed.

    Scripts/python-of lane Tests/Controllers/libraries.py
"""

import pathlib
import platform
import shutil
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / 'RealLane'))

from rig import image, releases
from rig.errors import RigError

NEEDED = (2, 39)  # of glibc


def are_own() -> bool:
    """Whether this machine's own libraries are new enough."""
    name, version = platform.libc_ver()
    return name == 'glibc' and tuple(map(int, version.split('.'))) >= NEEDED


def folder() -> pathlib.Path:
    return image.cache_folder() / f'libraries-{releases.STABLE.suite}'


def loader() -> list[str]:
    """The words before a program that starts with these libraries; none where this machine's own will do."""
    if are_own():
        return []
    found = folder() / 'usr/lib/x86_64-linux-gnu'
    if not found.is_dir():
        raise RigError(f'{found} is missing; Scripts/setup lane makes it')
    return [str(found / 'ld-linux-x86-64.so.2'), '--library-path', str(found)]


def make() -> None:
    if are_own() or folder().is_dir():
        return
    folder().parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder().parent, prefix='making-') as making:
        root = pathlib.Path(making) / 'root'
        image.call(
            *('mmdebstrap', '--quiet', '--variant=extract', '--include=libstdc++6'),
            '--aptopt=Acquire::Check-Valid-Until "false"',
            *(releases.STABLE.suite, root, releases.archive()),
            why=f"the C libraries of Debian's suite {releases.STABLE.suite} cannot be unpacked",
        )
        shutil.rmtree(root / 'var', ignore_errors=True)
        root.rename(folder())


if __name__ == '__main__':
    try:
        make()
    except RigError as error:
        sys.exit(str(error))
