"""What `blepera doctor` says of the micro-VM, in good and bad states."""

import re

from rig.errors import expect, expect_equal
from rig.runner import case
from rig.stage import Stage


async def check(stage: Stage, status: int, *wanted: str) -> None:
    """Its exit status, and a line for each of these patterns."""
    blepera = await stage.run('doctor')
    expect_equal(await blepera.process.wait(20), status, 'the exit status')
    lines = blepera.process.text('out').splitlines()
    for pattern in wanted:
        expect(any(re.search(pattern, line) for line in lines), f'no line of the doctor matches "{pattern}": {lines}')


@case('the doctor names the bus, the release, the adapter, the free instances, the intervals and the pop-ups')
async def healthy(stage: Stage):
    await check(
        stage,
        0,
        '^ok .*message bus .*reachable',
        '^ok .*bluetoothd .*5\\.66',
        '^ok .*hci0 .*powered on',
        '^ok .*advertising .*3 free instances on hci0',
        '^note .*intervals .*1280 ms.*-E',
        '^note .*writes .*510 bytes',
        '^note .*pairing .*ReverseServiceDiscovery = false',
        '^ok .*kernel ',
    )


@case('the doctor says what to do about an adapter that is off, one that is missing, and no bluetoothd')
async def unhealthy(stage: Stage):
    await stage.bluez.power(False)
    await check(stage, 1, '^FIX .*hci0 .*powered off.*--power-on')
    await stage.air.unplug()
    await check(stage, 1, '^FIX .*adapter .*no Bluetooth adapter.*plug one in')
    await stage.bluez.kill()
    await check(stage, 1, '^FIX .*bluetoothd .*not running.*systemctl start bluetooth')
