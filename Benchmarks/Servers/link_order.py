"""Writes Packaging/link-order.txt: the functions that `blepera serve` and its phone call from the start to requests and a
move to the background, by callgrind. The linker puts them next to each other, so that less of the program is in memory;
names that are no longer in the program have no effect.

    Scripts/python-of clients Benchmarks/Servers/link_order.py
"""

import pathlib
import re
import tempfile

from callgrind import command, dump, names
from servers import BLEPERA, ROOT, build, drive, profile

ORDER = ROOT / 'Packaging' / 'link-order.txt'
WORK = (
    'connect; sleep 0.5; subscribe echo 0 0; subscribe notify 0 0; write dynamic 0 3 1; read cached 0 3 1; '
    'read dynamic 0 3 1; echo 3 1; toggle-socket 4'
)


def functions(file: pathlib.Path) -> list[str]:
    """The symbols of the program that a process has called, in the order of the file."""
    text = file.read_text()
    objects, symbols = names(text, 'ob'), names(text, 'fn')
    found = {}
    place = ''
    for kind, number in re.findall(r'^(ob|fn)=\((\d+)\)', text, re.MULTILINE):
        if kind == 'ob':
            place = objects[number]
        elif place.endswith('/blepera') and not symbols[number].startswith('0x'):
            found[symbols[number].split("'")[0]] = None
    return list(found)


def main() -> None:
    build()
    with tempfile.TemporaryDirectory(prefix='blepera-callgrind-') as folder:
        path = pathlib.Path(folder)
        server = [*command(path, '--demangle=no'), BLEPERA, 'serve', profile(1, queue=1_000_000)]
        drive(f'{WORK}; {dump(path)}', server, 1)
        files = sorted(path.glob('*.1'), key=lambda file: int(file.stem))
        app, phone = (functions(file) for file in files)
    # Each process needs one part and the middle.
    both = set(app) & set(phone)
    order = [name for name in app if name not in both] + [name for name in app if name in both]
    order += [name for name in phone if name not in both]
    ORDER.write_text('\n'.join(order) + '\n')
    print(f'{len(order):,} functions, of which the app calls {len(app):,} and the phone {len(phone):,}')


main()
