"""`wait_for` of phones and labs: each call begins where the last one has found its event."""

import threading

import pytest
from blepera import Lab
from blepera.events import Events
from blepera_tests.paths import profile_path


class Phone:
    """Events as a lab reads them."""

    def __init__(self, *names: str):
        self.changed = threading.Condition()
        self.has_ended = False
        self.events = Events(self.changed, lambda: self.has_ended)
        for name in names:
            self.report(name)

    def report(self, name: str) -> None:
        with self.changed:
            self.events.append({'event': name, 'number': len(self.events._all), 'time': '2026-01-01T12:00:00.000Z'})
            self.changed.notify_all()

    def number(self, name: str, since: int | None = None, timeout: float = 20, **fields) -> object:
        return self.events.wait_for(name, timeout, since, fields)['number']


def test_each_call_begins_after_the_event_that_the_last_one_has_returned():
    phone = Phone('a', 'b', 'a', 'a')
    assert [phone.number('a') for _ in range(3)] == [0, 2, 3]


def test_since_is_another_place():
    phone = Phone('a', 'b', 'a', 'b')
    assert phone.number('b') == 1
    assert phone.number('a', since=0) == 0
    assert phone.number('b', since=2) == 3
    assert phone.number('a', since=1, number=2) == 2


def test_an_event_to_come():
    phone = Phone('a')
    assert phone.number('a') == 0
    later = threading.Timer(0.1, phone.report, ['a'])
    later.start()
    assert phone.number('a') == 1
    later.join()


@pytest.mark.parametrize(
    ('names', 'first', 'wanted', 'text'),
    [
        (['a'], None, 'b', 'no event b x=1 within 0 s'),
        (['b', 'a'], 'a', 'c', 'no event c x=1 within 0 s after the event a of 12:00:00.000'),
    ])
def test_what_is_reported_without_an_event(names, first, wanted, text):
    phone = Phone(*names)
    if first:
        phone.number(first)
    with pytest.raises(TimeoutError) as raised:
        phone.number(wanted, timeout=0, x=1)
    assert str(raised.value) == text


def test_an_earlier_event_is_pointed_out():
    phone = Phone('b', 'a')
    phone.number('a')
    phone.has_ended = True
    with pytest.raises(TimeoutError, match='; an earlier one is there, which since=0 finds$'):
        phone.number('b')


def test_phones_and_their_lab_have_places_of_their_own(blepera):
    with Lab([profile_path('heart-rate'), profile_path('smart-lock')], program=blepera) as lab:
        first, second = lab.phones.values()
        for phone in (first, second):
            phone.background()
            assert phone.wait_for('state', state='background')['phone'] == phone.name
        assert lab.wait_for('state', state='background')['phone'] == first.name
        assert lab.wait_for('state', state='background')['phone'] == second.name
        first.foreground()
        first.wait_for('state', state='foreground')
        with pytest.raises(TimeoutError, match='which since=0 finds'):
            first.wait_for('state', state='background', timeout=0.1)
        assert {event['phone'] for event in second.events} == {second.name}
