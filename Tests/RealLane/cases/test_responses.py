"""Devices that answer by a table: a glucose meter, a lock with a challenge, a serial line with commands."""

import pytest
from rig.central import Central, Subscription, refusal
from rig.stage import Stage

from .phone import RX, TX, kill, values

MEASUREMENT, CONTROL = '2A18', '2A52'
COMMAND, CHALLENGE, STATE = (f'7C1B000{number}-4E6A-4B3C-8F5D-2A9E6D70C3F1' for number in (2, 3, 4))
RIGHT, WRONG = b'\2' + bytes.fromhex('A5E83C77F16BD40E'), b'\2' + bytes(8)
UNLIKELY, CCCD_MISSING, IN_PROGRESS = 0x0E, 0xFD, 0xFE


async def subscribe(central: Central) -> tuple[Subscription, Subscription]:
    control = central.characteristic(CONTROL)
    return (
        await central.subscribe(control, indications=True),
        await central.subscribe(central.characteristic(MEASUREMENT)),
    )


@pytest.mark.by_release("bluetoothd takes an app's 0xFD since 5.76")
async def test_responses_of_a_glucose_meter(stage: Stage):
    """Records, their number, an abort, and what is refused: by an ATT error and by a response code."""
    await stage.serve('glucose-meter')
    central = await stage.meet()
    control = central.characteristic(CONTROL)
    # bluetoothd before 5.76 does not take an app's 0xFD.
    expected = CCCD_MISSING if stage.minor >= 76 else UNLIKELY
    assert await refusal(central.write(control, b'\1\1')) == expected, 'a request without the subscriptions'
    answers, records = await subscribe(central)
    await central.write(control, b'\4\1')
    await values(answers, [b'\5\0\3\0'])
    await central.write(control, b'\1\1')
    assert await refusal(central.write(control, b'\4\1')) == IN_PROGRESS, 'a request during a report'
    assert [record[1] for record in await records.take(3)] == [1, 2, 3], 'the sequence numbers'
    await values(answers, [b'\6\0\1\1'])
    await central.write(control, b'\1\1')
    await records.next()
    await central.write(control, b'\3\0')
    await values(answers, [b'\6\0\3\1'])
    for request, response in [(b'\2\1', b'\6\0\2\2'), (b'\1\0', b'\6\0\1\3'), (b'\1\3\1\x09\0', b'\6\0\1\6')]:
        await central.write(control, request)
        await values(answers, [response])
    await central.write(control, b'\1\6')
    # More came before the abort at most.
    while (await records.next())[1] != 3:
        pass
    await values(answers, [b'\6\0\1\1'])


@pytest.mark.parametrize('killed', [False, True])
async def test_responses_of_a_lock(stage: Stage, killed: bool):
    """An app that is relaunched has locked: its state is reset, its subscribers are restored."""
    blepera = await stage.serve('challenge-lock')
    central = await stage.meet()
    command, state = central.characteristic(COMMAND), central.characteristic(STATE)
    assert await central.read(state) == b'\0'
    assert await refusal(central.write(command, b'\1')) == 0x82, 'a command of one that is not subscribed'
    challenges = await central.subscribe(central.characteristic(CHALLENGE))
    states = await central.subscribe(state)
    assert await refusal(central.write(command, RIGHT)) == 0x81, 'an answer without a challenge'
    await central.write(command, b'\1')
    challenge = await challenges.next()
    assert bytes(byte ^ 0xFF for byte in challenge) == RIGHT[1:]
    assert await refusal(central.write(command, WRONG)) == 0x80, 'a wrong answer'
    assert await refusal(central.write(command, RIGHT)) == 0x81, 'a second answer to a challenge'
    assert await refusal(central.write(command, b'\x09')) == 0x06, 'another command'
    await central.write(command, b'\1')
    await challenges.next()
    await central.write(command, RIGHT)
    await values(states, [b'\1'])
    if killed:
        await kill(stage, blepera)
        assert await central.read(state) == b'\0', 'the state after the relaunch'
        assert await refusal(central.write(command, RIGHT)) == 0x81, 'an answer after the relaunch'
        await central.write(command, b'\1')
        assert await challenges.next() == challenge
    else:
        await central.write(command, b'\0')
        await values(states, [b'\0'])


async def test_responses_of_a_serial_line(stage: Stage):
    await stage.serve('nordic-uart')
    central = await stage.meet()
    commands, answers = central.characteristic(RX), await central.subscribe(central.characteristic(TX))
    for command, answer in [(b'version?', b'blepera UART 1.0'), (b'led red', b'the led is red'), (b'else', b'else')]:
        await central.write_without_response(commands, command)
        await values(answers, [answer])
    await central.write(commands, b'count')
    await values(answers, [b'1', b'2', b'3'])
