#!/usr/bin/env python3
"""Predicts ten settings in shards: on this machine, or on a Dask cluster that runs already.

    pip install 'blepera[sweep]'                    # on a cluster also where the scheduler and the workers run
    python3 sweep.py
    python3 sweep.py tcp://scheduler:8786

The folder `sweep` has the shards that are done, the table and the curves. If the sweep is interrupted, run it again: it
continues there. The scheduler starts a shard again whose worker is lost, and gives it up when more workers are lost than
`distributed.scheduler.allowed-failures`, 3 by default. Where workers are often preempted, start the scheduler with
DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES=20.
"""

import sys

import blepera

SETTINGS = {
    'profile': ['heart-rate'],
    'state': ['foreground', 'background'],
    'preset': ['esphome', 'esphome-30', 'bermuda', 'bluez-discovery', 'android-low-power'],
}


def main() -> None:
    client = None
    if len(sys.argv) > 1:
        from distributed import Client

        client = Client(sys.argv[1])
    result = blepera.sweep(SETTINGS, client, folder='sweep', trials=100_000, shards=16, seed=1)
    print(result.table)
    if result.missing:
        sys.exit(f'{len(result.missing)} shards are missing; run this again')


if __name__ == '__main__':
    main()
