"""One phone for all tests. Run with: blepera lab --serve heart-rate.plist -- pytest one_phone.py"""

from contextlib import aclosing

import gateway


async def test_beats_go_on():
    async with aclosing(gateway.beats()) as beats:
        assert [60 <= await anext(beats) <= 100 for _ in range(3)] == [True] * 3


async def test_the_gateway_can_reconnect():
    for _ in range(2):
        async with aclosing(gateway.beats()) as beats:
            await anext(beats)
