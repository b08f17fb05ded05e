"""Each shell block of README and of the guides, typed as it stands by a user without rights, in a clean root that has the
clone and the wheel: no compiler, no message bus, no network. See typed.py for what is left out, and why.
"""

import shutil

import pytest
from blepera_tests.paths import ROOT

from root import Root

PAGES = ['README.md', 'docs/guide-gateway.md', 'docs/guide-ios.md', 'docs/guide-tester.md', 'docs/testing-a-gateway.md']
CLONE = '/srv/material/clone'
AS_NOBODY = 'setpriv --reuid 65534 --regid 65534 --clear-groups'


@pytest.fixture(scope='module')
def clone(material, wheel):
    """The folders of a clone, for the roots' `material`."""
    folder = material / 'clone'
    for name in ('docs', 'examples', 'profiles', 'scenarios', 'Tests/python', 'Tests/Clients'):
        ignored = shutil.ignore_patterns('.build', '.venv', '__pycache__', '.pytest_cache')
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    for page in ROOT.glob('*.md'):
        shutil.copy(page, folder)
    (folder / '.build/packages').mkdir(parents=True)
    shutil.copy(wheel, folder / '.build/packages')
    shutil.copy(ROOT / 'Tests/Packages/typed.py', material)


@pytest.fixture(scope='module')
def reader(clone, material):
    """A root with pytest, which what compares the output needs."""
    root = Root('bookworm', material)
    root.run('python3 -m venv /compare && /compare/bin/pip install -q --no-index --find-links /srv/material/wheels pytest')
    yield root
    root.close()


@pytest.mark.parametrize('page', PAGES)
def test_the_blocks_of_a_page(reader, page):
    print(reader.run(f'PYTHONDONTWRITEBYTECODE=1 {AS_NOBODY} /compare/bin/python /srv/material/typed.py {CLONE} {page}'))
