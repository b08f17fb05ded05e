"""A gateway: Bleak on the bluetoothd of the micro-VM.

    gateway.py '[["find"], ["connect"], ["read", UUID], ["write", UUID, HEX], ["notify", UUID, COUNT], ["end"]]'

Performs the operations one after the other, and prints the result of each as a line of JSON.
"""

import asyncio
import json
import sys

from bleak import BleakClient, BleakScanner
from bleak.exc import BleakDBusError
from dbus_fast import BusType, Message, service
from dbus_fast.aio import MessageBus


class Agent(service.ServiceInterface):
    """A person at a device without keys and without a screen, who agrees."""

    def __init__(self):
        super().__init__('org.bluez.Agent1')

    @service.method()
    def RequestAuthorization(self, device: 'o'):  # noqa: F821, the signature on the bus
        pass


class Gateway:
    def __init__(self):
        self.device = self.client = None
        self.lost = asyncio.Event()

    async def find(self, *services: str) -> list:
        """Name, UUIDs and manufacturer data of the first device that a scan for these services finds."""
        async with BleakScanner(service_uuids=list(services)) as scanner:
            async for self.device, found in scanner.advertisement_data():
                data = {number: value.hex() for number, value in found.manufacturer_data.items()}
                return [found.local_name, found.service_uuids, data]

    async def connect(self) -> dict:
        """The characteristics by the handles of their declarations."""
        self.client = BleakClient(self.device, lambda _: self.lost.set())
        try:
            await self.client.connect()
        except BleakDBusError as error:
            # So bluetoothd reports that the kernel is at the end of the link before still: Device or resource busy.
            if 'Input/output error' not in str(error):
                raise
            await asyncio.sleep(1)
            await self.client.connect()
        return {one.handle: one.uuid for service in self.client.services for one in service.characteristics}

    async def connect_again(self) -> None:
        """Connects to the device that is connected, as another program may; does not wait for an answer."""
        self.bus = await MessageBus(bus_type=BusType.SYSTEM).connect()
        path = self.device.details['path']
        await self.bus.send(Message('org.bluez', path, 'org.bluez.Device1', 'Connect'))

    async def read(self, uuid: str) -> str:
        return (await self.client.read_gatt_char(uuid)).hex()

    async def write(self, uuid: str, value: str, response: bool = True) -> None:
        await self.client.write_gatt_char(uuid, bytes.fromhex(value), response)

    async def notify(self, uuid: str, count: int) -> list[str]:
        """The first values of a subscription."""
        values = asyncio.Queue()
        await self.client.start_notify(uuid, lambda _, value: values.put_nowait(value.hex()))
        return [await values.get() for _ in range(count)]

    async def agree(self) -> None:
        """Agrees to pairings from here on."""
        bus = await MessageBus(bus_type=BusType.SYSTEM).connect()
        bus.export('/agent', Agent())
        for member, signature, body in (
            ('RegisterAgent', 'os', ['/agent', 'NoInputNoOutput']),
            ('RequestDefaultAgent', 'o', ['/agent']),
        ):
            call = {'destination': 'org.bluez', 'path': '/org/bluez', 'interface': 'org.bluez.AgentManager1'}
            await bus.call(Message(**call, member=member, signature=signature, body=body))

    async def disconnect(self) -> None:
        await self.client.disconnect()

    async def rest(self) -> None:
        """Meanwhile bluetoothd asks what it asks by itself."""
        await asyncio.sleep(2)

    async def end(self) -> None:
        await self.lost.wait()


async def main() -> None:
    gateway = Gateway()
    for name, *arguments in json.loads(sys.argv[1]):
        print(json.dumps(await getattr(gateway, name)(*arguments)), flush=True)


asyncio.run(main())
