"""A web page, in an unmodified Chromium, meets a phone by Web Bluetooth: examples/web."""

import functools
import http.server
import pathlib
import tempfile
import threading
import time

import pytest
from blepera_tests.paths import ROOT
from browser import Browser
from program import TIMEOUT

# On Linux Chromium has Web Bluetooth behind a flag.
OPTIONS = ['--enable-features=WebBluetooth', '--enable-experimental-web-platform-features']


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_) -> None:
        pass


@pytest.fixture
def page():
    """The address of the example: Web Bluetooth wants HTTPS or this machine."""
    handler = functools.partial(Quiet, directory=ROOT / 'examples/web')
    with http.server.ThreadingHTTPServer(('127.0.0.1', 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f'http://localhost:{server.server_address[1]}/'
        server.shutdown()
        thread.join()


@pytest.fixture
def chromium(lab, page):
    """Starts a lab, and a browser in it that shows the page."""
    browsers = []

    def start(*options: str) -> Browser:
        lab('heart-rate', options=options, is_private=True)
        folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        browser = Browser(pathlib.Path(folder.name), *OPTIONS)
        browsers.append((browser, folder))
        browser.call('DeviceAccess.enable')
        browser.call('Page.navigate', url=page)
        browser.wait_for('Page.loadEventFired')
        assert browser.run('navigator.bluetooth.getAvailability()')
        return browser

    yield start
    for browser, folder in browsers:
        browser.close()
        folder.cleanup()


def offered(browser: Browser, seconds: float = TIMEOUT) -> dict | None:
    """The dialog in which the browser's user chooses a device, once there is one to choose."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        browser.run('1')
        for event in browser.events:
            if event.get('method') == 'DeviceAccess.deviceRequestPrompted' and event['params']['devices']:
                return event['params']
        time.sleep(0.05)
    return None


def wait_for_text(browser: Browser, selector: str, words: str) -> str:
    deadline = time.monotonic() + TIMEOUT
    while words not in (text := browser.run(f'document.querySelector("{selector}").textContent')):
        assert time.monotonic() < deadline, f'{selector}: {text}'
        time.sleep(0.05)
    return text


def choose_and_watch(browser: Browser) -> dict:
    """Connects to the one device that the page finds, which is returned, and sees its beats."""
    browser.click('#connect')
    prompt = offered(browser)
    assert prompt is not None
    [device] = prompt['devices']
    browser.call('DeviceAccess.selectPrompt', id=prompt['id'], deviceId=device['id'])
    assert 60 <= int(wait_for_text(browser, '#beats', 'beats').split()[0]) <= 100
    assert browser.run('document.querySelector("#place").textContent') == 'chest'
    return device


def test_an_app_in_the_foreground(chromium):
    assert choose_and_watch(chromium())['name'] == 'Heart Rate'


def test_an_app_in_the_background_is_found_by_its_bit_alone(chromium):
    browser = chromium('--background')
    browser.run('filters = [foreground]')
    browser.click('#connect')
    assert offered(browser, 2) is None
    assert browser.run('document.querySelector("#beats").textContent') == ''  # it searches still
    browser.run('filters = [foreground, background]')
    choose_and_watch(browser)
