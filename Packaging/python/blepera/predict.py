"""`blepera predict`: how long until a scanner finds a phone."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
from collections.abc import Sequence
from typing import Any, Union

from .program import find_program, option_words, shipped_profiles

PathOrName = Union[str, 'os.PathLike[str]']


class PredictionError(Exception):
    """`blepera predict` refuses its options, or has failed; the message is the command's."""


class PredictionEnded(PredictionError):
    """A signal has ended `blepera predict`; the same options may succeed at another time."""


def predict(
    profile: PathOrName | Sequence[PathOrName] = (), *, program: str | None = None, **options: Any
) -> list[dict[str, Any]]:
    """The predictions of `blepera predict --json`, one for each combination of the options; equal seeds give equal ones.

    `profile` is a path or the name of a shipped profile, or a list of these. Keywords are options of the command:
    `state='background'`, `preset=['esphome', 'bermuda']`, `from_='scan-start'`.
    """
    paths = [str(find_profile(one)) for one in profile_list(profile)]
    document = json.loads(run_predict(program or find_program(), [*paths, *option_words(options), '--json']))
    predictions: list[dict[str, Any]] = document['predictions']
    return predictions


def run_predict(program: str, words: list[str], folder: PathOrName | None = None) -> str:
    """The output of the command, in a folder; raises PredictionError with the command's message."""
    done = subprocess.run(
        [program, 'predict', *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=folder)
    if done.returncode < 0 or done.returncode > 128:
        raise PredictionEnded(f'signal {done.returncode % 128 if done.returncode > 0 else -done.returncode} has ended blepera')
    if done.returncode:
        raise PredictionError(done.stderr.strip().removeprefix('error: ') or f'blepera predict has failed: {words}')
    return done.stdout


def profile_list(given: PathOrName | Sequence[PathOrName]) -> list[PathOrName]:
    return [given] if isinstance(given, (str, os.PathLike)) else list(given)


def find_profile(name: PathOrName) -> pathlib.Path:
    """The path of a profile that is given by its path or, if it is a shipped one, by its name."""
    shipped = shipped_profiles()
    path = pathlib.Path(name)
    if path.exists() or (path := shipped.get(str(name), path)).exists():
        return path
    raise PredictionError(f"there is no profile {path}, and none of blepera's own has that name: {', '.join(shipped)}")
