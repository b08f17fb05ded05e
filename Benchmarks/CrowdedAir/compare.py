"""Compares the crowds of two commits, built both and run alternately:

    Benchmarks/CrowdedAir/compare.py REVISION [--runs N]

REVISION is the commit to compare this tree with; it is built in a folder of its own below .build. For each crowd stands
the processor time of both, the least of the runs, and the speed of this tree as a share of the other's.
"""
import argparse
import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition(':')[0])
    parser.add_argument('revision')
    parser.add_argument('--runs', type=int, default=3)
    options = parser.parse_args()
    other = ROOT / '.build/compared'
    subprocess.run(['git', '-C', ROOT, 'worktree', 'remove', '--force', other], capture_output=True)
    subprocess.run(['git', '-C', ROOT, 'worktree', 'add', '--force', '--detach', other, options.revision], check=True)
    try:
        programs = [build(other), build(ROOT)]
        times = [{}, {}]
        for _ in range(options.runs):
            for program, found in zip(programs, times, strict=True):
                for crowd, time in run(program):
                    found[crowd] = min(time, found.get(crowd, time))
    finally:
        subprocess.run(['git', '-C', ROOT, 'worktree', 'remove', '--force', other], check=True)
    for crowd in times[0].keys() & times[1].keys():
        before, after = times[0][crowd], times[1][crowd]
        print(f'{crowd:48} {before:8.3f} s  {after:8.3f} s  {before / after:6.2f}')


def build(folder):
    command = ['swift', 'build', '-c', 'release', '--package-path', folder, '--product', 'CrowdedAir']
    subprocess.run(command, check=True)
    return folder / '.build/release/CrowdedAir'


def run(program):
    done = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True)
    for line in map(json.loads, done.stdout.splitlines()):
        if line['work'] == 'crowd':
            scanning = 'scanning' if line['scanning'] else 'not scanning'
            yield f'{line["phones"]:.0f} phones, {line["centrals"]:.0f} centrals {scanning}', line['time']


if __name__ == '__main__':
    main()
