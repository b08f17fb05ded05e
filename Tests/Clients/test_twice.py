"""Values after a reconnection. bluetoothd signals a value once for each connection to the bus that has subscribed, and
subscribes again for those that stay: Bleak's client has a connection of its own, which `disconnect` closes. Reports have
two callbacks per value (hbldh/bleak#2002, simpleble#490), or none of a second characteristic (meshcore_py#97)."""

import asyncio
import collections
import subprocess

import pytest
from attributes import COMMAND, COUNTER
from bleak import BleakClient
from program import TIMEOUT
from scanning import find
from test_bleak import PHONE

COUNT = 4
CALLS = {'StartNotify': {'use_start_notify': True}, 'AcquireNotify': {'use_start_notify': False}, 'default': {}}


class Values:
    """What both characteristics of a client have sent, each value with the number of its callbacks."""

    def __init__(self, client: BleakClient, call: dict):
        self.client, self.call = client, call
        self.counter, self.echoes = collections.Counter(), collections.Counter()
        self.changed = asyncio.Event()

    async def subscribe(self) -> None:
        for uuid, values in ((COUNTER, self.counter), (COMMAND, self.echoes)):
            await self.client.start_notify(uuid, self.callback(values), bluez=self.call)
        self.counter.clear()

    def callback(self, values: collections.Counter):
        def count(_, value):
            values[bytes(value)] += 1
            self.changed.set()

        return count

    async def until(self, values: collections.Counter, count: int) -> None:
        async with asyncio.timeout(TIMEOUT):
            while len(values) < count:
                self.changed.clear()
                await self.changed.wait()

    async def play(self) -> None:
        await self.until(self.counter, COUNT + 1)
        for number in range(COUNT):
            await self.client.write_gatt_char(COMMAND, bytes([number]), response=False)
            await self.until(self.echoes, number + 1)
        await self.until(self.counter, len(self.counter) + 1)  # a second callback of the last echo would be there

    def check(self, times: int) -> None:
        assert self.echoes == {bytes([number]): times for number in range(COUNT)}, self.echoes
        # Of the first and the last value, a callback may be missing still.
        assert set(list(self.counter.values())[1:-1]) == {times}, self.counter
        numbers = [int.from_bytes(value, 'little') for value in self.counter]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers))), 'a value is missing'


@pytest.mark.parametrize('call', CALLS)
@pytest.mark.parametrize('end', ['closed', 'lost', 'abandoned'])
async def test_each_value_arrives_once_per_subscription_after_a_reconnection(lab, blepera, end, call):
    """`abandoned`: the link is lost, and the program does not call `disconnect` of the first client, whose StartNotify
    stays; what it has acquired ends with the link."""
    lab('every-kind', options=('--bluez-version', '5.82'))
    device, _ = await find(PHONE)
    lost = asyncio.Event()
    first = Values(BleakClient(device, lambda _: lost.set()), CALLS[call])
    await first.client.connect()
    await first.subscribe()
    await first.play()
    first.check(1)
    if end == 'closed':
        await first.client.disconnect()
    else:
        subprocess.run([blepera, 'bluetooth', 'off'], check=True)
        await asyncio.wait_for(lost.wait(), TIMEOUT)
        subprocess.run([blepera, 'bluetooth', 'on'], check=True)
        if end == 'lost':
            await first.client.disconnect()
    before = first.counter.total()
    device, _ = await find(PHONE)
    second = Values(BleakClient(device), CALLS[call])
    async with second.client:
        await second.subscribe()
        await second.play()
    second.check(2 if end == 'abandoned' and call != 'AcquireNotify' else 1)
    assert first.counter.total() == before, 'the first client receives values of the second connection'
