"""Who may have exact packets: without the capability, or in a container, the phone advertises through bluetoothd and
says what is needed; with it, the apps that the phone starts do not get it."""

import asyncio
import re

import pytest
from rig.errors import Failure
from rig.stage import Stage

from .phone import (
    EXACT,
    RX,
    TX,
    WITHOUT_CAPABILITY,
    Undisturbed,
    kill,
    limitation,
    until_app,
    until_exact,
    values,
)

pytestmark = EXACT
NAME = 'nordic-uart'
NOBODY = 65534
AS_NOBODY = ['setpriv', f'--reuid={NOBODY}', f'--regid={NOBODY}', '--clear-groups']
WITHOUT = {
    'user': (AS_NOBODY, 'CAP_NET_ADMIN'),
    'root': (WITHOUT_CAPABILITY, 'CAP_NET_ADMIN'),
    'container': (['unshare', '--net'], 'network'),
}


async def become_nobody(stage: Stage) -> None:
    """Gives a user without rights what a login gives: folders of its own."""
    folder = f'{stage.state}-nobody'
    await stage.vm.run('install', '-d', '-m', '700', '-o', str(NOBODY), '-g', str(NOBODY), folder)
    await stage.vm.run('chmod', '711', folder.rpartition('/')[0])
    stage.vm.settings |= dict.fromkeys(('XDG_STATE_HOME', 'XDG_RUNTIME_DIR', 'HOME'), folder)


@pytest.mark.parametrize('who', WITHOUT)
async def test_not_possible(stage: Stage, who: str):
    """The packets are bluetoothd's, and one warning names what exact ones need."""
    stage.exact = False
    predicted = await stage.explain(NAME)
    stage.exact = True
    stage.under, needed = WITHOUT[who]
    if stage.under is AS_NOBODY:
        await become_nobody(stage)
    await stage.serve(NAME)
    status = await stage.status()
    lacking = limitation(status, 'exact')
    assert lacking and needed in lacking['instead'], f'the limitation, by status: {lacking}'
    assert lacking['advice'], 'the advice'
    warnings = status['warnings']
    assert [lacking['instead'] in one for one in warnings].count(True) == 1, f'the warnings of status: {warnings}'
    for state in ('background', 'foreground'):
        await stage.ask(state)
        for _ in range(250):
            if {one.packet for one in stage.air.sent} == predicted[state].packets:
                break
            await asyncio.sleep(0.02)
        else:
            raise Failure(f'on the air is not what bluetoothd has in the {state}: {set(stage.air.sent)}')


async def test_relaunched_app_has_no_capability(stage: Stage):
    """The phone has CAP_NET_ADMIN alone, as its system unit gives it, and passes nothing on."""
    stage.under = [*AS_NOBODY, '--inh-caps=+net_admin', '--ambient-caps=+net_admin']
    await become_nobody(stage)
    predicted = await stage.explain(NAME)
    blepera = await stage.serve(NAME)
    await until_exact(stage, predicted['foreground'])
    assert not limitation(await stage.status(), 'exact')
    central = await stage.meet()
    subscription = await central.subscribe(central.characteristic(TX))
    calm = await Undisturbed.of(central)
    before = await processes(stage)
    await kill(stage, blepera)
    await central.write(central.characteristic(RX), b'relaunched')
    await values(subscription, [b'relaunched'])
    await until_app(stage, terminationCause=None)
    after = await processes(stage)
    relaunched = set(after) - set(before)
    assert len(relaunched) == 1, f'the processes: {before}, then {after}'
    [app] = relaunched
    for kind in ('Prm', 'Eff', 'Amb'):
        assert after[app][kind] == 0, f'Cap{kind} of the relaunched app'
    calm.check()
    await until_exact(stage, predicted['background'])


async def processes(stage: Stage) -> dict[int, dict[str, int]]:
    """The capabilities of each process of blepera."""
    script = 'for pid in $(pidof "$0"); do echo "process $pid"; grep ^Cap "/proc/$pid/status"; done'
    text = (await stage.vm.run('sh', '-c', script, stage.binary.name)).text('out')
    found = re.findall(r'process (\d+)\n((?:Cap.*\n)*)', text)
    sets = {int(pid): re.findall(r'Cap(\w+):\s*(\w+)', lines) for pid, lines in found}
    return {pid: {kind: int(value, 16) for kind, value in rows} for pid, rows in sets.items()}
