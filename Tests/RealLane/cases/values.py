"""Long values, prepared writes, commands, descriptors and indications."""

import asyncio

from rig import profile as profiles
from rig.central import Central, refusal
from rig.errors import expect, expect_equal
from rig.runner import case
from rig.stage import Stage, profile_path

from . import every_kind as kind

# bluetoothd 5.66 counts the header of the request in: it takes 510 bytes in one request, 508 in prepared ones.
LONGEST_WRITE, LONGEST_PREPARED = 510, 508
INVALID_OFFSET, INVALID_LENGTH = 0x07, 0x0D


def pattern(length: int) -> bytes:
    return bytes(index * 11 % 256 for index in range(length))


async def meet(stage: Stage, mtu: int = 517) -> Central:
    await stage.serve('every-kind')
    return await stage.meet(mtu)


def add_long_read(mtu: int, how: str) -> None:
    @case(f'a value of 512 bytes is read by {how} (MTU {mtu})')
    async def long_read(stage: Stage):
        central = await meet(stage, mtu)
        expect_equal(central.gatt.mtu, mtu, 'the MTU')
        service = profiles.load(profile_path('every-kind')).services[0]
        seen = await central.read(central.characteristic(kind.LONG_READ))
        expect_equal(len(seen), 512, 'the length of the value')
        expect_equal(seen, service.characteristics[0].value, 'the long value')


add_long_read(517, 'one request')
add_long_read(23, 'a request and 23 Read Blobs')


@case('what was written long is read long, and longer than bluetoothd takes is refused')
async def long_write(stage: Stage):
    central = await meet(stage)
    echo = central.characteristic(kind.ECHO)
    value = pattern(LONGEST_WRITE)
    await central.write(echo, value)
    expect_equal(await central.read(echo), value, 'the value')
    expect_equal(await refusal(central.write(echo, pattern(LONGEST_WRITE + 3))), INVALID_LENGTH, 'writing 513 bytes')
    expect_equal(await central.read(echo), value, 'the value after the refused write')


@case('508 bytes are written by prepared writes at the least MTU')
async def prepared_write(stage: Stage):
    central = await meet(stage, mtu=23)
    echo = central.characteristic(kind.ECHO)
    value = pattern(LONGEST_PREPARED)
    await central.write(echo, value)
    expect_equal(await central.read(echo), value, 'the value')


@case('prepared writes take effect together when they are executed, and not at all when they are cancelled')
async def executed_or_cancelled(stage: Stage):
    central = await meet(stage)
    echo = central.characteristic(kind.ECHO)
    await central.write(echo, b'hello world')
    expect_equal(await central.prepare(echo, 6, b'gre'), b'gre', 'what the server says that it heard')
    expect_equal(await central.read(echo), b'hello world', 'the value before the execution')
    await central.prepare(echo, 9, b'mlins')
    await central.execute()
    expect_equal(await central.read(echo), b'hello gremlins', 'the value after the execution')
    await central.prepare(echo, 0, b'never mind')
    await central.execute(write=False)
    expect_equal(await central.read(echo), b'hello gremlins', 'the value after the cancellation')


@case('a prepared write past the end of the value is refused')
async def past_the_end(stage: Stage):
    central = await meet(stage)
    echo = central.characteristic(kind.ECHO)
    await central.write(echo, b'short')
    await central.prepare(echo, 100, b'far')
    expect_equal(await refusal(central.execute()), INVALID_OFFSET, 'executing it')
    expect_equal(await central.read(echo), b'short', 'the value')


@case('writes without response arrive, all and in order')
async def without_response(stage: Stage):
    central = await meet(stage)
    command = central.characteristic(kind.COMMAND)
    subscription = await central.subscribe(command)
    sent = [f'command {number}'.encode() for number in range(20)]
    for value in sent:
        await central.write_without_response(command, value)
    expect_equal(await subscription.take(len(sent)), sent, 'what comes back')
    expect_equal(await central.read(command), sent[-1], 'the value')


@case('indications are confirmed, one after the other')
async def indications(stage: Stage):
    blepera = await stage.serve('every-kind')
    central = await stage.meet()
    indicated = central.characteristic(kind.INDICATED)
    subscription = await central.subscribe(indicated, indications=True)
    for number in range(3):
        value = f'indication {number}'.encode()
        await central.write(indicated, value)
        expect_equal(await subscription.next(), value, 'the indication')
    await blepera.until('confirmed')
    counter = central.characteristic(kind.COUNTER)
    values = [int.from_bytes(value, 'little') for value in await (await central.subscribe(counter, True)).take(3)]
    expect_equal(values, list(range(values[0], values[0] + 3)), 'the values of the counter by indication')


@case('a descriptor is read and written, and what was written stays for the next central')
async def descriptors(stage: Stage):
    central = await meet(stage)
    name = central.descriptor('2901', central.characteristic(kind.DESCRIBED))
    expect_equal(await central.read(name), b'An old name', 'the descriptor')
    await central.write(name, b'A new name')
    expect_equal(await central.read(name), b'A new name', 'the descriptor after the write')
    await central.disconnect()
    second = await stage.meet()
    name = second.descriptor('2901', second.characteristic(kind.DESCRIBED))
    expect_equal(await second.read(name), b'A new name', 'the descriptor as the second central reads it')


@case('after unsubscribing nothing comes any more, after subscribing again it does')
async def unsubscribed(stage: Stage):
    central = await meet(stage)
    counter = central.characteristic(kind.COUNTER)
    subscription = await central.subscribe(counter)
    await subscription.take(2)
    await central.unsubscribe(counter, subscription)
    late = subscription.values.qsize()
    await asyncio.sleep(1)
    expect(subscription.values.qsize() <= late + 1, 'values came after the end of the subscription')
    await (await central.subscribe(counter)).take(2)
