"""The pytest plugin: each test that asks for a phone has a lab of its own, and a failed test keeps its report."""

from __future__ import annotations

import hashlib
import os
import pathlib
import re
import shutil
import tempfile
import warnings
from collections.abc import Generator, Iterator
from typing import Any

import pytest

from .events import Event
from .lab import Lab, LabError
from .phone import Phone
from .program import NoProgram, find_program, shipped_profiles

MARKER = (
    'blepera(profile=..., app=[...], ios=..., loss=..., seed=..., **options): options of `blepera lab` for the fixtures '
    'blepera_lab and phone'
)
SHOWN_EVENTS = 30
"""How many events a failed test shows; its report has all of them."""
LONGEST_NAME = 150
"""Of a report's name, in bytes, without the checksum; file systems take 255."""

_LAB = pytest.StashKey[Lab]()
_FAILED = pytest.StashKey[bool]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup('blepera', 'emulated iPhones')
    group.addoption('--blepera-program', metavar='PATH', help='the blepera command (default: beside this Python)')
    group.addoption(
        '--blepera-reports', metavar='DIR', default='blepera-reports',
        help='the folder for the reports of failed tests (default: %(default)s in the root folder)',
    )
    group.addoption('--blepera-all-reports', action='store_true', help='keep the reports of tests that pass too')
    parser.addini(
        'blepera_profile', type='args',
        help='profiles of the phones of all tests: paths from the root folder, or names of shipped profiles',
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line('markers', MARKER)


@pytest.fixture
def blepera_options() -> dict[str, Any]:
    """Options of `blepera lab`; a test may parametrize this fixture, and a conftest.py may override it."""
    return {}


@pytest.fixture
def blepera_lab(
    request: pytest.FixtureRequest, blepera_options: dict[str, Any], monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Lab]:
    """A lab for this test; the system bus is the lab's until the test ends."""
    options: dict[str, Any] = {}
    for marker in reversed(list(request.node.iter_markers('blepera'))):
        if marker.args:
            pytest.fail('the marker blepera takes keywords only: ' + MARKER, pytrace=False)
        options |= marker.kwargs
    options |= blepera_options
    app = _app(options.pop('app', None), request)
    profiles = _profiles(options.pop('profile', [] if app else None), request)
    report = tmp_path_factory.mktemp('blepera') / 'report.html'
    lab, problem = None, ''
    try:
        program = request.config.getoption('--blepera-program') or find_program()
        lab = Lab(profiles, app=app, program=program, report=report, **options)
    except (LabError, NoProgram, OSError) as error:
        problem = str(error)
    if lab is None:
        pytest.fail(problem, pytrace=False)
    request.node.stash[_LAB] = lab
    for name, value in lab.environment.items():
        monkeypatch.setenv(name, value)
    yield lab
    lab.close()


@pytest.fixture
def phone(blepera_lab: Lab) -> Phone:
    """The phone of this test, or the first of several."""
    if not blepera_lab.phones:
        pytest.fail(
            'no phone: name a profile with @pytest.mark.blepera(profile=...) or with blepera_profile in pytest.ini, or an '
            'app with @pytest.mark.blepera(app=[...])',
            pytrace=False,
        )
    return blepera_lab.phone


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if (lab := item.stash.get(_LAB, None)) is None:
        return report
    if report.failed:
        item.stash[_FAILED] = True
    keeps = item.stash.get(_FAILED, False) or bool(item.config.getoption('--blepera-all-reports'))
    path = _report_path(item)
    if report.failed:
        events = [_line(event) for event in lab.events]
        if len(events) > SHOWN_EVENTS:
            events = [f'... {len(events) - SHOWN_EVENTS} earlier events ...', *events[-SHOWN_EVENTS:]]
        shown = os.path.relpath(path, item.config.invocation_params.dir)
        if lab.messages:
            report.sections.append(('blepera: other lines', '\n'.join(map(_escaped, lab.messages[-SHOWN_EVENTS:]))))
        report.sections.append(('blepera', '\n'.join([*events, '', f'report: {shown}'])))
        # A JUnit file has the properties of the item at its end.
        item.user_properties.append(('blepera_report', str(path)))
        report.user_properties.append(('blepera_report', str(path)))
    # The lab has written its report when its fixture was torn down.
    if call.when == 'teardown' and keeps and lab.report and lab.report.exists():
        try:
            _keep(lab.report, path)
        except OSError as error:
            _warn(item, f'the report {path} cannot be kept: {error.strerror or error}')
    return report


def _profiles(given: Any, request: pytest.FixtureRequest) -> list[pathlib.Path]:
    """The paths of a marker's profiles, from the test's folder, or of those in pytest.ini, from the root folder."""
    if given is None:
        names, folder = list(request.config.getini('blepera_profile')), request.config.rootpath
    else:
        names, folder = [given] if isinstance(given, (str, os.PathLike)) else list(given), request.path.parent
    shipped = shipped_profiles()
    paths = []
    for name in names:
        path = folder / name
        if path.exists() or (path := shipped.get(str(name), path)).exists():
            paths.append(path)
            continue
        pytest.fail(
            f'there is no profile {path}, and none of blepera\'s own has that name: {", ".join(shipped)}',
            pytrace=False,
        )
    return paths


def _app(given: Any, request: pytest.FixtureRequest) -> list[str] | None:
    """The words of a marker's app: the first is a path from the test's folder, or a program that is found on PATH."""
    if given is None:
        return None
    words = [given] if isinstance(given, (str, os.PathLike)) else list(given)
    if not words:
        pytest.fail('the app of the marker blepera has no words; the first is the program', pytrace=False)
    first, *rest = [os.fspath(word) for word in words]
    return [str(request.path.parent / first) if '/' in first else first, *rest]


def _report_path(item: pytest.Item) -> pathlib.Path:
    folder = pathlib.Path(item.config.getoption('--blepera-reports'))
    return item.config.rootpath / folder / f'{report_name(item.nodeid)}.html'


def report_name(node: str) -> str:
    """A name for each test: where it is cut, or where another test could have it too, it ends with a checksum."""
    name = re.sub(r'[^\w.-]+', '-', node).strip('-').encode()
    if len(name) <= LONGEST_NAME and re.fullmatch(r'([\w.]+/)*[\w.]+\.py(::\w+)+', node):
        return name.decode()
    checksum = hashlib.sha256(node.encode(errors='surrogatepass')).hexdigest()[:12]
    return f'{name[:LONGEST_NAME].decode(errors="ignore")}~{checksum}'


def _keep(report: pathlib.Path, path: pathlib.Path) -> None:
    """Copies a report into a file for its user alone; an older one is replaced when the copy is complete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, unfinished = tempfile.mkstemp(dir=path.parent)
    os.close(handle)
    try:
        shutil.copyfile(report, unfinished)
        os.replace(unfinished, path)
    except OSError:
        os.unlink(unfinished)
        raise


def _warn(item: pytest.Item, text: str) -> None:
    """Adds a warning to pytest's summary, also where a filter makes errors of warnings: one would end the session."""
    with warnings.catch_warnings():
        warnings.simplefilter('always')
        item.warn(pytest.PytestWarning(text))


def _line(event: Event) -> str:
    """`09:18:44.116  read  central=00:AA:01:00:00:01 characteristic=2A38`."""
    rest = ' '.join(
        f'{name}={_text(value)}' for name, value in event.items() if name not in ('time', 'event') and value != []
    )
    return _escaped(f'{str(event.get("time", ""))[11:23]}  {event.get("event", ""):15}  {rest}'.rstrip())


def _escaped(text: str) -> str:
    """The text of one line with control characters (C0, DEL and C1) escaped: names are chosen by apps and devices."""
    return re.sub(r'[\x00-\x1f\x7f-\x9f]', lambda found: f'\\u{ord(found[0]):04x}', text)


def _text(value: Any) -> str:
    if isinstance(value, list):
        return ','.join(_text(one) for one in value)
    if isinstance(value, dict):
        return '/'.join(_text(one) for one in value.values())
    return repr(value) if isinstance(value, str) and ' ' in value else str(value)
