"""`blepera clone` in a lab."""

import subprocess

PHONE = '00:AA:01:00:00:01'


def test_clone_keeps_a_file_that_exists(lab, blepera, tmp_path):
    lab('heart-rate')
    file = tmp_path / 'clone.plist'
    words = [blepera, 'clone', PHONE, '--output', str(file)]
    assert subprocess.run(words, capture_output=True).returncode == 0
    cloned = file.read_bytes()
    again = subprocess.run(words, capture_output=True, text=True)
    assert (again.returncode, file.read_bytes()) == (1, cloned)
    assert str(file) in again.stderr
