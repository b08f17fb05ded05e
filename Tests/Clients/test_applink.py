"""The lines that docs/applink.md shows: against the schemas, and those of the central role as they are sent."""

import json
import re
import socket

from blepera import Lab
from blepera_tests.paths import ROOT, profile_path
from program import TIMEOUT
from test_schemas import validate

PAGE = (ROOT / 'docs/applink.md').read_text()
LINES = re.findall(r'^    (->|<-) (.*)$', PAGE, re.MULTILINE)
CENTRAL = re.findall(r'^    (->|<-) (.*)$', PAGE[PAGE.index('## The central role'):PAGE.index('## L2CAP')], re.MULTILINE)
# Messages that may arrive at any time, and that the page does not show each time.
OTHERS = {'didChangeState', 'didUpdateState'}


def test_the_lines_of_the_page_are_messages():
    assert len(LINES) > 30
    for direction, line in LINES:
        validate(json.loads(line), 'applink-app' if direction == '->' else 'applink-phone')


def normal(value):
    """The value without parts that differ from run to run: the signal strength, the heart rate, and the time."""
    if isinstance(value, dict):
        return {name: normal(one) if name not in ('rssi', 'timestamp', 'value') else '...' for name, one in value.items()}
    return [normal(one) for one in value] if isinstance(value, list) else value


def notifies(message: dict) -> bool:
    return 'didUpdateValue' in str(message)


def test_the_central_role_is_as_the_page_shows(blepera):
    accessory = ROOT / 'profiles/accessories/heart-strap.plist'
    with Lab([profile_path('heart-rate')], program=blepera, accessory=accessory, link_interval=7.5) as lab:
        path = f'{lab.environment["BLEPERA_RUNTIME_DIR"]}/{lab.phone.name}.socket'
        app = lines = None
        for direction, line in CENTRAL:
            message = json.loads(line)
            if 'hello' in message:
                if app:
                    app.shutdown(socket.SHUT_RDWR)
                    lab.phone.wait_for('preserved', app='org.example.watch')
                app = socket.socket(socket.AF_UNIX)
                app.settimeout(TIMEOUT)
                app.connect(path)
                # The file is not for writing too: Python's text streams would then discard lines that they have read.
                lines = app.makefile()
            if direction == '->':
                app.sendall(f'{line}\n'.encode())
                continue
            while normal(received := json.loads(lines.readline())) != normal(message):
                validate(received, 'applink-phone')
                assert OTHERS & set(received) or notifies(received), f'{received}, not {message}'
        app.close()
