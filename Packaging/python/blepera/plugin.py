"""The pytest plugin: phones of a test, or of several tests, and the reports of those that fail."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import os
import pathlib
import re
import shutil
import tempfile
import warnings
from collections.abc import Callable, Generator, Iterator
from typing import Any

import pytest

from .events import Event
from .lab import Lab, LabError
from .phone import Phone
from .predict import PredictionError, predict
from .program import FOLDER, NoProgram, find_program, shipped_profiles

MARKER = (
    'blepera(profile=..., app=[...], ios=..., loss=..., seed=..., **options): options of `blepera lab` for the fixtures '
    'blepera_lab and blepera_phone'
)
SHOWN_EVENTS = 30
"""The number of events that a failed test shows; the report has all of them."""
LONGEST_NAME = 150
"""The longest name of a report without its checksum, in bytes; file systems allow 255."""


@dataclasses.dataclass
class _SharedLab:
    lab: Lab
    kept: pathlib.Path | None = None
    """The path at which the report is kept, named after the first test that failed."""


_LAB = pytest.StashKey[Lab]()
_SHARED = pytest.StashKey[list[_SharedLab]]()
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
    config.stash[_SHARED] = []


@pytest.fixture
def blepera_options() -> dict[str, Any]:
    """Options of `blepera lab`; a test may parametrize this fixture, and a conftest.py may override it."""
    return {}


@pytest.fixture
def blepera_lab(
    request: pytest.FixtureRequest, blepera_options: dict[str, Any], monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Lab]:
    """A lab for this test; the lab's bus is the system bus until the test ends."""
    options: dict[str, Any] = {}
    for marker in reversed(list(request.node.iter_markers('blepera'))):
        if marker.args:
            pytest.fail('the marker blepera takes keywords only: ' + MARKER, pytrace=False)
        options |= marker.kwargs
    options |= blepera_options
    lab = _open(request.config, request.path.parent, options, tmp_path_factory)
    request.node.stash[_LAB] = lab
    for name, value in lab.environment.items():
        monkeypatch.setenv(name, value)
    yield lab
    lab.close()


@pytest.fixture
def blepera_phone(blepera_lab: Lab) -> Phone:
    """The phone of this test, or the first of several."""
    if not blepera_lab.phones:
        pytest.fail(
            'no phone: name a profile with @pytest.mark.blepera(profile=...) or with blepera_profile in pytest.ini, or an '
            'app with @pytest.mark.blepera(app=[...])',
            pytrace=False,
        )
    return blepera_lab.phone


@pytest.fixture
def blepera_predict(request: pytest.FixtureRequest) -> Callable[..., list[dict[str, Any]]]:
    """Predicts without a lab: `[prediction] = blepera_predict(profile='heart-rate', state='background', preset='esphome')`.

    The keywords are those of `blepera.predict`; `profile` is as in the mark blepera, and may be absent with `interval`.
    """

    def start(**options: Any) -> list[dict[str, Any]]:
        given = options.pop('profile', [] if 'interval' in options else None)
        profiles = _profiles(given, request.path.parent, request.config)
        try:
            program = request.config.getoption('--blepera-program') or find_program()
            return predict(profiles, program=program, **options)
        except (NoProgram, OSError, PredictionError) as error:
            problem = str(error)
        raise pytest.fail.Exception(problem, pytrace=False)

    return start


@pytest.fixture(scope='session')
def blepera_lab_factory(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., contextlib.AbstractContextManager[Lab]]:
    """Starts labs for fixtures of any scope: `with blepera_lab_factory(profile='heart-rate') as lab:`.

    The keywords are the keywords of the mark blepera; paths start at the root folder.
    """

    @contextlib.contextmanager
    def start(**options: Any) -> Iterator[Lab]:
        lab = _open(request.config, request.config.rootpath, options, tmp_path_factory)
        shared = _SharedLab(lab)
        labs = request.config.stash[_SHARED]
        labs.append(shared)
        try:
            with pytest.MonkeyPatch.context() as patch:
                for name, value in lab.environment.items():
                    patch.setenv(name, value)
                yield lab
        finally:
            labs.remove(shared)
            try:
                lab.close()
            finally:
                if shared.kept:
                    _keep(request.node, lab, shared.kept)

    return start


def _open(
    config: pytest.Config, folder: pathlib.Path, options: dict[str, Any], folders: pytest.TempPathFactory
) -> Lab:
    """A lab with the options of a mark, whose paths start at the folder."""
    options = dict(options)
    app = _app(options.pop('app', None), folder)
    profiles = _profiles(options.pop('profile', [] if app else None), folder, config)
    if like := options.get('like'):
        options['like'] = folder / like
    report = folders.mktemp('blepera') / 'report.html'
    try:
        program = config.getoption('--blepera-program') or find_program()
        return Lab(profiles, app=app, program=program, report=report, **options)
    except (LabError, NoProgram, OSError) as error:
        problem = str(error)
    raise pytest.fail.Exception(problem, pytrace=False)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    keeps_all = bool(item.config.getoption('--blepera-all-reports'))
    own = item.stash.get(_LAB, None)
    used = [] if own is None else [(own, _report_path(item))]
    if 'blepera_lab_factory' in getattr(item, 'fixturenames', ()):
        for shared in item.config.stash[_SHARED]:
            if shared.kept is None and (report.failed or keeps_all):
                shared.kept = _report_path(item, '.shared')
            if shared.kept:
                used.append((shared.lab, shared.kept))
    if report.failed:
        item.stash[_FAILED] = True
        for lab, path in used:
            _show(item, report, lab, path)
    # The lab has written its report when its fixture was torn down.
    if own is not None and call.when == 'teardown' and (keeps_all or item.stash.get(_FAILED, False)):
        _keep(item, own, _report_path(item))
    return report


def _show(item: pytest.Item, report: pytest.TestReport, lab: Lab, path: pathlib.Path) -> None:
    """Adds the lab's events and the path of the report to the output of a failed test."""
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
    for defect in sorted({event['defect'] for event in lab.events if event.get('defect') and event['on']}):
        item.user_properties.append(('blepera_defect', defect))


def _profiles(given: Any, folder: pathlib.Path, config: pytest.Config) -> list[pathlib.Path]:
    """The paths of the given profiles in the folder, or of pytest.ini's profiles in the root folder."""
    if given is None:
        names, folder = list(config.getini('blepera_profile')), config.rootpath
    else:
        names = [given] if isinstance(given, (str, os.PathLike)) else list(given)
    shipped = shipped_profiles()
    paths = []
    for name in names:
        path = folder / name
        if path.exists() or (path := shipped.get(str(name), path)).exists():
            paths.append(path)
            continue
        others = 'none of blepera\'s own has that name: ' + ', '.join(shipped)
        others = others if shipped else f'the Python package in {FOLDER} has no profiles of its own'
        pytest.fail(f'there is no profile {path}, and {others}', pytrace=False)
    return paths


def _app(given: Any, folder: pathlib.Path) -> list[str] | None:
    """The words of an app: the first is a path from the folder, or a program that is found on PATH."""
    if given is None:
        return None
    words = [given] if isinstance(given, (str, os.PathLike)) else list(given)
    if not words:
        pytest.fail('the app of the marker blepera has no words; the first is the program', pytrace=False)
    first, *rest = [os.fspath(word) for word in words]
    return [str(folder / first) if '/' in first else first, *rest]


def _report_path(item: pytest.Item, suffix: str = '') -> pathlib.Path:
    folder = pathlib.Path(item.config.getoption('--blepera-reports'))
    return item.config.rootpath / folder / f'{report_name(item.nodeid)}{suffix}.html'


def report_name(node: str) -> str:
    """A unique name for each test: a shortened name, or a name that is not unique, ends with a checksum."""
    name = re.sub(r'[^\w.-]+', '-', node).strip('-').encode()
    if len(name) <= LONGEST_NAME and re.fullmatch(r'([\w.]+/)*[\w.]+\.py(::\w+)+', node):
        return name.decode()
    checksum = hashlib.sha256(node.encode(errors='surrogatepass')).hexdigest()[:12]
    return f'{name[:LONGEST_NAME].decode(errors="ignore")}~{checksum}'


def _keep(node: pytest.Item | pytest.Session, lab: Lab, path: pathlib.Path) -> None:
    """Keeps the report of a lab that has ended, or warns."""
    if not lab.report or not lab.report.exists():
        return
    try:
        _copy(lab.report, path)
    except OSError as error:
        _warn(node, f'the report {path} cannot be kept: {error.strerror or error}')


def _copy(report: pathlib.Path, path: pathlib.Path) -> None:
    """Copies a report to a file that only its user can read; an older file is replaced when the copy is complete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, unfinished = tempfile.mkstemp(dir=path.parent)
    os.close(handle)
    try:
        shutil.copyfile(report, unfinished)
        os.replace(unfinished, path)
    except OSError:
        os.unlink(unfinished)
        raise


def _warn(node: pytest.Item | pytest.Session, text: str) -> None:
    """Adds a warning to pytest's summary, also if a filter turns warnings into errors, which would end the session."""
    with warnings.catch_warnings():
        warnings.simplefilter('always')
        node.warn(pytest.PytestWarning(text))


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
