"""The listener beside an iPad, terminated by the system and quit by the user. Run with: pytest"""

import pathlib
import time
from collections.abc import Callable

import pytest
from blepera import PhoneError

PHRASE, TEXT = '3C0E5D11-9B3E-4F4B-8A53-1D2F6C7A8B90', 'Say something cool!'

pytestmark = pytest.mark.blepera(profile='ipad.plist', app=['.build/debug/phrase-listener'], device_name='iPad')


def wait_for(line: str, read: Callable[[], list[str]]) -> list[str]:
    """The lines up to one that ends so."""
    for _ in range(100):
        lines = read()
        if any(each.endswith(line) for each in lines):
            return lines
        time.sleep(0.1)
    raise TimeoutError(f'{line} in {lines}')


@pytest.fixture
def ipad(blepera_lab):
    """The iPad, once the listener has subscribed."""
    wait_for('didUpdateNotificationState true', lambda: blepera_lab.messages)
    return blepera_lab.phones['phrases']


@pytest.fixture
def iphone(blepera_lab):
    return blepera_lab.phones['phrase-listener']


@pytest.fixture
def log(blepera_lab):
    """The lines of processes that the phone has started."""
    log = pathlib.Path(blepera_lab.environment['BLEPERA_STATE_DIR'], 'blepera/phrase-listener/apps/phrase-listener.log')
    return lambda: log.read_text().splitlines() if log.exists() else []


def test_a_phrase_relaunches_the_app_that_the_system_has_terminated(ipad, iphone, log):
    iphone.terminate()
    ipad.notify(PHRASE, TEXT.encode())
    iphone.wait_for('relaunching')
    assert wait_for(f'didUpdateValue {TEXT}', log) == [
        'background willRestoreState iPad', 'background didUpdateState 5', f'background didUpdateValue {TEXT}']


def test_the_app_that_the_user_has_quit_waits_for_the_user(ipad, iphone, log):
    iphone.quit()
    ipad.wait_for('disconnected')
    with pytest.raises(PhoneError, match='no central is subscribed'):
        ipad.notify(PHRASE, TEXT.encode())
    time.sleep(1)
    assert log() == [] and 'relaunching' not in [event['event'] for event in iphone.events]
    iphone.launch()
    wait_for('didUpdateNotificationState true', log)
    ipad.notify(PHRASE, TEXT.encode())
    assert [line.split(' ', 1)[1] for line in wait_for(f'didUpdateValue {TEXT}', log)] == [
        'didUpdateState 5', 'didDiscover iPad', 'didConnect', 'didDiscoverServices 1', 'didDiscoverCharacteristics 1',
        'didUpdateNotificationState true', f'didUpdateValue {TEXT}']
