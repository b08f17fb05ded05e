"""Programs that options of pytest name."""

import pytest


def program(request, option: str) -> str:
    """The path of the program that an option names."""
    path = request.config.getoption(option).resolve()
    if not path.is_file():
        pytest.exit(f'{path} does not exist; build it with make release', returncode=2)
    return str(path)
