"""Measures Dask's overhead on a sweep of a minute on two workers, and the cost of a shard: see Benchmarks/README.md.

    Scripts/python-of clients Benchmarks/Discovery/sweep.py [--blepera PROGRAM] [--seconds 60]

The sweep and the same commands in two threads run alternately; both keep the shards and merge them. The overhead is the
share of the sweep's time that the threads do not need. The cluster is there before the sweep, as one that somebody runs.
"""

import argparse
import pathlib
import statistics
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT / 'Packaging/python'))

import blepera
from blepera.shards import Run, Shard, ShardFolder, expand, run_shard
from blepera.sweep import program_version
from distributed import Client, LocalCluster

GRID = {'interval': [1022.5, 182.5], 'preset': ['esphome', 'esphome-30', 'bermuda', 'android-low-power']}
SHARDS = 16
ROUNDS = 3
MANY = 250  # shards of each setting, for the cost of a shard
MANY_TRIALS = 250_000
EMPTY = """#!/bin/sh
case "$*" in
  --version) echo empty;;
  *--json*) echo '{"predictions": []}';;
  *--shard*) echo "{\\"version\\": \\"empty\\", \\"trials\\": 20000, \\"shard\\": \\"${*##*--shard }\\"}";;
esac
"""


def threads(program: str, folder: pathlib.Path, trials: int, shards: int) -> float:
    """The seconds of all shards and the merge, in two threads."""
    start = time.perf_counter()
    settings, run = expand(GRID), Run(program_version(program), program, trials, shards, 1)
    kept = ShardFolder(folder, settings, run)

    def perform(shard: Shard) -> None:
        kept.keep(shard, run_shard(shard, settings[shard.setting], run))

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(perform, kept.missing()))
    kept.merge(program)
    return time.perf_counter() - start


def dask(program: str, folder: pathlib.Path, trials: int, shards: int, client: Client) -> float:
    start = time.perf_counter()
    result = blepera.sweep(
        GRID, client, folder=folder, trials=trials, shards=shards, program=program, progress=False)
    assert not result.missing
    return time.perf_counter() - start


def measure(program: str, folder: pathlib.Path, trials: int, shards: int, client: Client) -> tuple[float, float]:
    """The medians of both, in seconds."""
    plain, swept = [], []
    for number in range(ROUNDS):
        plain.append(threads(program, folder / f'threads-{number}', trials, shards))
        swept.append(dask(program, folder / f'dask-{number}', trials, shards, client))
    return statistics.median(plain), statistics.median(swept)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument('--blepera', default=str(ROOT / '.build/release/blepera'))
    parser.add_argument('--seconds', type=float, default=60)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix='blepera-sweep-') as name, LocalCluster(
        n_workers=2, threads_per_worker=1, host='127.0.0.1', dashboard_address='127.0.0.1:0'
    ) as cluster, Client(cluster) as client:
        folder = pathlib.Path(name)
        # The starts of the programs, and then the trials of some seconds more.
        starts, some = threads(options.blepera, folder / 'starts', SHARDS, SHARDS), 5_000_000
        took = threads(options.blepera, folder / 'some', some, SHARDS) - starts
        trials = round(some * (options.seconds - starts) / took)
        plain, swept = measure(options.blepera, folder, trials, SHARDS, client)
        settings = len(expand(GRID))
        print(f'{settings} settings of {trials} trials in {SHARDS} shards: {plain:.1f} s in two threads, {swept:.1f} s on Dask, '
              f'an overhead of {swept / plain - 1:+.1%}', flush=True)

        (folder / 'empty').write_text(EMPTY)
        (folder / 'empty').chmod(0o755)
        (folder / 'shards').mkdir()
        files = settings * MANY
        plain, swept = (1000 * one / files for one in measure(str(folder / 'empty'), folder / 'shards', 20_000, MANY, client))
        print(f'a shard of a program that does nothing: {plain:.2f} ms in two threads, {swept:.2f} ms on Dask', flush=True)

        threads(options.blepera, folder / 'many', MANY_TRIALS, MANY)
        run = Run(program_version(options.blepera), options.blepera, MANY_TRIALS, MANY, 1)
        start = time.perf_counter()
        ShardFolder(folder / 'many', expand(GRID), run).merge(options.blepera)
        took = time.perf_counter() - start
        print(f'merging {files} files of {MANY_TRIALS // MANY} trials, for the table and for JSON: {took:.2f} s')


if __name__ == '__main__':
    main()
