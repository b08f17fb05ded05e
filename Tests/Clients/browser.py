"""A headless Chromium, driven over the pipe of its DevTools protocol."""

import contextlib
import fcntl
import json
import os
import pathlib
import select
import shutil
import subprocess
import time

TIMEOUT = 60  # seconds; only how long a failing test waits
KEYS = {
    'ArrowDown': 40, 'ArrowUp': 38, 'ArrowLeft': 37, 'ArrowRight': 39, 'Home': 36, 'End': 35, 'Escape': 27, 'Enter': 13,
    'Tab': 9, 'PageDown': 34, 'PageUp': 33,
}


class Browser:
    """One tab, and what its page has reported and requested."""

    def __init__(self, folder: pathlib.Path, *options: str):
        program = shutil.which('chromium') or shutil.which('google-chrome')
        assert program, 'chromium is missing; Scripts/setup clients installs it'
        commands, self.commands = os.pipe()
        self.answers, answers = os.pipe()
        # The browser expects them as descriptors 3 and 4.
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 32) for end in (commands, answers)]

        def place() -> None:
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)

        words = [
            program, '--headless', '--remote-debugging-pipe', '--disable-gpu', '--no-first-run', '--disable-sync',
            '--disable-background-networking', '--disable-component-update', '--disable-dev-shm-usage',
            f'--user-data-dir={folder}', *(['--no-sandbox'] if os.geteuid() == 0 else []), *options,
            'about:blank',
        ]
        with (folder / 'chromium.log').open('w') as log:
            self.process = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, pass_fds=(3, 4), preexec_fn=place
            )
        for end in (*ends, commands, answers):
            os.close(end)
        self.rest = b''
        self.number = 0
        self.session = None
        self.events: list[dict] = []
        target = self.call('Target.createTarget', url='about:blank')['targetId']
        self.session = self.call('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        for domain in ('Page', 'Runtime', 'Log', 'Network'):
            self.call(f'{domain}.enable')

    def close(self) -> None:
        with contextlib.suppress(OSError, AssertionError):
            self.session = None
            self.call('Browser.close')
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.commands)
        os.close(self.answers)

    def read(self) -> dict:
        end = time.monotonic() + TIMEOUT
        while b'\0' not in self.rest:
            ready, _, _ = select.select([self.answers], [], [], max(0, end - time.monotonic()))
            chunk = os.read(self.answers, 1 << 20) if ready else b''
            assert chunk, 'the browser does not answer'
            self.rest += chunk
        line, self.rest = self.rest.split(b'\0', 1)
        return json.loads(line)

    def call(self, method: str, **parameters) -> dict:
        self.number += 1
        message = {'id': self.number, 'method': method, 'params': parameters}
        if self.session:
            message['sessionId'] = self.session
        os.write(self.commands, json.dumps(message).encode() + b'\0')
        while True:
            answer = self.read()
            if answer.get('id') == self.number:
                assert 'error' not in answer, f'{method}: {answer["error"]}'
                return answer['result']
            self.events.append(answer)

    def wait_for(self, method: str) -> None:
        while not any(event.get('method') == method for event in self.events):
            self.events.append(self.read())

    # A page

    def size(self, width: int, height: int = 900) -> None:
        self.call(
            'Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )

    def color_scheme(self, name: str) -> None:
        self.call('Emulation.setEmulatedMedia', features=[{'name': 'prefers-color-scheme', 'value': name}])

    def open(self, page: pathlib.Path, fragment: str = '') -> None:
        # A page of its own, also where only the fragment differs.
        for address in ('about:blank', f'file://{page}{fragment}'):
            self.events = []
            self.call('Page.navigate', url=address)
            self.wait_for('Page.loadEventFired')
        self.settle()

    def reload(self) -> None:
        self.events = [event for event in self.events if event.get('method') != 'Page.loadEventFired']
        self.call('Page.reload')
        self.wait_for('Page.loadEventFired')
        self.settle()

    def settle(self) -> None:
        """Until the page has drawn what it has to."""
        self.run('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))')

    def run(self, script: str):
        """The value of an expression."""
        result = self.call('Runtime.evaluate', expression=script, returnByValue=True, awaitPromise=True)
        assert 'exceptionDetails' not in result, result
        return result['result'].get('value')

    def press(self, *keys: str) -> None:
        for key in keys:
            code = KEYS.get(key, ord(key[0].upper()))
            text = {} if key in KEYS else {'text': key}
            self.call('Input.dispatchKeyEvent', type='keyDown', key=key, windowsVirtualKeyCode=code, **text)
            self.call('Input.dispatchKeyEvent', type='keyUp', key=key, windowsVirtualKeyCode=code)
        self.settle()

    def type(self, text: str) -> None:
        self.call('Input.insertText', text=text)
        self.settle()

    def click(self, selector: str, x: float | None = None) -> None:
        """In the middle, or at a distance from the left edge."""
        box = self.run(f"""(() => {{
            const node = document.querySelector({json.dumps(selector)});
            node.scrollIntoView({{ block: 'center' }});
            const box = node.getBoundingClientRect();
            return [box.left, box.top, box.width, box.height];
        }})()""")
        place = {'x': box[0] + (box[2] / 2 if x is None else x), 'y': box[1] + box[3] / 2}
        for kind in ('mousePressed', 'mouseReleased'):
            self.call('Input.dispatchMouseEvent', type=kind, button='left', clickCount=1, **place)
        self.settle()

    def complaints(self) -> list[str]:
        """The lines of the console, and exceptions."""
        self.run('1')
        kinds = ('Runtime.consoleAPICalled', 'Runtime.exceptionThrown', 'Log.entryAdded')
        return [json.dumps(event['params']) for event in self.events if event.get('method') in kinds]

    def requests(self) -> list[str]:
        self.run('1')
        return [
            event['params']['request']['url'] for event in self.events
            if event.get('method') == 'Network.requestWillBeSent'
        ]
