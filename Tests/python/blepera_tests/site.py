"""The Python package of the project where pytest finds its plugin, as in an environment with the wheel."""

import pathlib
import shutil

from .paths import ROOT


def make_site(folder: pathlib.Path) -> pathlib.Path:
    """A folder for PYTHONPATH."""
    shutil.copytree(ROOT / 'Packaging/python/blepera', folder / 'blepera', ignore=shutil.ignore_patterns('__pycache__'))
    about = folder / 'blepera-0.dist-info'
    about.mkdir()
    (about / 'METADATA').write_text('Metadata-Version: 2.1\nName: blepera\nVersion: 0\n')
    (about / 'entry_points.txt').write_text('[pytest11]\nblepera = blepera.plugin\n')
    return folder
