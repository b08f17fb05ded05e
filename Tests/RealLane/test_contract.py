"""The contract: what programs can rely on of org.bluez. `blepera-contract` plays its cases on the real bluetoothd, with
one adapter for the app and one for the client; the unit tests play them on the virtual one.
"""

import asyncio
import re

import pytest
from blepera_tests.paths import ROOT

from rig.process import Line
from rig.stage import Stage

AREAS = re.search(r'enum Area[^{]*{([^}]*)}', (ROOT / 'Tests/Lab/Contract/ContractCase.swift').read_text())[1]
AREAS = [name for line in re.findall(r'case (.*)', AREAS) for name in line.split(', ')]
# With more channels for ATT, as bluetoothd has them before 5.67, the two adapters open channels to each other at the
# same time; these collide, and once in some tens of connections a request or an update of the services is lost.
ONE_CHANNEL = '[GATT]\nChannels = 1\n[Policy]\nAutoEnable = true\n'
RESULT = re.compile(r'(ok|AGAIN|FAILED) +[\d.]+ s  (.*)')


def played(area: str):
    # bluetoothd runs with -E; otherwise an advertisement is sent only every 1.28 s.
    configuration = '' if area == 'eatt' else ONE_CHANNEL
    bluetoothd = pytest.mark.bluetoothd(experimental=True, respawns=True, adapters=2, configuration=configuration)
    return pytest.param(area, marks=[bluetoothd, pytest.mark.limit(600)])


@pytest.mark.parametrize('area', [played(area) for area in AREAS])
async def test_contract(stage: Stage, contract: str, area: str, subtests):
    """Each case is a subtest. The program plays a case that fails a second time: once in some hundred connections the
    kernel of a slow micro-VM does not make one."""
    failures: dict[str, list[str] | None] = {}
    orders: list[asyncio.Task] = []

    def on_line(line: Line) -> None:
        match line.text.split():
            case ['@', 'plug', number]:
                orders.append(asyncio.ensure_future(stage.air.plug(int(number))))
            case ['@', 'unplug', number]:
                orders.append(asyncio.ensure_future(stage.air.unplug(int(number))))
            case ['@', 'cut']:
                stage.air.cut()
            case _ if result := RESULT.fullmatch(line.text):
                failures[result[2]] = None if result[1] == 'ok' else []
            case _ if failures and (failed := list(failures.values())[-1]) is not None:
                failed.append(line.text)

    process = await stage.vm.start_program(contract, f'{area}:', on_line=on_line)
    status = await process.wait(600)
    assert failures, f'no case was played: {process.text()}'
    for name, lines in failures.items():
        with subtests.test(msg=name):
            assert lines is None, '\n'.join(lines)
    assert status == 0 or any(failures.values()), process.text()
