"""The releases of BlueZ that Debian has: bluetoothd and the kernel of each suite, for the micro-VM.

BLUEZ=5.82 in the environment chooses one; without it, it is that of this machine. `second` is that of Debian's stable
suite, or of the one before where this machine has that. KERNEL=5.82 boots the kernel of that
release's suite.

What is not of this machine's own Debian is unpacked, not installed: mmdebstrap makes a root folder with bluetoothd, what it
needs and the suite's kernel, in the cache. bluetoothd then runs in that folder (chroot), everything else as always.
"""

import os
import pathlib
import platform
import shutil
from dataclasses import dataclass

from .errors import RigError


@dataclass(frozen=True)
class Release:
    version: str  # of bluetoothd
    suite: str  # of Debian
    kernel: str = ''  # the release whose suite has the kernel to boot; its own where empty

    @property
    def is_own(self) -> bool:
        """Whether this machine's own Debian has it."""
        return self.suite == own_suite()


RELEASES = [
    # With the kernel that its backports have, and Raspberry Pi OS 11: that of the suite itself (5.10) sends an empty
    # packet before each advertisement, and loses connections during discovery.
    Release('5.55', 'bullseye', kernel='5.66'),
    Release('5.66', 'bookworm'),
    Release('5.82', 'trixie'),
    Release('5.87', 'sid'),
]
NEWEST = RELEASES[-1]
OLD_STABLE, STABLE = RELEASES[1:3]


def own_suite() -> str:
    """Debian's name of this machine's suite; empty where that is another system."""
    return platform.freedesktop_os_release().get('VERSION_CODENAME', '')


def chosen(variable: str = 'BLUEZ') -> Release:
    """The release that the environment names: by its version, Debian's name of its suite, `own`, `second` or `newest`."""
    name = os.environ.get(variable) or 'own'
    for release in RELEASES:
        if name in (release.version, release.suite) or (name == 'own' and release.is_own):
            return release
    if name == 'newest':
        return NEWEST
    if name == 'second':
        return OLD_STABLE if STABLE.is_own else STABLE
    if name == 'own':  # with its own bluetoothd, whichever that is
        return Release('of this machine', own_suite())
    known = ', '.join(f'{release.version} ({release.suite})' for release in RELEASES)
    raise RigError(f"{variable}={name} is no release of BlueZ; it can be own, second, newest or one of: {known}")


def kernel_of(release: Release) -> Release:
    """The release whose suite has the kernel to boot."""
    if os.environ.get('KERNEL'):
        return chosen('KERNEL')
    return next((one for one in RELEASES if one.version == release.kernel), release)


def archive() -> str:
    """The mirror from which this machine's apt gets Debian."""
    for path in sorted([pathlib.Path('/etc/apt/sources.list'), *pathlib.Path('/etc/apt/sources.list.d').glob('*')]):
        for line in path.read_text().splitlines() if path.is_file() else []:
            words = [word for word in line.split() if not word.startswith('[')]
            if words and words[0] in ('deb', 'URIs:') and words[1].rstrip('/').endswith('/debian'):
                return words[1]
    raise RigError('apt has no archive of Debian in its sources; the other releases of BlueZ come from there')


def unpack(release: Release, to: pathlib.Path, call) -> None:
    """Makes the root folder. A snapshot of an archive may be older than its lists are valid; their signature is
    checked all the same."""
    if not shutil.which('mmdebstrap'):
        raise RigError('mmdebstrap is missing; Scripts/setup lane installs it')
    call(
        *('mmdebstrap', '--quiet', '--variant=extract'),
        '--aptopt=Acquire::Check-Valid-Until "false"',
        '--include=base-files,bluez,linux-image-amd64',
        *(release.suite, to, archive()),
        why=f"Debian's suite {release.suite} with BlueZ {release.version} cannot be unpacked",
    )
