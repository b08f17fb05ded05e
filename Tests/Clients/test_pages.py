"""Checks the pages: their links, the site that MkDocs makes of them, and the code and files that they show."""

import json
import re
import subprocess
import sys

import pytest
from blepera_tests.paths import ROOT
from transcripts import FENCE, PAGES, page_name

HEADING = re.compile(r'^#+ (.*)$', re.MULTILINE)
LINK = re.compile(r'\]\(([^)\s]+)\)')


def without_code(text: str) -> str:
    return re.sub(r'^```.*?^```$|^    .*?$', '', text, flags=re.MULTILINE | re.DOTALL)


def on_github(heading: str) -> str:
    return re.sub(r'[^\w\- ]', '', heading.strip().lower()).replace(' ', '-')


def in_the_site(heading: str) -> str:
    return re.sub(r'[-\s]+', '-', re.sub(r'[^\w\s-]', '', heading).strip().lower())


def test_the_site_has_no_broken_link(tmp_path):
    # --quiet hides warnings from --strict
    build = [sys.executable, '-m', 'mkdocs', 'build', '--strict', '-f', 'docs/mkdocs.yml', '--site-dir', tmp_path]
    done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for page in tmp_path.rglob('*.html'):
        loaded = re.findall(r'<(?:script|link|img)[^>]+(?:src|href)="(https?:[^"]+)"', page.read_text())
        assert loaded == [], f'{page.name} loads something from elsewhere'


@pytest.mark.parametrize('page', PAGES, ids=page_name)
def test_links_lead_somewhere_in_the_repository(page):
    for link in LINK.findall(without_code(page.read_text())):
        if '://' in link:
            continue
        path, _, anchor = link.partition('#')
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        if anchor:
            assert anchor in {on_github(heading) for heading in HEADING.findall(without_code(target.read_text()))}, link


@pytest.mark.parametrize('page', PAGES, ids=page_name)
def test_a_heading_has_one_anchor_everywhere(page):
    for heading in HEADING.findall(without_code(page.read_text())):
        assert on_github(heading) == in_the_site(heading), heading


def test_the_front_page_names_the_test_command():
    assert '    make test ' in (ROOT / 'README.md').read_text()


def test_who_needs_a_toolchain_finds_it():
    """The page of the toolchain is linked where blepera is built, and where the build fails."""
    for page in ('README.md', 'docs/install.md', 'Scripts/setup'):
        assert 'https://www.swift.org/install/linux/' in (ROOT / page).read_text(), page


def test_the_index_leads_to_each_page_in_one_step():
    linked = set(LINK.findall((ROOT / 'docs/index.md').read_text()))
    assert {page.name for page in (ROOT / 'docs').glob('*.md')} - {'index.md'} <= linked


def test_each_folder_of_sources_names_the_file_to_begin_with():
    for folder in (ROOT / 'Sources').iterdir():
        begin = re.search(r'^Begin with \[\w+\]\((\S+\.swift)\)', (folder / 'README.md').read_text(), re.MULTILINE)
        assert begin and (folder / begin[1]).is_file(), folder.name


def test_the_picture_is_what_its_script_prints(blepera):
    picture = subprocess.run([ROOT / 'Scripts/picture', blepera], capture_output=True, text=True, check=True).stdout
    assert picture == (ROOT / 'docs/foreground-background.svg').read_text()


def python_of(page: str) -> str:
    return next(match[2] for match in FENCE.finditer((ROOT / page).read_text()) if match[1] == 'python')


def test_the_rule_in_python_is_that_of_blepera(blepera):
    rule: dict = {}
    exec(python_of('docs/overflow-area.md'), rule)  # noqa: S102
    uuids = ['180D', 'FD6F', '0000', 'FFFF', '6E400001-B5A3-F393-E0A9-E50E24DCCA9E', *(f'{n:04X}' for n in range(256))]
    done = subprocess.run([blepera, 'overflow', 'encode', *uuids, '--json'], capture_output=True, text=True, check=True)
    encoded = json.loads(done.stdout)
    assert [rule['overflow_bit'](uuid) for uuid in uuids] == [service['bit'] for service in encoded['services']]
    assert all(rule['may_have'](bytes.fromhex(encoded['mask']), uuid) for uuid in uuids)


def test_the_table_of_scanners_has_the_predictions(blepera):
    """In each cell the mean and the 95th percentile."""
    table = [line.strip('| ').split(' | ') for line in (ROOT / 'docs/predict.md').read_text().splitlines()
             if re.match(r'\| `[\w-]+`.* \| \d', line)]
    shown = {re.findall('`(.*?)`', name)[0]: (window.replace(' ', ''), cells) for name, window, *cells in table}
    presets = [word for name in shown for word in ('--preset', name)]
    words = [blepera, 'predict', ROOT / 'profiles/heart-rate.plist', *presets, '--json']
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    found: dict = {name: {} for name in shown}
    for one in json.loads(done.stdout)['predictions']:
        times = [f'{time:.{2 if time < 1 else 1 if time < 100 else 0}f}' for time in (one['mean'], one['p95']) if time]
        window = f'{one["window"]:g}/{one["scanInterval"]:g}'
        found[one['preset']][one['state'], one['interval']] = window, ', '.join(times) or 'never'
    for name, (window, cells) in shown.items():
        columns = [('foreground', 181.25), ('background', 270), ('background', 1022.5)]
        assert [found[name][column] for column in columns] == [(window, cell) for cell in cells], name


def test_the_page_of_the_lab_shows_the_example():
    assert python_of('docs/lab.md') == (ROOT / 'examples/find.py').read_text()
