"""README.md and docs: their length, their links, and the site that MkDocs makes of them."""

import re
import subprocess
import sys

import pytest
from blepera_tests.paths import ROOT

PAGES = sorted([*ROOT.glob('*.md'), *(ROOT / 'docs').glob('*.md'), *(ROOT / 'examples').glob('*/*.md')])
HEADING = re.compile(r'^#+ (.*)$', re.MULTILINE)
LINK = re.compile(r'\]\(([^)\s]+)\)')


def without_code(text: str) -> str:
    return re.sub(r'^```.*?^```$|^    .*?$', '', text, flags=re.MULTILINE | re.DOTALL)


def on_github(heading: str) -> str:
    return re.sub(r'[^\w\- ]', '', heading.strip().lower()).replace(' ', '-')


def in_the_site(heading: str) -> str:
    return re.sub(r'[-\s]+', '-', re.sub(r'[^\w\s-]', '', heading).strip().lower())


def name(page) -> str:
    return str(page.relative_to(ROOT))


def test_the_site_has_no_broken_link(tmp_path):
    build = [sys.executable, '-m', 'mkdocs', 'build', '--strict', '--quiet', '--site-dir', tmp_path]
    done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for page in tmp_path.rglob('*.html'):
        loaded = re.findall(r'<(?:script|link|img)[^>]+(?:src|href)="(https?:[^"]+)"', page.read_text())
        assert loaded == [], f'{page.name} loads something from elsewhere'


@pytest.mark.parametrize('page', PAGES, ids=name)
def test_links_lead_somewhere_in_the_repository(page):
    for link in LINK.findall(without_code(page.read_text())):
        if '://' in link:
            continue
        path, _, anchor = link.partition('#')
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        if anchor:
            assert anchor in {on_github(heading) for heading in HEADING.findall(without_code(target.read_text()))}, link


@pytest.mark.parametrize('page', PAGES, ids=name)
def test_a_heading_has_one_anchor_everywhere(page):
    for heading in HEADING.findall(without_code(page.read_text())):
        assert on_github(heading) == in_the_site(heading), heading


def test_the_front_page_is_short_and_names_the_test_command():
    text = (ROOT / 'README.md').read_text()
    assert text.count('\n') <= 250
    assert '    make test ' in text


def test_the_index_leads_to_each_page_in_one_step():
    linked = set(LINK.findall((ROOT / 'docs/index.md').read_text()))
    assert {page.name for page in (ROOT / 'docs').glob('*.md')} - {'index.md'} <= linked
