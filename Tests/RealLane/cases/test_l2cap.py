"""L2CAP channels: sockets of the kernel beside bluetoothd, opened by a central that shares no code with blepera."""

import asyncio

import pytest
from bumble.core import UUID, ProtocolError
from bumble.l2cap import LeCreditBasedChannel, LeCreditBasedChannelSpec
from rig.central import Central, within
from rig.errors import Failure
from rig.stage import Stage

from .phone import until_status

PSM = 'ABDD3056-28FA-441D-A470-55A75A52553A'
SIZE = 250_000
PIECE = 4096
# A kernel before 6.9 gives credits for what no program has read, and ends the channel of a program that is slow.
AHEAD = 16 * PIECE


async def numbers(central: Central) -> list[int]:
    """The PSMs of the profile's channels, as a central reads them."""
    found = central.gatt.get_characteristics_by_uuid(UUID(PSM))
    return [int.from_bytes(await central.read(each), 'little') for each in found]


async def open_channel(central: Central, psm: int) -> LeCreditBasedChannel:
    spec = LeCreditBasedChannelSpec(psm=psm, max_credits=32)
    return await within(20, f'opening the channel {psm}', central.connection.create_l2cap_channel(spec))


async def exchange(channel: LeCreditBasedChannel, data: bytes, limit: float) -> bytes:
    """Sends the data, and returns what has been received meanwhile."""
    received, progress = bytearray(), asyncio.Event()

    def receive(piece: bytes) -> None:
        received.extend(piece)
        progress.set()

    async def run() -> None:
        sent = 0
        while len(received) < len(data):
            while sent < len(data) and sent - len(received) < AHEAD:
                channel.write(data[sent : sent + PIECE])
                sent += PIECE
            await progress.wait()
            progress.clear()

    channel.sink = receive
    try:
        await within(limit, f'an echo of {len(data)} bytes', run())
    except Failure as error:
        raise Failure(f'{error}, after {len(received)} bytes') from None
    return bytes(received)


@pytest.mark.limit(400)
async def test_l2cap_echo(stage: Stage):
    blepera = await stage.serve('l2cap-echo')
    central = await stage.meet()
    psm, _ = await numbers(central)
    assert 0x80 <= psm <= 0xFF
    channel = await open_channel(central, psm)
    data = bytes(n * 7 // 3 & 0xFF for n in range(SIZE))
    assert await exchange(channel, data, 300) == data
    await until_status(stage, lambda status: status['channels'][0]['centrals'], 'the open channel')
    await within(20, 'closing the channel', channel.disconnect())
    closed = await blepera.until('l2capClosed')
    assert (closed['psm'], closed['received'], closed['sent']) == (psm, SIZE, SIZE)
    again = await open_channel(central, psm)
    assert await exchange(again, b'once more', 20) == b'once more'


async def test_l2cap_encryption(stage: Stage):
    """A channel that requires encryption is for paired centrals; a number that nobody has published is for none."""
    await stage.serve('l2cap-echo')
    central = await stage.meet()
    _, psm = await numbers(central)
    for refused in (psm, 0xF0):
        with pytest.raises(ProtocolError):
            await open_channel(central, refused)
    await central.pair()
    channel = await open_channel(central, psm)
    assert await exchange(channel, b'secret', 20) == b'secret'
