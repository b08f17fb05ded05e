"""The disk of a stock Debian 12, made once and kept in the cache: the packages of priority `important`,
sudo, systemd as init, Debian's kernel, and a user. Beside them, downloaded and not installed, are bluez and what the
Debian package depends on, as the machine has no network.

    Scripts/python-of lane Tests/Machine/disk.py [--where]
"""

import hashlib
import os
import pathlib
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path.append(f'{HERE.parent}/RealLane')

from rig import image
from rig.errors import RigError

SUITE, SIZE = 'bookworm', '2G'
INSTALLED = 'bash-completion,dbus,dbus-user-session,libpam-systemd,linux-image-amd64,python3,sudo'
DOWNLOADED = 'bluez dbus-daemon libdbus-1-3 libglib2.0-0 libstdc++6'
# For the disk; everything else is loaded by the disk's own udev.
MODULES = {'boot': ['virtio_pci', 'virtio_blk', 'crc32c_generic', 'ext4']}
MOUNT = '/dev/vdb /srv/material ext4 ro 0 0'
# The user of a new Debian: with sudo, here without a password. The sources of the readme are among the material.
SET_UP = [
    'useradd --create-home --groups sudo --shell /bin/bash user',
    'echo "user ALL=(ALL) NOPASSWD: ALL" >/etc/sudoers.d/user',
    'ln -s /srv/material/blepera /home/user/blepera',
    f'mkdir /srv/material && echo "{MOUNT}" >/etc/fstab',
    'echo phone >/etc/hostname && echo "127.0.1.1 phone" >>/etc/hosts',
    'systemctl enable guest',
    # These services would use the one emulated processor meanwhile.
    'systemctl mask apt-daily.timer apt-daily-upgrade.timer e2scrub_reap.service',
    f'apt-get -q -y --install-recommends --download-only install {DOWNLOADED}',
]
AS_ROOT = [] if os.geteuid() == 0 else ['sudo']


def folder() -> pathlib.Path:
    """The folder of the disk, with a kernel and an initial file system."""
    made = b''.join((HERE / name).read_bytes() for name in ('disk.py', 'init', 'guest.service'))
    return image.cache_folder() / f'machine-{hashlib.sha256(made).hexdigest()[:12]}'


def make(to: pathlib.Path) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=to.parent, prefix='making-') as making:
        root, made = pathlib.Path(making) / 'root', pathlib.Path(making) / 'made'
        made.mkdir()
        try:
            image.call(
                *(*AS_ROOT, 'mmdebstrap', '--quiet', '--variant=important', f'--include={INSTALLED}', '--skip=cleanup/apt'),
                f'--customize-hook=upload {HERE}/guest.service /etc/systemd/system/guest.service',
                *(f"--customize-hook=chroot \"$1\" sh -c '{command}'" for command in SET_UP),
                *(SUITE, root),
                why='mmdebstrap cannot make the disk',
            )
            [kernel] = (root / 'lib/modules').iterdir()
            image.make_vmlinux((root / f'boot/vmlinuz-{kernel.name}').read_bytes(), made / 'vmlinux')
            # The modules are packed in a folder beside the root, which is another user's.
            with tempfile.TemporaryDirectory(dir=making) as tree:
                shutil.copytree(root / 'lib/modules', pathlib.Path(tree) / 'lib/modules', symlinks=True)
                image.make_modules(pathlib.Path(tree), kernel.name, MODULES, made / 'modules.cpio')
            with tempfile.TemporaryDirectory(dir=making) as tree:
                shutil.copy(HERE / 'init', tree)
                os.chmod(f'{tree}/init', 0o755)
                packed = (made / 'modules.cpio').read_bytes() + image.pack(pathlib.Path(tree))
                (made / 'initrd').write_bytes(packed)
            image.call(*AS_ROOT, '/sbin/mke2fs', '-q', '-t', 'ext4', '-d', root, made / 'root.ext4', SIZE)
            image.call(*AS_ROOT, 'chmod', '644', made / 'root.ext4')
        finally:
            image.call(*AS_ROOT, 'rm', '-rf', root)
        made.rename(to)


if __name__ == '__main__':
    try:
        if sys.argv[1:] == ['--where']:
            print(folder())
        elif not folder().exists():
            make(folder())
    except RigError as error:
        sys.exit(str(error))
