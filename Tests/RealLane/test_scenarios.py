"""Scenarios on the real bluetoothd: each phone and each central has an adapter of its own, all on one air. The clock is
the real one, so this is the shortest of the shipped scenarios; Tests/Clients and the unit tests run all of them on the
virtual radio, and the other tests of this folder show what only bluetoothd can get wrong.
"""

import pytest
from blepera_tests.paths import ROOT

from rig.stage import Stage

# bluetoothd runs with -E; otherwise an advertisement is sent only every 1.28 s.
pytestmark = [pytest.mark.bluetoothd(experimental=True, respawns=True, adapters=2), pytest.mark.limit(300)]


@pytest.mark.parametrize('name', ['bit-collision'])
async def test_scenario(stage: Stage, name: str):
    words = ('scenario', 'run', '--bluez', '--adapters', 'hci0,hci1', str(ROOT / f'scenarios/{name}.plist'))
    playing = await stage.run(*words)
    assert await playing.process.wait(300) == 0, f'the exit status of blepera {" ".join(words)}'
