"""The counts of callgrind in a process between two dumps."""

import pathlib
import re

ALLOCATORS = {'malloc', 'calloc', 'realloc', 'posix_memalign', 'aligned_alloc', 'memalign'}


def command(folder: pathlib.Path, *options: str) -> list[str]:
    """The command that starts a server with callgrind; each process writes its own files."""
    return ['valgrind', '--tool=callgrind', '--trace-children=yes', f'--callgrind-out-file={folder}/%p', *options]


def names(text: str, kind: str) -> dict[str, str]:
    """The names of functions (fn) or objects (ob) in a file, by number: a name is written once, with a number that stands
    for it from then on: cfn=(12) malloc, then cfn=(12)."""
    return dict(re.findall(rf'^c?{kind}=\((\d+)\) (.+)$', text, re.MULTILINE))


def dump(folder: pathlib.Path) -> str:
    """Work for the driver: each process writes its counts into a file of its own, and begins again."""
    return f'run echo $PERF_PIDS | xargs -n 1 callgrind_control --dump >{folder}/log 2>&1'


class Profile:
    """A file of callgrind: the command, the instructions, and how often memory was allocated."""

    def __init__(self, file: pathlib.Path):
        text = file.read_text()
        self.command = re.search(r'^cmd: +(.*)$', text, re.MULTILINE)[1]
        self.instructions = int(re.search(r'^(?:totals|summary): +(\d+)$', text, re.MULTILINE)[1])
        functions = names(text, 'fn')
        calls = re.findall(r"^cfn=\((\d+)\).*\ncalls=(\d+)", text, re.MULTILINE)
        self.allocations = sum(int(count) for number, count in calls if functions[number] in ALLOCATORS)
