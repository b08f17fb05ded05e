"""A hook of MkDocs, whose settings are in docs: pages outside docs are part of the site, at their path in the repository."""

import pathlib
import posixpath
import re

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUTSIDE = [
    'ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'Benchmarks/README.md', 'examples/stories/README.md',
]
LINK = re.compile(r'(?<=\]\()([^)#:\s]+)(?=[)#])')
# Code is in the repository alone: of a link to code the site has the text.
CODE = re.compile(r'\[([^]\n]+)\]\((?:\.\./)?(?:Sources|findings)/[^)\s]+\)')


def on_config(config):
    config.docs_dir = str(ROOT / 'docs')
    return config


def on_files(files, config):
    for path in OUTSIDE:
        files.append(File.generated(config, path, content=(ROOT / path).read_text()))
    return files


def on_page_markdown(markdown, page, **_):
    """Links of the repository become links of the site, in which docs is the root."""
    source = page.file.src_uri
    folder = posixpath.dirname(source if source in OUTSIDE else f'docs/{source}')

    def moved(match: re.Match) -> str:
        target = posixpath.normpath(posixpath.join(folder, match[1]))
        in_site = 'index.md' if target == 'README.md' else target.removeprefix('docs/')
        return posixpath.relpath(in_site, posixpath.dirname(source) or '.')

    return LINK.sub(moved, CODE.sub(r'\1', markdown))
