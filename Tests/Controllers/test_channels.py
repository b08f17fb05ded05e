"""L2CAP channels at each controller: the app returns what a central sends, whole, in order, and at the same time."""

import pytest
from cases.test_l2cap import exchange, numbers, open_channel
from rig.central import within
from stage import Stage

PERIOD = 251  # a prime, so that no packet equals its neighbors


@pytest.mark.limit(200)
@pytest.mark.parametrize(
    ('stage', 'size'), [('rootcanal', 1_000_000), ('bumble', 100_000), ('lab', 100_000)], indirect=['stage'])
async def test_a_channel_sends_back_what_a_central_sends(stage: Stage, size: int):
    blepera = await stage.serve('l2cap-echo')
    central = await stage.meet()
    psm, _ = await numbers(central)
    channel = await open_channel(central, psm)
    data = (bytes(range(PERIOD)) * (size // PERIOD + 1))[:size]
    assert await exchange(channel, data, 180) == data
    await within(20, 'closing the channel', channel.disconnect())
    closed = await blepera.until('l2capClosed')
    assert (closed['psm'], closed['received'], closed['sent']) == (psm, size, size)
