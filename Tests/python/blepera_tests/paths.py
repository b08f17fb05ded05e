"""The paths of the project's files."""

import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCENARIOS = sorted((ROOT / 'scenarios').glob('*.plist'))
LANE_PROFILES = ROOT / 'Tests/RealLane/profiles'


def profile_path(name: str) -> pathlib.Path:
    """A shipped profile, or one that only the tests have."""
    for folder in (ROOT / 'profiles', LANE_PROFILES):
        if (path := folder / f'{name}.plist').exists():
            return path
    raise FileNotFoundError(f'there is no profile {name}.plist')
