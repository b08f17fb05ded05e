"""The page of `blepera report`, and of `--report`, in a real browser: its content against the trace and the program."""

import json
import pathlib
import subprocess
import tempfile
import urllib.parse

import pytest
from blepera_tests.paths import ROOT, SCENARIOS, profile_path
from browser import Browser

STORIES = ['killed-overnight', 'whole-mask', 'bit-collision', 'foreground-only', 'force-quit']


def run(blepera: str, *words: str, status: int = 0) -> subprocess.CompletedProcess:
    done = subprocess.run([blepera, *words], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == status, done.stdout + done.stderr
    return done


class Story:
    """A scenario that has been run, its trace and its page."""

    def __init__(self, blepera: str, name: str, folder: pathlib.Path):
        self.page = folder / f'{name}.html'
        trace = folder / f'{name}.jsonl'
        run(blepera, 'scenario', 'run', f'scenarios/{name}.plist', '--report', str(self.page), '--record', str(trace))
        self.header, *self.events = [json.loads(line) for line in trace.read_text().splitlines()]
        self.trace = trace
        report = json.loads(run(blepera, 'scenario', 'run', '--json', f'scenarios/{name}.plist').stdout)
        self.steps = report['scenarios'][0]['steps']


@pytest.fixture(scope='module')
def stories(blepera):
    with tempfile.TemporaryDirectory() as folder:
        yield {name: Story(blepera, name, pathlib.Path(folder)) for name in STORIES}


@pytest.fixture(scope='module')
def rules(blepera) -> dict[str, str]:
    """The sentences of the rules by their numbers."""
    return {rule['id']: rule['meaning'] for rule in json.loads(run(blepera, 'rules', '--json').stdout)['rules']}


@pytest.fixture(scope='module')
def chromium():
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(pathlib.Path(folder))
        yield browser
        browser.close()


@pytest.fixture
def browser(chromium):
    chromium.size(1280)
    chromium.color_scheme('light')
    yield chromium
    assert chromium.complaints() == []


def go_to(browser: Browser, fragment: str) -> None:
    browser.run(f'location.hash = {json.dumps(fragment)}')
    browser.settle()


def text(browser: Browser, selector: str) -> str:
    return browser.run(f'document.querySelector({json.dumps(selector)}).innerText')


def texts(browser: Browser, selector: str) -> list[str]:
    return browser.run(f'[...document.querySelectorAll({json.dumps(selector)})].map((one) => one.textContent)')


def selected(browser: Browser) -> str:
    return text(browser, '#details .when a')


def all_rows(browser: Browser) -> list[str]:
    """All rows of the list, of which the page has only those in view."""
    return browser.run("""(async () => {
        const list = document.querySelector('#list'), found = new Map();
        for (let top = 0; top <= list.scrollHeight; top += 200) {
            list.scrollTop = top;
            await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
            for (const row of list.querySelectorAll('.row')) found.set(Number(row.dataset.index), row.className);
        }
        return [...found.keys()].sort((a, b) => a - b).map((index) => found.get(index));
    })()""")


@pytest.mark.parametrize('name', STORIES)
def test_every_event_and_step_is_a_moment(browser, stories, name):
    story = stories[name]
    browser.open(story.page)
    rows = all_rows(browser)
    assert sum('step' in row for row in rows) == len(story.steps)
    assert sum('step' not in row for row in rows) == len(story.events)
    assert text(browser, '#count') == f'{len(story.events) + len(story.steps)} moments'
    assert browser.requests() == [f'file://{urllib.parse.quote(str(story.page))}']


@pytest.mark.parametrize('name', STORIES)
def test_who_takes_part_has_a_lane(browser, stories, name):
    story = stories[name]
    browser.open(story.page)
    labels = texts(browser, '#timeline text')
    for phone in story.header['phones']:
        assert phone['name'] in labels
        for app in phone['apps']:
            assert any(label.startswith(app.split('.')[-1]) for label in labels)
    for event in story.events:
        if event['event'] == 'connected':
            go_to(browser, f'#line-{story.events.index(event) + 2}')
            assert event['central'] in text(browser, '#details .fields')
    numbers = dict(zip(texts(browser, '#overview dt'), texts(browser, '#overview dd'), strict=True))
    assert numbers['Phones'] == str(len(story.header['phones']))
    count = {kind: sum(event['event'] == kind for event in story.events) for kind in ('notified', 'terminated')}
    assert (numbers['Notifications'], numbers['Kills']) == (str(count['notified']), str(count['terminated']))
    assert numbers['Requests'].startswith(str(sum(event['event'] in ('read', 'write') for event in story.events)))
    assert text(browser, '#overview .verdict') == f'Passed, {len(story.steps)} steps'


@pytest.mark.parametrize('name', STORIES)
def test_what_is_on_the_air_at_a_moment(browser, stories, blepera, name):
    story = stories[name]
    browser.open(story.page)
    checked = 0
    for number, event in enumerate(story.events, 2):
        if event['event'] != 'advertising':
            continue
        go_to(browser, f'#line-{number}')
        phone = [phone['name'] for phone in story.header['phones']].index(event['phone'])
        part = f'[data-phone="{phone}"]'
        shown = ''.join(texts(browser, f'{part} .packet td:first-child')).replace(' ', '')
        assert shown == event['advertisingData'] + event['scanResponse']
        assert f'{event["interval"]["minimum"]:g} ms' in text(browser, part)
        bits = [int(bit) for bit in texts(browser, f'{part} .grid td.set')]
        uuids = event.get('overflowServiceUUIDs', [])
        encoded = json.loads(run(blepera, 'overflow', 'encode', '--json', *uuids).stdout) if uuids else None
        decoded = json.loads(run(blepera, 'overflow', 'decode', '--json', encoded['mask']).stdout) if encoded else None
        assert sorted(bits) == (decoded['bits'] if decoded else [])
        for uuid in uuids:
            assert uuid in text(browser, f'{part} .bits')
        checked += 1
    assert checked > 1


@pytest.mark.parametrize('name', STORIES)
def test_the_rule_behind_a_change(browser, stories, rules, name):
    story = stories[name]
    browser.open(story.page)
    seen = set()
    for number, event in enumerate(story.events, 2):
        named = {reason[reason.rindex('(') + 1:-1] for reason in event.get('reasons', [])}
        named |= {event['rule']} if 'rule' in event else set()
        go_to(browser, f'#line-{number}')
        cards = texts(browser, '#details .rulecard')
        for card in cards:
            assert rules[card.split()[0]] in card
        assert named <= {card.split()[0] for card in cards}
        seen |= {card.split()[0] for card in cards}
    assert seen
    if name == 'killed-overnight':
        assert {'R2', 'R3', 'R7', 'R8', 'R9'} <= seen


def test_the_state_of_an_app_at_a_moment(browser, stories):
    story = stories['killed-overnight']
    browser.open(story.page)
    states = {'foreground': 'foreground', 'background': 'background', 'terminated': 'not running'}
    for number, event in enumerate(story.events, 2):
        if event['event'] in ('state', 'terminated'):
            go_to(browser, f'#line-{number}')
            assert text(browser, '.chips') == f'smart-lock: {states[event.get("state", event["event"])]}'
    assert 'door, subscribed to C8B6F0B5-7A37-4B4E-9F0C-6B2B5D1E8A03' in text(browser, '#details .phone')


def test_the_keyboard_moves_between_moments(browser, stories):
    browser.open(stories['killed-overnight'].page)
    assert selected(browser) == 'step 1'
    browser.press('ArrowDown')
    assert selected(browser) == 'line 2'
    browser.press('ArrowDown', 'ArrowDown', 'ArrowUp')
    assert selected(browser) == 'line 3'
    assert browser.run('location.hash') == '#line-3'
    browser.press('End')
    assert selected(browser) == 'step 13'
    browser.press('Home')
    assert selected(browser) == 'step 1'
    browser.run("document.querySelector('#timeline').focus()")
    browser.press('ArrowRight')
    assert selected(browser) == 'line 2'
    assert browser.run("document.querySelector('#timeline').getAttribute('aria-valuetext')").endswith('powered on hci0')
    # Everything else is reached with Tab.
    browser.run('document.activeElement.blur()')
    reached = []
    for _ in range(20):
        browser.press('Tab')
        reached.append(browser.run('document.activeElement.id || document.activeElement.dataset.category'))
    assert {'scale', 'out', 'in', 'fit', 'timeline', 'life', 'filter', 'list'} <= set(reached)


def test_the_filter(browser, stories):
    story = stories['killed-overnight']
    browser.open(story.page)
    browser.press('/')
    browser.type('write')
    found = text(browser, '#count')
    assert found.endswith(f'of {len(story.events) + len(story.steps)} moments')
    assert {'write', 'relaunching'} <= set(texts(browser, '.row .what'))
    assert 'read' not in texts(browser, '.row .what')
    marks = browser.run("document.querySelectorAll('.mark').length")
    browser.press('ArrowDown')
    assert browser.run("document.activeElement.id") == 'list'
    browser.press('Escape')
    assert text(browser, '#count') == f'{len(story.events) + len(story.steps)} moments'
    assert browser.run("document.querySelector('#filter').value") == ''
    assert browser.run("document.querySelectorAll('.mark').length") > marks
    # A rule is a word, and a name of a central is found.
    browser.press('/')
    browser.type('r8')
    assert all('R8' in row for row in texts(browser, '.row .rules')) and texts(browser, '.row .rules')
    browser.press('Escape', '/')
    browser.type('nothing like this')
    assert text(browser, '#count').startswith('0 of')
    browser.press('Escape')
    browser.click('#legend [data-category="request"]')
    assert not {'read', 'write'} & {row.split()[-1] for row in all_rows(browser)}
    assert 'request' not in ' '.join(all_rows(browser))


def test_a_link_to_a_moment(browser, stories):
    story = stories['killed-overnight']
    browser.open(story.page, '#line-14')
    assert selected(browser) == 'line 14'
    shown = text(browser, '#details')
    browser.reload()
    assert text(browser, '#details') == shown
    browser.press('ArrowDown')
    fragment = browser.run('location.hash')
    shown = text(browser, '#details')
    browser.open(story.page, fragment)
    assert text(browser, '#details') == shown
    for odd in ('#line-99999', '#', '#<img>', '#run-7/step-2'):
        browser.open(story.page, odd)
        assert selected(browser)


def test_the_pointer_selects_and_zooms(browser, stories):
    browser.open(stories['killed-overnight'].page)
    browser.click('#timeline', x=900)
    assert selected(browser) != 'step 1'
    before = browser.run("document.querySelector('#timeline .onair').getAttribute('width')")
    browser.click('#in')
    browser.click('#in')
    assert browser.run("document.querySelector('#timeline .onair').getAttribute('width')") != before
    browser.click('#fit')
    assert browser.run("document.querySelector('#timeline .onair').getAttribute('width')") == before
    browser.click('#scale')
    assert any(tick.startswith('2:00:00') for tick in texts(browser, '#timeline .tick'))


@pytest.mark.parametrize('name', STORIES)
@pytest.mark.parametrize('width', [360, 390, 768, 1280])
def test_a_page_is_as_wide_as_its_window(browser, stories, name, width):
    browser.size(width)
    browser.open(stories[name].page, '#line-8')
    assert browser.run('document.documentElement.scrollWidth - document.documentElement.clientWidth') == 0
    # Nothing sticks out of its panel either.
    assert browser.run("""[...document.querySelectorAll('#details *')].filter((node) =>
        node.getBoundingClientRect().right > innerWidth + 1).length""") == 0


def test_dark_and_light(browser, stories):
    colors = {}
    for scheme in ('light', 'dark'):
        browser.color_scheme(scheme)
        browser.open(stories['whole-mask'].page, '#line-14')
        colors[scheme] = browser.run("""['body', '.panel', '.row .text', '.grid td.set', '#timeline .track', '.tick']
            .map((one) => document.querySelector(one)).flatMap((one) => {
                const style = getComputedStyle(one);
                return [style.color, style.backgroundColor, style.fill];
            })""")
    assert len(set(colors['light']) & set(colors['dark']) - {'rgba(0, 0, 0, 0)', 'rgb(0, 0, 0)'}) == 0


def test_a_page_of_all_scenarios(browser, blepera, tmp_path):
    page = tmp_path / 'all.html'
    run(blepera, 'scenario', 'run', *map(str, SCENARIOS), '--report', str(page))
    browser.open(page)
    links = texts(browser, '#runs a')
    assert len(links) == len(SCENARIOS)
    assert all(link.startswith('passed') for link in links)
    for number, link in enumerate(links, 1):
        browser.click(f'#runs a:nth-child({number})')
        assert link.endswith(text(browser, 'h1'))
    browser.open(page, '#run-3/step-2')
    assert selected(browser) == 'step 2'
    assert links[2].endswith(text(browser, 'h1'))


def test_a_scenario_that_fails(browser, blepera, tmp_path):
    page = tmp_path / 'failed.html'
    words = ('scenario', 'run', '--ios', '13', 'scenarios/ios-14-rule.plist', '--report', str(page))
    run(blepera, *words, status=1)
    browser.open(page)
    assert text(browser, '#overview .verdict') == 'Failed at step 7 of 9'
    assert 'expected not to find it' in text(browser, '#overview .callout')
    assert selected(browser) == 'step 7'
    assert 'Events before the failure' in text(browser, '#details')


def test_a_report_of_a_lab(browser, blepera, tmp_path):
    page = tmp_path / 'lab.html'
    words = ['lab', '--quiet', '--report', str(page), '--serve', str(profile_path('heart-rate')), '--', 'true']
    run(blepera, *words)
    browser.open(page)
    assert text(browser, 'h1') == 'A lab with heart-rate'
    go_to(browser, '#line-5')
    assert 'advertising' in texts(browser, '.row .what')


HOSTILE = '"><img src=x onerror=alert(1)></script><script>alert(2)</script><!--'


def test_names_stay_text(browser, blepera, stories, tmp_path):
    lines = [dict(stories['killed-overnight'].header)]
    lines[0]['phones'] = [{'name': HOSTILE, 'apps': [HOSTILE]}]
    for event in stories['killed-overnight'].events:
        event = dict(event, phone=HOSTILE)
        for key in ('app', 'central', 'localName', 'reason', 'command', 'adapter'):
            if key in event:
                event[key] = HOSTILE
        if 'centrals' in event:
            event['centrals'] = [HOSTILE]
        lines.append(event)
    trace = tmp_path / '<b>&.jsonl'
    trace.write_text(''.join(json.dumps(line) + '\n' for line in lines))
    run(blepera, 'report', str(trace), '-o', str(tmp_path / 'page.html'))
    browser.open(tmp_path / 'page.html')
    for number in range(2, len(lines) + 1):
        go_to(browser, f'#line-{number}')
        assert browser.run("document.querySelectorAll('img, b img, script').length") == 2
        assert browser.run('document.documentElement.scrollWidth - document.documentElement.clientWidth') == 0
    assert text(browser, 'h1') == '<b>&.jsonl'
    assert HOSTILE in text(browser, '#details .fields')


def test_twenty_thousand_events(browser, blepera, stories, tmp_path):
    header, events = stories['killed-overnight'].header, stories['killed-overnight'].events
    trace = tmp_path / 'long.jsonl'
    value = next(event for event in events if event['event'] == 'notified')
    with trace.open('w') as file:
        for line in [header, *events]:
            file.write(json.dumps(line) + '\n')
        for number in range(20000):
            seconds, part = divmod(number * 700, 1000)
            clock = f'{9 + seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{part:03}'
            time = f'2026-01-01T{clock}Z'
            file.write(json.dumps(dict(value, time=time, value=f'{number:06X}')) + '\n')
    run(blepera, 'report', str(trace))
    browser.open(trace.with_suffix('.html'))
    assert text(browser, '#count') == f'{20000 + len(events):,} moments'
    assert browser.run("document.querySelectorAll('.row').length") < 60
    assert browser.run("document.querySelectorAll('.mark').length") < 600
    browser.press('End')
    assert '00 4E 1F' in text(browser, '#details')
    browser.press('/')
    browser.type('004E1F')
    assert text(browser, '#count').startswith('1 of')


def test_serve_and_its_central(browser, blepera, tmp_path):
    """The report of a trace of `serve --virtual` shows the central's own events too."""
    trace = tmp_path / 'serve.jsonl'
    started = {'blepera': '0.1.0', 'command': 'serve', 'ios': 26, 'settings': [], 'trace': 2}
    header = started | {'phones': [{'apps': ['org.example.app']}], 'time': '2026-01-01T00:00:00.000Z'}
    lines = [
        header,
        {'time': '2026-01-01T00:00:00.001Z', 'event': 'poweredOn', 'side': 'phone', 'adapter': 'hci0'},
        {'time': '2026-01-01T00:00:01.001Z', 'event': 'discovered', 'side': 'central', 'peripheral': '00:11:22:33:44:55',
         'overflowBits': [61], 'rssi': -50},
        {'time': '2026-01-01T00:00:02.001Z', 'event': 'connected', 'side': 'phone', 'central': '00:AA:01:00:00:01'},
    ]
    trace.write_text(''.join(json.dumps(line) + '\n' for line in lines))
    done = run(blepera, 'report', str(trace))
    assert done.stdout == f'{trace.with_suffix(".html")}: 1 phone, 1 central, 3 events\n'
    browser.open(trace.with_suffix('.html'), '#line-3')
    assert text(browser, '#details h2') == 'Discovered'
    assert 'overflow bits 61' in text(browser, '#list')
    assert any(label.startswith('central') for label in texts(browser, '#timeline text'))


@pytest.mark.parametrize(
    ('content', 'reason'),
    [
        (None, ': error: no such file'),
        ('', ': error: the file is empty; expected a trace'),
        ('hello\n', ':1: error: not a trace: the first line must have the key'),
        ('HEADER\n', ': error: the trace has no events'),
        ('HEADER\n{"event":"poweredOn"}\n', ":2: error: not a valid event 'poweredOn'"),
        ('HEADER\n{"event":"state","time":"yesterday"}\n', ":2: error: 'yesterday' is not a valid time"),
    ],
)
def test_a_trace_that_cannot_be_read(blepera, stories, tmp_path, content, reason):
    trace = tmp_path / 'trace.jsonl'
    header = dict(stories['whole-mask'].header, phones=[{'apps': []}])
    if content is not None:
        trace.write_text(content.replace('HEADER', json.dumps(header)))
    done = run(blepera, 'report', str(trace), status=2)
    assert done.stdout == ''
    assert done.stderr.startswith(f'{trace}{reason}')
    assert not (tmp_path / 'trace.html').exists()


def test_a_page_overwrites_a_page_and_nothing_else(blepera, stories, tmp_path):
    trace = str(stories['whole-mask'].trace)
    page = tmp_path / 'page.html'
    for _ in range(2):
        run(blepera, 'report', trace, '-o', str(page))
    page.write_text('<!DOCTYPE html>\nmine')
    done = run(blepera, 'report', trace, '-o', str(page), status=1)
    assert done.stderr == f'error: {page} exists and is not a report; choose another name\n'
    assert page.read_text() == '<!DOCTYPE html>\nmine'
    done = run(blepera, 'scenario', 'run', 'scenarios/whole-mask.plist', '--report', str(page), status=1)
    assert (done.stdout, page.read_text()) == ('', '<!DOCTYPE html>\nmine')
    done = run(blepera, 'report', trace, '-o', str(tmp_path / 'none/page.html'), status=1)
    assert done.stderr == f"error: cannot write {tmp_path}/none/page.html: No such file or directory\n"
    assert run(blepera, 'report', trace, '-o', '-').stdout.startswith('<!DOCTYPE html>\n')
