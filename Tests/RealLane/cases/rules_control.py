"""Who may ask a running phone, and how: the keys of serve's terminal, and the folder that the commands go through."""

import asyncio
import re

from rig.errors import expect, expect_equal
from rig.process import Process
from rig.runner import case
from rig.stage import Stage, profile_path

from .pairing import strip_colours

PROFILE = 'heart-rate'
NOBODY = ('setpriv', '--reuid=65534', '--regid=65534', '--clear-groups')
CONNECT = 'import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])'


async def settings(stage: Stage, process: Process) -> str:
    """Those of the terminal that a program's standard input is."""
    return (await stage.vm.run('sh', '-c', f'stty -a -F "$(readlink /proc/{process.pid}/fd/0)"')).text()


@case('the keys of the terminal: b, f, s and l do what the commands do, ? lists them, q ends; then it echoes again')
async def keys(stage: Stage):
    predicted = await stage.explain(PROFILE)
    front, back = predicted['foreground'].packets, predicted['background'].packets
    # The shell outlives blepera, on the same terminal.
    shell = ('sh', '-c', '"$@"; echo "status $?"; stty -a; sleep 20', 'sh')
    process = await stage.vm.start_program(*shell, stage.binary, 'serve', profile_path(PROFILE), terminal=True)
    terminal = stage.adopt(process).process

    async def shown(pattern: str) -> re.Match:
        def look() -> re.Match | None:
            return re.search(pattern, strip_colours(terminal.text()))

        return await terminal.until(look, 10, f'"{pattern}" on the terminal')

    central = await stage.central()
    async with central.overhear() as heard, stage.air.hurry():
        await heard.until_heard(front)
        await shown('list.* the keys')
        expect(' -echo ' in await settings(stage, terminal), 'the terminal echoes the keys')
        for key, packets in (('b', back), ('f', front), ('l', back), ('l', front), ('s', back), ('f', front)):
            mark = heard.mark
            terminal.type(key)
            await heard.until_heard(packets, after=mark, limit=5)
            mark = heard.mark
            await asyncio.sleep(0.2)
            expect_equal(set(heard.packets(after=mark)), packets, f'the packets on the air after {key}')
        await shown('suspended')
        terminal.type('?')
        for key in 'fbslq?':
            await shown(f'\n {{1,4}}{re.escape(key)} +\\w+')
        terminal.type('q')
        await shown('status 0')
        await stage.air.until_silent()
    said = await shown('(?s)status 0\n(.*-?tostop)')
    expect(re.search(r'(?<!-)\becho\b', said.group(1)), f'the terminal does not echo any more: {said.group(1)}')
    expect(re.search(r'(?<!-)\bicanon\b', said.group(1)), f'the terminal does not read lines any more: {said.group(1)}')


@case('the control folder is for its user alone: another user cannot ask the phone, whose own commands work')
async def stranger(stage: Stage):
    program, runtime = '/run/control/bin/blepera', '/run/control/runtime'
    await stage.vm.run('install', '-D', '-m', '755', stage.binary, program)
    await stage.vm.run('install', '-d', '-m', '755', runtime)
    environment = {'XDG_RUNTIME_DIR': runtime}
    blepera = await stage.run('serve', '--json', str(profile_path(PROFILE)), env=environment)
    await blepera.until('advertising')
    folder = await stage.vm.run('stat', '-c', '%a %U', f'{runtime}/blepera')
    expect_equal(folder.text(), '700 root\n', 'the mode and the owner of the control folder')
    for command in ('status', 'background'):
        theirs = await stage.vm.run(*NOBODY, program, command, env=environment)
        expect_equal(theirs.status, 1, f'the exit status of {command} for another user')
        expect('another user' in theirs.text('err'), f'what they are told: {theirs.text("err")}')
    # One that does not keep to the rules of blepera's own commands.
    raw = await stage.vm.run(*NOBODY, 'python3', '-IS', '-c', CONNECT, f'{runtime}/blepera/default.socket')
    expect('PermissionError' in raw.text('err'), f'what a program of another user gets: {raw.text() or "a connection"}')
    for command in ('status', 'background'):
        mine = await stage.vm.run(program, command, env=environment)
        expect_equal(mine.status, 0, f'the exit status of {command} for the same user')
    await blepera.until('state', limit=5, state='background')


@case('a folder that another user has put in the way is refused, with its name')
async def in_the_way(stage: Stage):
    runtime = '/run/in-the-way'
    await stage.vm.run('install', '-d', '-m', '700', '-o', 'nobody', f'{runtime}/blepera')
    blepera = await stage.run('serve', str(profile_path(PROFILE)), env={'XDG_RUNTIME_DIR': runtime})
    expect_equal(await blepera.process.wait(10), 1, 'the exit status')
    said = blepera.process.text('err')
    expect(f'{runtime}/blepera' in said and 'another user' in said, f'what it says: {said}')


@case('a phone has its name for itself, and is found by it; after a kill -9 the name is free')
async def named(stage: Stage):
    await stage.serve(PROFILE, '--system', 'lane')
    other = await stage.run('system', '--system', 'lane')
    expect_equal(await other.process.wait(10), 1, 'the exit status of a second phone')
    said = other.process.text('err')
    expect(re.search(r'\blane\b', said) and len(said.strip().splitlines()) <= 3, f'what it says: {said}')
    expect_equal((await stage.vm.run(stage.binary, 'status', '--system', 'lane')).status, 0, 'the status of the first')
    unknown = await stage.vm.run(stage.binary, 'status')
    expect_equal(unknown.status, 1, 'the exit status of status where nothing runs by that name')
    await stage.kill_all()
    await stage.serve(PROFILE, '--system', 'lane')
