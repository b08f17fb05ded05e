"""The modules of the Python package import each other in one direction."""

import ast
import graphlib
import textwrap

import pytest
from blepera_tests.paths import ROOT

PACKAGE = ROOT / 'Packaging/python/blepera'


def imported(text: str, modules: set[str]) -> set[str]:
    """The modules of the package that a module imports, also in functions and for types alone."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names |= {one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom):
            module = '.'.join(filter(None, ['blepera' if node.level else '', node.module]))
            names |= {module, *(f'{module}.{one.name}' for one in node.names)}
    return {module for module in modules if f'blepera.{module}' in names}


def circle(texts: dict[str, str]) -> list[str]:
    """The modules of a circle of imports, or none."""
    try:
        graphlib.TopologicalSorter({name: imported(text, set(texts)) for name, text in texts.items()}).prepare()
    except graphlib.CycleError as error:
        return error.args[1]
    return []


def test_no_module_of_the_package_imports_itself():
    texts = {path.stem: path.read_text() for path in PACKAGE.glob('*.py') if path.stem != '__init__'}
    assert {'peripheral', 'session'} <= imported(texts['app'], set(texts))
    assert circle(texts) == []


@pytest.mark.parametrize('text', [
    'from .first import A',
    'from . import first',
    'import blepera.first',
    'from blepera.first import A',
    """
    def make():
        from .first import A
        return A()
    """,
    """
    if TYPE_CHECKING:
        from .first import A
    """,
])
def test_a_circle_is_found(text):
    assert set(circle({'first': 'from .second import B', 'second': textwrap.dedent(text), 'third': ''})) == {'first', 'second'}
