"""A grid of settings of `blepera predict` on Dask: a cluster that runs already, or this machine."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import logging
import os
import pathlib
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from typing import Any

from .predict import PredictionEnded, PredictionError
from .program import find_program
from .shards import Run, Setting, Settings, Shard, ShardFolder, SweepError, expand, run_shard

log = logging.getLogger('blepera')


@dataclasses.dataclass(frozen=True)
class SweepResult:
    """The merged shards of the settings that are complete."""

    folder: pathlib.Path
    """The folder with the shards, and with `predictions.json`, `predictions.txt` and `predictions.svg`."""
    predictions: list[dict[str, Any]]
    table: str
    missing: dict[Shard, str]
    """The reason of each shard that is missing; the same sweep in the same folder runs these shards again."""


def sweep(
    settings: Settings, client: Any = None, *, folder: str | os.PathLike[str], trials: int = 20_000, shards: int = 16,
    seed: int = 1, program: str | None = None, progress: bool = True,
) -> SweepResult:
    """Runs `blepera predict` for each setting, in shards on Dask, and merges the shards.

    `settings` is a list of the options of `predict`, or a dictionary of lists, each combination of which is a setting.
    `client` is a `distributed.Client`; without a client the shards run on the processors of this machine. The shards that
    are done are in `folder`, and a sweep that has been interrupted continues there. `program` is the path of the command,
    on the client and on each worker. A worker that is lost is Dask's to replace; a shard whose workers are lost too often
    is missing from the result, and does not end the sweep.
    """
    distributed = _distributed()
    if trials < shards or shards < 1:
        raise ValueError(f'{trials} trials cannot be divided into {shards} shards; a shard has at least one trial')
    own = program or find_program()
    expanded, run = expand(settings), Run(program_version(own), program, trials, shards, seed)
    kept = ShardFolder(folder, expanded, run)
    missing: dict[Shard, str] = {}
    if wanted := kept.missing():
        with _client(distributed, client) as used:
            _refuse_others(distributed, used, own, run)
            missing = _run(distributed, used, expanded, run, kept, wanted, progress)
    table, predictions = kept.merge(own)
    return SweepResult(kept.path, predictions, table, missing)


def program_version(program: str | None) -> str:
    """The version of the command where this runs."""
    words = [program or find_program(), '--version']
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()


def _distributed() -> Any:
    try:
        return importlib.import_module('distributed')
    except ImportError as error:
        raise SweepError(f'a sweep needs Dask ({error}): pip install blepera[sweep]') from None


@contextlib.contextmanager
def _client(distributed: Any, client: Any) -> Iterator[Any]:
    """The client of the user, or one with a worker in this process, which runs a program on each processor."""
    if client is not None:
        if client.asynchronous:
            raise ValueError('sweep blocks until the sweep is done; give a client without asynchronous=True')
        yield client
        return
    processors = len(os.sched_getaffinity(0))
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=processors, processes=False, dashboard_address='127.0.0.1:0',
        silence_logs=logging.CRITICAL,  # what fails on a worker is raised, or in the result
    ) as cluster, distributed.Client(cluster) as own:
        yield own


def _refuse_others(distributed: Any, client: Any, program: str, run: Run) -> None:
    """Raises SweepError if the scheduler or a worker has no blepera or another version; the shards compare again."""
    refused: dict[str, str] = {}
    try:
        client.run_on_scheduler(_nothing)
    except Exception as error:  # noqa: BLE001, whatever the scheduler lacks
        refused['the scheduler'] = f'{type(error).__name__}: {error}'
    else:
        for worker, found in client.run(program_version, run.program, on_error='return').items():
            if isinstance(found, distributed.comm.CommClosedError):
                continue  # the worker is lost
            if isinstance(found, Exception):
                refused[worker] = f'{type(found).__name__}: {found}'
            elif found != run.version:
                refused[worker] = f'blepera {found}'
    if refused:
        others = '; '.join(f'{where}: {what}' for where, what in refused.items())
        raise SweepError(f'a sweep needs blepera {run.version}, which {program} is, everywhere; elsewhere there is {others}')


def _nothing() -> None:
    """Shows that this module can be imported."""


def _submit(client: Any, settings: list[Setting], run: Run, wanted: list[Shard]) -> dict[Any, tuple[Any, Shard]]:
    """The future of each shard, by its key."""
    prefix = f'blepera-shard-{uuid.uuid4().hex[:8]}'  # a sweep that failed may have left equal keys on the scheduler
    running: dict[Any, tuple[Any, Shard]] = {}
    for index, setting in enumerate(settings):
        shards = [shard for shard in wanted if shard.setting == index]
        keys = [(prefix, *shard) for shard in shards]
        for future, shard in zip(client.map(run_shard, shards, setting=setting, run=run, key=keys), shards):
            running[future.key] = future, shard
    return running


def _run(
    distributed: Any, client: Any, settings: list[Setting], run: Run, kept: ShardFolder, wanted: list[Shard], progress: bool
) -> dict[Shard, str]:
    """Runs the shards and keeps the output of each one as it comes; returns the reasons of those that are missing."""
    missing: dict[Shard, str] = {}
    running = _submit(client, settings, run, wanted)
    shown = _Progress(len(wanted)) if progress else None
    try:
        for future in distributed.as_completed([future for future, _ in running.values()]):
            _, shard = running.pop(future.key)
            if future.status == 'cancelled':
                raise SweepError(f'the scheduler has lost the sweep; the same sweep in {kept.path} continues it')
            try:
                text = future.result()
            except PredictionEnded as error:
                missing[shard] = str(error)
            except PredictionError as error:
                raise SweepError(f'setting {shard.setting}, shard {shard.number}/{run.shards}: {error}') from None
            except Exception as error:  # noqa: BLE001, KilledWorker, or what the worker lacks
                missing[shard] = f'{type(error).__name__}: {error}'
            else:
                kept.keep(shard, text)
            if shard in missing:
                log.warning('setting %d, shard %d/%d is missing: %s', *shard, run.shards, missing[shard])
            if shown:
                shown.step(len(missing))
    finally:
        if shown:
            shown.end()
        client.cancel([future for future, _ in running.values()])
    return missing


class _Progress:
    """A line on standard error: of a terminal it is replaced, otherwise there is a line for each tenth of the sweep."""

    def __init__(self, total: int) -> None:
        self._total, self._done, self._shown = total, 0, 0
        self._start = time.monotonic()
        self._is_terminal = sys.stderr.isatty()

    def step(self, missing: int) -> None:
        self._done += 1
        tenth = self._done * 10 // self._total
        if not self._is_terminal and tenth == self._shown:
            return
        self._shown = tenth
        left = (time.monotonic() - self._start) / self._done * (self._total - self._done)
        text = f'{self._done} of {self._total} shards, {missing} missing, {_duration(left)} left'
        sys.stderr.write(f'\r\x1b[K{text}' if self._is_terminal else f'{text}\n')
        sys.stderr.flush()

    def end(self) -> None:
        if self._is_terminal and self._done:
            print(file=sys.stderr)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f'{minutes // 60}:{minutes % 60:02}:{rest:02}'
