"""Shows the page to Chromium, chooses the first device that is offered, and prints what the page shows: python3 drive.py"""

import functools
import http.server
import pathlib
import threading

from playwright.sync_api import expect, sync_playwright

# On Linux Web Bluetooth is behind a flag.
FLAGS = ['--enable-features=WebBluetooth', '--enable-experimental-web-platform-features']


class Pages(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def choose(session, prompt):
    """Answers the dialog in which a user chooses a device; without a device there is no answer."""
    if prompt['devices']:
        device = prompt['devices'][0]
        session.send('DeviceAccess.selectPrompt', {'id': prompt['id'], 'deviceId': device['id']})


folder = pathlib.Path(__file__).parent
handler = functools.partial(Pages, directory=folder)
server = http.server.ThreadingHTTPServer(('localhost', 0), handler)  # HTTPS or localhost: Web Bluetooth wants one
threading.Thread(target=server.serve_forever, daemon=True).start()
with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path='/usr/bin/chromium', args=FLAGS)
    page = browser.new_page()
    session = page.context.new_cdp_session(page)
    session.on('DeviceAccess.deviceRequestPrompted', lambda prompt: choose(session, prompt))
    session.send('DeviceAccess.enable')
    page.goto(f'http://localhost:{server.server_address[1]}/')
    page.get_by_role('button', name='Connect').click()
    expect(page.locator('#beats')).to_contain_text('beats per minute', timeout=20_000)
    print(page.locator('#beats').text_content())
