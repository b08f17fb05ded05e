"""The processes of a lab, known by their environment."""

import os
import pathlib
import uuid

VARIABLE = 'BLEPERA_TEST_MARK'


class Mark:
    """An environment by which the processes of a lab are known, whoever their parent is by then."""

    def __init__(self, folder: pathlib.Path):
        self.folder = folder
        self.value = uuid.uuid4().hex
        self.environment = {**os.environ, VARIABLE: self.value, 'XDG_RUNTIME_DIR': str(folder)}

    def processes(self, word: str = '') -> list[int]:
        """The marked processes whose command line has the word."""
        found = []
        for process in pathlib.Path('/proc').glob('[0-9]*'):
            try:
                is_marked = f'{VARIABLE}={self.value}'.encode() in (process / 'environ').read_bytes().split(b'\0')
                if is_marked and word.encode() in (process / 'cmdline').read_bytes():
                    found.append(int(process.name))
            except OSError:  # it has just ended, or is another user's
                pass
        return found

    def left(self) -> list:
        return [*self.processes(), *self.folder.iterdir()]
