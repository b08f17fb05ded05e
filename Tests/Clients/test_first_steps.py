"""The way from `blepera` without arguments to a phone that is found: three commands, each named by the one before."""

import os
import signal
import subprocess

from program import Program


def test_three_commands(blepera, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = subprocess.run([blepera], capture_output=True, text=True)
    assert done.returncode == 0
    first = next(line.split() for line in done.stdout.splitlines() if line.startswith('  blepera '))
    assert first[:2] == ['blepera', 'init']
    done = subprocess.run([blepera, *first[1:]], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    second = done.stderr.splitlines()[-1].removeprefix('Try it: ').split()
    assert second[:3] == ['blepera', 'serve', '--virtual']
    environment = {**os.environ, 'XDG_RUNTIME_DIR': str(tmp_path), 'BLEPERA_RUNTIME_DIR': ''}
    serve = Program(blepera, *second[1:], env=environment)
    assert '"Heart"' in serve.line('discovered')
    assert serve.end(signal.SIGINT) == 0
