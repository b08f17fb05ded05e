"""Long values, prepared writes, commands, descriptors and indications."""

import asyncio

import pytest
from rig.central import Central, refusal
from rig.stage import Stage

from . import every_kind as kind

# bluetoothd 5.66 counts the header of the request in: it takes 510 bytes in one request, 508 in prepared ones.
LONGEST_WRITE, LONGEST_PREPARED = 510, 508
INVALID_OFFSET, INVALID_LENGTH = 0x07, 0x0D


def pattern(length: int) -> bytes:
    return bytes(index * 11 % 256 for index in range(length))


async def meet(stage: Stage, mtu: int = 517) -> Central:
    await stage.serve('every-kind')
    return await stage.meet(mtu)


@pytest.mark.parametrize('mtu', [517, 23])
async def test_long_read(stage: Stage, mtu: int):
    """512 bytes by one request, and by a request and 23 Read Blobs."""
    central = await meet(stage, mtu)
    assert central.gatt.mtu == mtu, 'the MTU'
    service = stage.profile('every-kind').services[0]
    seen = await central.read(central.characteristic(kind.LONG_READ))
    assert len(seen) == 512, 'the length of the value'
    assert seen == service.characteristics[0].value, 'the long value'


async def test_long_write(stage: Stage):
    """A long value is read as it was written; a value longer than bluetoothd accepts is refused."""
    central = await meet(stage)
    echo = central.characteristic(kind.ECHO)
    value = pattern(LONGEST_WRITE)
    await central.write(echo, value)
    assert await central.read(echo) == value, 'the value'
    assert await refusal(central.write(echo, pattern(LONGEST_WRITE + 3))) == INVALID_LENGTH, 'writing 513 bytes'
    assert await central.read(echo) == value, 'the value after the refused write'


async def test_prepared_write(stage: Stage):
    """508 bytes at the smallest MTU."""
    central = await meet(stage, mtu=23)
    echo = central.characteristic(kind.ECHO)
    value = pattern(LONGEST_PREPARED)
    await central.write(echo, value)
    assert await central.read(echo) == value, 'the value'


async def test_prepared_writes_executed_or_cancelled(stage: Stage):
    """Prepared writes take effect together when they are executed, and not when they are cancelled."""
    central = await meet(stage)
    echo = central.characteristic(kind.ECHO)
    await central.write(echo, b'hello world')
    assert await central.prepare(echo, 6, b'gre') == b'gre', 'the value that the server echoes'
    assert await central.read(echo) == b'hello world', 'the value before the execution'
    await central.prepare(echo, 9, b'mlins')
    await central.execute()
    assert await central.read(echo) == b'hello gremlins', 'the value after the execution'
    await central.prepare(echo, 0, b'never mind')
    await central.execute(write=False)
    assert await central.read(echo) == b'hello gremlins', 'the value after the cancellation'
    await central.prepare(echo, 100, b'far')
    assert await refusal(central.execute()) == INVALID_OFFSET, 'executing a write past the end of the value'
    assert await central.read(echo) == b'hello gremlins', 'the value after the refused write'


async def test_writes_without_response(stage: Stage):
    """All of them arrive, in order."""
    central = await meet(stage)
    command = central.characteristic(kind.COMMAND)
    subscription = await central.subscribe(command)
    sent = [f'command {number}'.encode() for number in range(20)]
    for value in sent:
        await central.write_without_response(command, value)
    assert await subscription.take(len(sent)) == sent, 'the echoed values'
    assert await central.read(command) == sent[-1], 'the value'


@pytest.mark.by_release('how many bytes bluetoothd takes: since 5.69 all')
async def test_packets_without_response(stage: Stage):
    """bluetoothd takes 512 or fewer of the 514 bytes that an ATT_MTU of 517 leaves for a write, and sends 512."""
    blepera = await stage.serve('every-kind')
    central = await stage.meet()
    command = central.characteristic(kind.COMMAND)
    subscription = await central.subscribe(command)
    longest = 514 if stage.minor < 63 else 510 if stage.minor < 69 else 512
    lengths = [longest, 514, 1]
    for length in lengths:
        await central.write_without_response(command, pattern(length))
    taken = [length for length in lengths if length <= longest]
    assert await subscription.take(len(taken)) == [pattern(length)[:512] for length in taken], 'the echoed values'
    await stage.ask('notify', kind.COMMAND, pattern(524).hex())
    assert await subscription.next() == pattern(512), 'the update'
    await blepera.until('notified', limit=512, value=pattern(524).hex().upper())


async def test_indications(stage: Stage):
    """Indications are confirmed one after the other."""
    blepera = await stage.serve('every-kind')
    central = await stage.meet()
    indicated = central.characteristic(kind.INDICATED)
    subscription = await central.subscribe(indicated, indications=True)
    for number in range(3):
        value = f'indication {number}'.encode()
        await central.write(indicated, value)
        assert await subscription.next() == value, 'the indication'
    await blepera.until('confirmed')
    counter = central.characteristic(kind.COUNTER)
    values = [int.from_bytes(value, 'little') for value in await (await central.subscribe(counter, True)).take(3)]
    assert values == list(range(values[0], values[0] + 3)), 'the values of the counter by indication'


async def test_descriptors(stage: Stage):
    """A written value stays for the next central."""
    central = await meet(stage)
    name = central.descriptor('2901', central.characteristic(kind.DESCRIBED))
    assert await central.read(name) == b'An old name', 'the descriptor'
    await central.write(name, b'A new name')
    assert await central.read(name) == b'A new name', 'the descriptor after the write'
    await central.disconnect()
    second = await stage.meet()
    name = second.descriptor('2901', second.characteristic(kind.DESCRIBED))
    assert await second.read(name) == b'A new name', 'the descriptor as the second central reads it'


async def test_unsubscribe(stage: Stage):
    """No notifications after unsubscribing; notifications after subscribing again."""
    central = await meet(stage)
    counter = central.characteristic(kind.COUNTER)
    subscription = await central.subscribe(counter)
    await subscription.take(2)
    await central.unsubscribe(counter, subscription)
    late = subscription.values.qsize()
    await asyncio.sleep(0.6)
    assert subscription.values.qsize() <= late + 1, 'notifications after the end of the subscription'
    await (await central.subscribe(counter)).take(2)
