"""The paths of the `blepera` command and of the files of this package."""

from __future__ import annotations

import os
import pathlib
import shutil
import sys
import sysconfig
from typing import Any

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


def option_words(options: dict[str, Any]) -> list[str]:
    """The words of a command line: `{'ios': 14, 'quiet': True}` is `--ios 14 --quiet`; None and False are left out.

    A `_` is a `-`, but at the end of a name that is a keyword of Python: `from_`.
    """
    words: list[str] = []
    for name, value in options.items():
        option = '--' + name.rstrip('_').replace('_', '-')
        if value is True:
            words.append(option)
        elif isinstance(value, (list, tuple)):
            words += [word for one in value for word in (option, str(one))]
        elif value is not None and value is not False:
            words += [option, str(value)]
    return words
