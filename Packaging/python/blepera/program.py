"""The paths of the `blepera` command and of the files of this package."""

from __future__ import annotations

import os
import pathlib
import shutil
import sys
import sysconfig

FOLDER = pathlib.Path(__file__).resolve().parent


class NoProgram(Exception):
    """The `blepera` command is not installed."""


def find_program() -> str:
    """The path of the `blepera` command: beside this Python, or on PATH."""
    folders = [sysconfig.get_path('scripts'), sysconfig.get_path('scripts', 'posix_user')]
    scripts = [pathlib.Path(sys.executable).parent, *map(pathlib.Path, folders)]
    for folder in scripts:
        if os.access(folder / 'blepera', os.X_OK):
            return str(folder / 'blepera')
    if found := shutil.which('blepera'):
        return found
    raise NoProgram(f'there is no program blepera in {scripts[0]} or on PATH')


def shipped_profiles() -> dict[str, pathlib.Path]:
    """The profiles of this package by name, such as `heart-rate`; the wheel has them beside it, a clone at its root."""
    is_in_clone = FOLDER.parts[-3:] == ('Packaging', 'python', 'blepera')
    folder = (FOLDER.parents[2] if is_in_clone else FOLDER) / 'profiles'
    return {path.stem: path for path in sorted(folder.glob('*.plist'))}
