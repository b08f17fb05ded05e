"""The shards of a sweep: what each runs, and the folder that keeps its output."""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import json
import os
import pathlib
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Union

from .predict import PredictionError, find_profile, profile_list, run_predict
from .program import find_program, option_words

Options = Mapping[str, Any]
Settings = Union[Options, Sequence[Options]]
OWN_OPTIONS = {'compare', 'json', 'merge', 'program', 'run', 'seed', 'shard', 'svg', 'trials'}
"""The options that a sweep has for all of its settings."""


class SweepError(Exception):
    """A sweep cannot begin or continue; the message says what to do."""


class Shard(NamedTuple):
    setting: int
    """The index of the setting, from 0."""
    number: int
    """The part of its trials, from 1."""

    @property
    def file(self) -> str:
        return f'{self.setting}-{self.number}.jsonl'


class Setting(NamedTuple):
    """One command line of `blepera predict`, whose profiles go to the worker."""

    profiles: tuple[tuple[str, bytes], ...]
    """The name of each file, and its contents."""
    words: tuple[str, ...]

    @classmethod
    def of(cls, options: Options) -> Setting:
        if own := OWN_OPTIONS & {name.rstrip('_') for name in options}:
            raise ValueError(f'a sweep has {", ".join(sorted(own))} for all of its settings, and no setting its own')
        paths = [find_profile(one) for one in profile_list(options.get('profile', ()))]
        if len({path.name for path in paths}) < len(paths):
            raise ValueError(f'two profiles of a setting have one name: {", ".join(map(str, paths))}')
        words = option_words({name: value for name, value in options.items() if name != 'profile'})
        return cls(tuple((path.name, path.read_bytes()) for path in paths), tuple(words))


@dataclasses.dataclass(frozen=True)
class Run:
    """The part of a sweep that all of its shards share."""

    version: str
    """The version of blepera, on the client and on every worker."""
    program: str | None
    """The path of the command on each worker; None for the one that `find_program` finds there."""
    trials: int
    shards: int
    seed: int

    def words(self, setting: Setting, shard: Shard) -> list[str]:
        names = [name for name, _ in setting.profiles]
        return [
            *names, *setting.words, '--trials', str(self.trials), '--seed', str(self.seed),
            '--run', str(shard.setting + 1), '--shard', f'{shard.number}/{self.shards}']


def expand(settings: Settings) -> list[Setting]:
    """The settings of a list of options, or of a grid: each combination of the values of a dictionary of lists."""
    if isinstance(settings, Mapping):
        values = [value if isinstance(value, (list, tuple)) else [value] for value in settings.values()]
        settings = [dict(zip(settings, chosen)) for chosen in itertools.product(*values)]
    if not settings:
        raise ValueError('the sweep has no settings')
    expanded = [Setting.of(options) for options in settings]
    if len(set(expanded)) < len(expanded):
        raise ValueError('two settings of the sweep are equal')
    return expanded


def run_shard(shard: Shard, setting: Setting, run: Run) -> str:
    """The lines that `blepera predict --shard` prints, on the worker where this runs."""
    with tempfile.TemporaryDirectory(prefix='blepera-') as folder:
        for name, contents in setting.profiles:
            (pathlib.Path(folder) / name).write_bytes(contents)
        text = run_predict(run.program or find_program(), run.words(setting, shard), folder)
    expected = run.version, run.trials, f'{shard.number}/{run.shards}'
    for line in text.splitlines():
        part = json.loads(line)
        found = part['version'], part['trials'], part['shard']
        if found != expected:
            raise PredictionError(f'the shard has the version, trials and number {found}, not {expected}')
    return text


class ShardFolder:
    """The folder of a sweep: `sweep.json` describes the sweep, and `shards` has a file for each shard that is done."""

    def __init__(self, path: str | os.PathLike[str], settings: list[Setting], run: Run) -> None:
        self.path = pathlib.Path(path)
        self._shards = [Shard(index, number) for index in range(len(settings)) for number in range(1, run.shards + 1)]
        self._parts = self.path / 'shards'
        self._begin({
            'blepera': run.version, 'trials': run.trials, 'shards': run.shards, 'seed': run.seed,
            'settings': [
                {'options': list(one.words),
                 'profiles': {name: hashlib.sha256(contents).hexdigest() for name, contents in one.profiles}}
                for one in settings],
        })

    def _begin(self, description: dict[str, Any]) -> None:
        """Creates the folder, or continues in the folder of the same sweep."""
        file = self.path / 'sweep.json'
        self.path.mkdir(parents=True, exist_ok=True)
        if not file.exists():
            if any(not one.name.startswith('.') for one in self.path.iterdir()):
                raise SweepError(f'the folder {self.path} is not empty and has no sweep; name another folder')
            _write(file, json.dumps(description, indent=2) + '\n')
        try:
            found = json.loads(file.read_text())
        except ValueError as error:
            raise SweepError(f'{file} is damaged ({error}); name another folder') from None
        if found != description:
            other = [name for name, value in description.items() if not isinstance(found, dict) or found.get(name) != value]
            raise SweepError(f'the folder {self.path} has another sweep, with other {", ".join(other)}; name another folder')
        self._parts.mkdir(exist_ok=True)

    def missing(self) -> list[Shard]:
        """The shards that are not done."""
        done = {path.name for path in self._parts.iterdir()}
        return [shard for shard in self._shards if shard.file not in done]

    def keep(self, shard: Shard, text: str) -> None:
        _write(self._parts / shard.file, text)

    def merge(self, program: str) -> tuple[str, list[dict[str, Any]]]:
        """Merges the settings whose shards are all done; writes and returns the table and the predictions."""
        incomplete = {shard.setting for shard in self.missing()}
        files = [shard.file for shard in self._shards if shard.setting not in incomplete]
        if not files:
            return '', []
        table = run_predict(program, ['--merge', *files, '--svg', '../predictions.svg'], self._parts)
        text = run_predict(program, ['--merge', *files, '--json'], self._parts)
        _write(self.path / 'predictions.txt', table)
        _write(self.path / 'predictions.json', text)
        predictions: list[dict[str, Any]] = json.loads(text)['predictions']
        return table, predictions


def _write(path: pathlib.Path, text: str) -> None:
    """Writes a file that is there as a whole or not at all, also after a loss of power."""
    part = path.with_name(f'.{path.name}.{os.getpid()}')
    with part.open('w') as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(part, path)
