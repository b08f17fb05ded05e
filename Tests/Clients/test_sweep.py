"""Predictions in shards: any split gives the bytes of one run, on Dask, also where workers are killed, and by each recipe."""

import itertools
import json
import os
import pathlib
import random
import signal
import stat
import subprocess
import sys
import textwrap
import threading
import time

import blepera as package
import kubernetes_validate
import pytest
import yaml
from blepera_tests.paths import ROOT
from distributed import Client, LocalCluster

from conftest import assert_installed

EXAMPLES = ROOT / 'examples/sweep'
GRID = {'interval': [1022.5], 'preset': ['esphome', 'esphome-30']}
WORDS = ['--interval', '1022.5', '--preset', 'esphome', '--preset', 'esphome-30']
TRIALS, SHARDS = 1600, 16
TIMEOUT = 240  # seconds; only how long a failing test waits


def predict(program: str, *words: str, folder: pathlib.Path | None = None) -> str:
    # Readline sets COLUMNS in this process, but not in os.environ.
    done = subprocess.run([program, 'predict', *words], cwd=folder, env=dict(os.environ), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(autouse=True)
def usual_width(monkeypatch):
    """Recipes run without COLUMNS, which pytest-xdist or a shell may set."""
    monkeypatch.delenv('COLUMNS', raising=False)


@pytest.fixture(scope='session')
def whole(blepera) -> str:
    """The JSON of one run, which any sweep of the grid has to give."""
    return predict(blepera, *WORDS, '--trials', str(TRIALS), '--seed', '7', '--json')


@pytest.fixture
def version(blepera) -> str:
    return subprocess.run([blepera, '--version'], capture_output=True, text=True, check=True).stdout.strip()


class Wrapped:
    """A program that notes each shard that it begins, runs a line of shell, and continues as blepera."""

    def __init__(self, blepera: str, folder: pathlib.Path, line: str = ':') -> None:
        folder.mkdir(exist_ok=True)
        self.folder, self.path = folder, folder / 'blepera'
        # $shard is the number; the parent of this shell is the worker.
        self.path.write_text(textwrap.dedent(f"""\
            #!/bin/sh
            folder={folder}
            case "$*" in *"--shard "*)
              shard=${{*##*--shard }}
              shard=${{shard%/*}}
              echo "$*" >>$folder/runs
              {line}
            esac
            exec {blepera} "$@"
        """))
        self.path.chmod(0o755)

    @property
    def runs(self) -> list[str]:
        file = self.folder / 'runs'
        return file.read_text().splitlines() if file.exists() else []


def wait_until(condition, what: str) -> None:
    end = time.monotonic() + TIMEOUT
    while not condition():
        assert time.monotonic() < end, f'{what} has not happened'
        time.sleep(0.02)


def files(folder: pathlib.Path) -> dict[str, int]:
    """The shards that are done, with the times of their files."""
    return {path.name: path.stat().st_mtime_ns for path in (folder / 'shards').glob('*.jsonl')}


def sweep(program, folder, client=None, **options):
    options = {'trials': TRIALS, 'shards': SHARDS, 'seed': 7, 'progress': False, **options}
    return package.sweep(GRID, client, folder=folder, program=str(program), **options)


@pytest.fixture
def cluster():
    """Starts two worker processes, each of which runs one shard at a time."""
    clusters = []

    def start(**options) -> Client:
        cluster = LocalCluster(
            n_workers=2, threads_per_worker=1, host='127.0.0.1', dashboard_address='127.0.0.1:0', silence_logs=50, **options)
        clusters.append(cluster)
        clusters.append(Client(cluster))
        return clusters[-1]

    yield start
    for one in reversed(clusters):
        one.close()


def test_shards_in_any_order_merge_to_the_bytes_of_one_run(blepera, whole, tmp_path):
    options = ['--trials', str(TRIALS), '--seed', '7']
    names = []
    for number in range(1, SHARDS + 1):
        names.append(tmp_path / f'{number}.jsonl')
        names[-1].write_text(predict(blepera, *WORDS, *options, '--shard', f'{number}/{SHARDS}'))
    random.Random(3).shuffle(names)
    assert predict(blepera, '--merge', *map(str, names), '--json') == whole
    assert predict(blepera, '--merge', *map(str, names)) == predict(blepera, *WORDS, *options)


def test_a_sweep_of_several_commands_has_the_names_and_the_order_of_one(blepera, tmp_path):
    """In the background captures disagree, so that a command has several rows. A sweep has a command for each setting."""
    grid = {'profile': 'heart-rate', 'state': ['background', 'foreground'], 'loss': 5}
    options = {'folder': tmp_path / 'sweep', 'program': blepera, 'trials': 40, 'shards': 2, 'progress': False}
    result = package.sweep({**grid, 'preset': ['esphome-30', 'esphome']}, **options)
    one = package.predict(program=blepera, trials=40, **grid, preset=['esphome-30', 'esphome'])
    assert sorted(map(str, result.predictions)) == sorted(map(str, one)), 'the names are equal, too'
    names = [prediction['name'] for prediction in result.predictions]
    assert len(set(names)) == len(names) == 8
    order = [(prediction['state'], prediction['preset']) for prediction in result.predictions]
    assert [key for key, _ in itertools.groupby(order)] == list(
        itertools.product(['background', 'foreground'], ['esphome-30', 'esphome']))
    paths = sorted((tmp_path / 'sweep/shards').iterdir())
    random.Random(3).shuffle(paths)
    assert predict(blepera, '--merge', *map(str, paths), '--json') == (tmp_path / 'sweep/predictions.json').read_text()


def test_the_last_line_of_a_file_is_missed(blepera, tmp_path):
    lines = predict(blepera, *WORDS, '--trials', '20', '--shard', '1/1').splitlines(keepends=True)
    (tmp_path / '1.jsonl').write_text(lines[0])
    done = subprocess.run([blepera, 'predict', '--merge', tmp_path / '1.jsonl'], capture_output=True, text=True)
    assert done.returncode == 2 and 'missing the lines of setting 2 of 2' in done.stderr


def test_the_predictions_of_the_package_are_those_of_the_command(blepera, whole):
    predictions = package.predict(program=blepera, trials=TRIALS, seed=7, **GRID)
    assert predictions == json.loads(whole)['predictions']
    assert predictions[0]['p95'] < 2 < predictions[1]['p95'], 'a window of 30 of 320 ms takes longer'


def test_a_sweep_of_which_a_worker_is_killed_ends_with_the_bytes_of_one_run(blepera, whole, cluster, tmp_path):
    """Shard 5 of the first setting waits the first time, so that its worker is killed while it works."""
    stuck = 'if [ $shard = 5 ] && mkdir $folder/stuck 2>/dev/null; then echo $PPID $$ >$folder/stuck/pids; exec sleep 300; fi'
    program = Wrapped(blepera, tmp_path / 'program', stuck)
    pids, results = program.folder / 'stuck/pids', []
    thread = threading.Thread(target=lambda: results.append(sweep(program.path, tmp_path / 'sweep', client)))
    client = cluster()
    thread.start()
    wait_until(lambda: pids.exists() and pids.read_text().endswith('\n'), 'shard 5')
    wait_until(lambda: files(tmp_path / 'sweep'), 'the first shard that is done')
    for pid in pids.read_text().split():
        os.kill(int(pid), signal.SIGKILL)
    thread.join(TIMEOUT)
    [result] = results
    assert result.missing == {}
    assert (tmp_path / 'sweep/predictions.json').read_text() == whole
    assert result.predictions == json.loads(whole)['predictions']
    assert result.table == (tmp_path / 'sweep/predictions.txt').read_text()
    assert (tmp_path / 'sweep/predictions.svg').read_text().startswith('<svg')
    assert len(program.runs) > 2 * SHARDS, 'a shard has run again'


def test_a_sweep_that_is_killed_is_resumed_by_its_missing_shards_alone(blepera, whole, tmp_path):
    """From the seventh on, a shard waits until the sweep is killed."""
    wait = 'n=0; while [ $(wc -l <$folder/runs) -gt 6 ] && [ ! -e $folder/go ] && [ $n -lt 600 ]; do n=$((n+1)); sleep 0.1; done'
    program = Wrapped(blepera, tmp_path / 'program', wait)
    call = (
        f'import blepera; blepera.sweep({GRID}, folder={str(tmp_path / "sweep")!r}, program={str(program.path)!r}, '
        f'trials={TRIALS}, shards={SHARDS}, seed=7)')
    killed = subprocess.Popen([sys.executable, '-c', call], stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: (tmp_path / 'sweep/shards').exists() and len(files(tmp_path / 'sweep')) >= 4, 'the fourth shard')
    finally:
        killed.kill()
        killed.wait()
    done = files(tmp_path / 'sweep')
    begun = program.runs
    assert len(done) < 2 * SHARDS and not (tmp_path / 'sweep/predictions.json').exists()
    (program.folder / 'go').touch()

    result = sweep(program.path, tmp_path / 'sweep')
    assert result.missing == {} and (tmp_path / 'sweep/predictions.json').read_text() == whole
    assert len(program.runs) - len(begun) == 2 * SHARDS - len(done)
    assert files(tmp_path / 'sweep').items() >= done.items(), 'no shard that was done is written again'
    assert sweep(program.path, tmp_path / 'sweep').predictions == result.predictions
    assert len(program.runs) - len(begun) == 2 * SHARDS - len(done), 'a complete sweep runs nothing'


def test_a_shard_that_kills_its_workers_is_missing_and_does_not_end_the_sweep(blepera, whole, cluster, tmp_path, caplog):
    """Only the settings whose shards are all done are merged; what waited at the killed workers may be missing too."""
    kill = '[ -e $folder/cured ] || case "$shard $*" in "3 "*esphome-30*) kill -9 $PPID; exit 1;; esac'
    program = Wrapped(blepera, tmp_path / 'program', kill)
    client = cluster(scheduler_kwargs={'allowed_failures': 1})
    result = sweep(program.path, tmp_path / 'sweep', client)
    poisoned = package.Shard(1, 3)
    assert 'KilledWorker' in result.missing[poisoned] and 'setting 1, shard 3/16 is missing: KilledWorker' in caplog.text
    assert set(files(tmp_path / 'sweep')) | {shard.file for shard in result.missing} == {
        f'{setting}-{number}.jsonl' for setting in (0, 1) for number in range(1, SHARDS + 1)}
    incomplete = {shard.setting for shard in result.missing}
    assert len(result.predictions) == 2 - len(incomplete)

    (program.folder / 'cured').touch()
    begun = len(program.runs)
    assert sweep(program.path, tmp_path / 'sweep').missing == {}
    assert len(program.runs) - begun == len(result.missing)
    assert (tmp_path / 'sweep/predictions.json').read_text() == whole


def test_a_worker_with_another_version_is_refused_before_a_shard_runs(blepera, version, cluster, tmp_path, monkeypatch):
    """The program is found on the PATH of each process."""
    own = Wrapped(blepera, tmp_path / 'own')
    other = Wrapped(blepera, tmp_path / 'other')
    text = other.path.read_text().replace('case ', '[ "$1" != --version ] || { echo 0.0.1; exit; }\ncase ', 1)
    other.path.write_text(text)
    monkeypatch.setenv('PATH', f'{own.folder}:{os.environ["PATH"]}')
    client = cluster(env={'PATH': f'{other.folder}:{os.environ["PATH"]}'})
    with pytest.raises(package.SweepError, match=rf'needs blepera {version}, .*tcp://127.*: blepera 0\.0\.1') as refused:
        package.sweep(GRID, client, folder=tmp_path / 'sweep', trials=TRIALS, progress=False)
    assert str(refused.value).count(': blepera 0.0.1') == 2, 'each worker is named'
    assert own.runs == other.runs == [] and files(tmp_path / 'sweep') == {}


def test_a_worker_that_changes_its_version_later_gives_no_shard(blepera, version, tmp_path):
    program = Wrapped(blepera, tmp_path / 'program', f'{blepera} "$@" | sed s/{version}/0.0.1/; exit')
    with pytest.raises(package.SweepError, match="the shard has the version, trials and number .*'0.0.1'"):
        sweep(program.path, tmp_path / 'sweep', shards=1)
    assert files(tmp_path / 'sweep') == {}


@pytest.mark.parametrize(('settings', 'options', 'error', 'message'), [
    ({'interval': [1022.5], 'preset': ['esphom']}, {}, package.SweepError, "setting 0, shard 1/1: .*esphom"),
    ([{'interval': 1022.5, 'preset': 'esphome', 'seed': 2}], {}, ValueError, 'a sweep has seed for all of its settings'),
    ([{'preset': 'esphome'}] * 2, {}, ValueError, 'two settings of the sweep are equal'),
    ([], {}, ValueError, 'the sweep has no settings'),
    ([{'preset': 'esphome', 'profile': 'no-such.plist'}], {}, package.PredictionError, 'there is no profile no-such.plist'),
    (GRID, {'trials': 3, 'shards': 4}, ValueError, '3 trials cannot be divided into 4 shards'),
], ids=['preset', 'seed', 'equal', 'empty', 'profile', 'trials'])
def test_faulty_settings_end_the_sweep_with_one_sentence(blepera, tmp_path, settings, options, error, message):
    with pytest.raises(error, match=message):
        package.sweep(settings, folder=tmp_path / 'sweep', program=blepera, progress=False, **{'shards': 1, **options})


@pytest.mark.parametrize(('changed', 'names'), [
    ({'seed': 8}, 'seed'), ({'trials': 3200}, 'trials'), ({'shards': 3}, 'shards')], ids=str)
def test_the_folder_of_another_sweep_is_refused(blepera, tmp_path, changed, names):
    sweep(blepera, tmp_path / 'sweep', shards=1)
    before = files(tmp_path / 'sweep')
    with pytest.raises(package.SweepError, match=f'has another sweep, with other {names}; name another folder'):
        sweep(blepera, tmp_path / 'sweep', **{'shards': 1, **changed})
    assert files(tmp_path / 'sweep') == before


def test_a_folder_with_other_files_is_refused(blepera, tmp_path):
    (tmp_path / 'notes.txt').write_text('')
    with pytest.raises(package.SweepError, match='is not empty and has no sweep'):
        sweep(blepera, tmp_path)


def test_without_dask_a_sweep_names_the_extra(blepera, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, 'distributed', None)
    with pytest.raises(package.SweepError, match=r'pip install blepera\[sweep\]'):
        sweep(blepera, tmp_path / 'sweep')


def test_dask_is_imported_by_a_sweep_alone():
    words = 'import blepera, blepera.plugin, sys; assert not {"dask", "distributed"} & set(sys.modules)'
    subprocess.run([sys.executable, '-c', words], check=True)


FIXTURE = """
import pytest


@pytest.mark.parametrize('state', ['foreground', 'background'])
def test_a_percentile(blepera_predict, state):
    options = {'profile': 'heart-rate', 'state': state, 'preset': 'esphome', 'trials': 500}
    predictions = blepera_predict(seed=7, **options)
    assert predictions == blepera_predict(seed=7, **options) != blepera_predict(seed=8, **options)
    assert all(prediction['p95'] < 2 for prediction in predictions)


@pytest.mark.blepera(profile=['heart-rate', 'heart-rate'], loss=20)
def test_the_phones_of_a_lab(blepera_lab, blepera_predict):
    options = {'state': 'foreground', 'preset': 'esphome-30', 'trials': 500}
    [first, second] = blepera_lab.predict(**options)
    assert first == second != blepera_predict(profile='heart-rate', **options)[0], 'the lab has a loss'
    assert blepera_lab.predict(**options, loss=0)[0] == blepera_predict(profile='heart-rate', **options)[0]
    assert len(blepera_lab.predict(interval=1022.5, preset='esphome', trials=500)) == 1


def test_that_fails(blepera_predict):
    blepera_predict(interval=1022.5, preset='esphom')
"""


def test_a_test_asserts_on_a_percentile(blepera, tmp_path):
    from test_fixtures import play

    shown = play(blepera, tmp_path, tests=FIXTURE, status=1)
    assert '1 failed, 3 passed' in shown and 'esphom' in shown, shown


# The recipes. They are played with fewer trials.


def fewer(text: str) -> str:
    assert '--trials 1000000 --seed 1' in text
    return text.replace('--trials 1000000 --seed 1', f'--trials {TRIALS} --seed 7')


def documents(name: str) -> list[dict]:
    return list(yaml.safe_load_all((EXAMPLES / name).read_text()))


def shell(words: list[str], blepera: str, **variables: str) -> str:
    """The output of words that run on this machine in place of a container."""
    path = f'{pathlib.Path(blepera).parent}:{os.environ["PATH"]}'
    done = subprocess.run(words, env={**os.environ, 'PATH': path, **variables}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize('version', ['1.29', '1.33', kubernetes_validate.latest_version()])
@pytest.mark.parametrize('name', ['job.yaml', 'merge.yaml'])
def test_a_manifest_fits_the_schema_of_kubernetes(name, version):
    for document in documents(name):
        kubernetes_validate.validate(document, version, strict=True)


def test_the_schema_of_kubernetes_finds_a_misspelled_key():
    job = documents('job.yaml')[1]
    job['spec']['completion'] = job['spec'].pop('completions')
    with pytest.raises(kubernetes_validate.ValidationError, match='completion'):
        kubernetes_validate.validate(job, '1.33', strict=True)


def test_each_index_of_the_job_is_a_shard(blepera, whole, tmp_path):
    """An index whose shard is done ends at once."""
    spec = documents('job.yaml')[1]['spec']
    [container] = spec['template']['spec']['containers']
    words = [*container['command'], fewer(container['args'][0]).replace('/shards/', f'{tmp_path}/')]
    for index in range(spec['completions']):
        shell(words, blepera, JOB_COMPLETION_INDEX=str(index))
    done = {path.name: path.stat() for path in tmp_path.iterdir()}
    assert set(done) == {f'{index}.jsonl' for index in range(16)} and spec['maxFailedIndexes'] == spec['completions'] == 16
    shell(words, blepera, JOB_COMPLETION_INDEX='3')
    assert (tmp_path / '3.jsonl').stat().st_mtime_ns == done['3.jsonl'].st_mtime_ns

    [merge] = documents('merge.yaml')[0]['spec']['template']['spec']['containers']
    shown = shell([*merge['command'], merge['args'][0].replace('/shards/', f'{tmp_path}/')], blepera)
    assert shown == predict(blepera, *WORDS, '--trials', str(TRIALS), '--seed', '7')
    assert (tmp_path / 'predictions.svg').exists()
    assert predict(blepera, '--merge', *map(str, tmp_path.glob('*.jsonl')), '--json') == whole
    assert merge['image'] == container['image'] and merge['volumeMounts'] == container['volumeMounts']


def test_a_wrong_command_line_ends_the_job(blepera):
    """The statuses of the policy are those of the command."""
    rule = documents('job.yaml')[1]['spec']['podFailurePolicy']['rules'][0]
    done = subprocess.run([blepera, 'predict', '--preset', 'esphom', '--interval', '1022.5'], capture_output=True)
    assert rule['action'] == 'FailJob' and done.returncode in rule['onExitCodes']['values']


def test_gnu_parallel_continues_with_the_shards_that_are_missing(blepera, whole, tmp_path):
    assert_installed('parallel')
    script = tmp_path / 'parallel.sh'
    script.write_text(fewer((EXAMPLES / 'parallel.sh').read_text()))
    broken = Wrapped(blepera, tmp_path / 'broken', '[ $shard != 7 ] || exit 1')
    path = f'{broken.folder}:{os.environ["PATH"]}'
    folder = tmp_path / 'sweep'
    failed = subprocess.run(['sh', script, folder], env={**os.environ, 'PATH': path}, capture_output=True, text=True)
    assert failed.returncode and len(list(folder.glob('*.jsonl'))) == 15

    program = Wrapped(blepera, tmp_path / 'program')
    assert shell(['sh', str(script), str(folder)], str(program.path)) == predict(
        blepera, *WORDS, '--trials', str(TRIALS), '--seed', '7')
    assert len(program.runs) == 1
    assert predict(blepera, '--merge', *map(str, folder.glob('*.jsonl')), '--json') == whole


STUB = """#!/bin/sh
case "${0##*/} $*" in
  "gh run download"*) for file in *.jsonl; do mkdir -p shards/shard-${file%.jsonl}; mv $file shards/shard-${file%.jsonl}; done;;
  "python -m pip install --no-deps "*) ;;
  *) echo "$*" >&2; exit 1;;
esac
"""


def test_the_jobs_of_the_workflow_are_shards_and_their_merger(blepera, whole, tmp_path):
    jobs = yaml.safe_load((EXAMPLES / 'github.yml').read_text())['jobs']
    for name in ('gh', 'python'):
        (tmp_path / name).write_text(STUB)
        (tmp_path / name).chmod(stat.S_IRWXU)
    path = f'{tmp_path}:{pathlib.Path(blepera).parent}:{os.environ["PATH"]}'
    environment = {'PATH': path, 'BLEPERA': 'wheel', 'GITHUB_RUN_ID': '1', 'GITHUB_REPOSITORY': 'owner/name'}
    shards = jobs['shard']['strategy']['matrix']['shard']
    for shard in shards:
        for step in jobs['shard']['steps']:
            if 'run' in step:
                variables = {**environment, 'SHARD': str(shard), 'SHARDS': str(len(shards))}
                subprocess.run(['bash', '-e', '-c', fewer(step['run'])], cwd=tmp_path, env=variables, check=True)
    [merge] = [step['run'] for step in jobs['merge']['steps'] if 'run' in step]
    subprocess.run(['bash', '-eo', 'pipefail', '-c', merge], cwd=tmp_path, env=environment, check=True)
    assert predict(blepera, '--merge', *map(str, tmp_path.glob('shards/*/*.jsonl')), '--json') == whole
    assert (tmp_path / 'predictions.txt').read_text() == predict(blepera, *WORDS, '--trials', str(TRIALS), '--seed', '7')
    assert (tmp_path / 'predictions.svg').exists()


def test_the_script_for_dask(blepera, tmp_path):
    """Twice: the second run has nothing to do."""
    script = tmp_path / 'sweep.py'
    script.write_text((EXAMPLES / 'sweep.py').read_text().replace('trials=100_000', f'trials={TRIALS}'))
    environment = {**os.environ, 'PATH': f'{pathlib.Path(blepera).parent}:{os.environ["PATH"]}'}
    shown = [
        subprocess.run([sys.executable, script], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
        for _ in range(2)]
    assert shown[0].stdout == shown[1].stdout and shown[1].stderr == ''
    predictions = json.loads((tmp_path / 'sweep/predictions.json').read_text())['predictions']
    assert len(predictions) >= 10, 'captures that disagree about an interval have a prediction each'
