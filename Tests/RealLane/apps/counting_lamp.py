"""The lamp with a counter that keeps counting, whatever state the phone reports for the app."""

import json
import pathlib
import runpy
import threading
import time


def count() -> None:
    number = 0
    while True:
        number += 1
        print(json.dumps({'count': number}), flush=True)
        time.sleep(0.05)


threading.Thread(target=count, daemon=True).start()
runpy.run_path(str(pathlib.Path(__file__).with_name('lamp.py')), run_name='__main__')
