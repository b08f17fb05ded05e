"""Bumble's GATT server with the database of database.py, in a process of its own.

    peer_bumble.py HOST PORT

Prints a line when it advertises.
"""

import asyncio
import pathlib
import socket
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[2] / folder) for folder in ('Tests/Controllers', 'Tests/RealLane')]

from bumble.core import UUID, AdvertisingData
from bumble.device import Device
from bumble.gatt import Characteristic, CharacteristicValue, Service
from bumble.hci import Address
from controllers import transport_over

import database

SERVER = 'F1:F2:F3:F4:F5:01'
Properties, Permissions = Characteristic.Properties, Characteristic.Permissions


async def main(host: str, port: str) -> None:
    transport = await transport_over(socket.create_connection((host, int(port))))
    device = Device.with_hci('server', Address(SERVER), transport.source, transport.sink)
    updates = Characteristic(UUID(database.UPDATES), Properties.NOTIFY, Permissions.READABLE)
    bursts: asyncio.Queue[bytes] = asyncio.Queue()

    async def run() -> None:
        while True:
            batch = (await bursts.get())[1:]
            for number in range(database.BATCH):
                await device.notify_subscribers(updates, batch + bytes([number]) + database.PADDING)

    kept = [b'']
    dynamic = CharacteristicValue(read=lambda _: kept[0], write=lambda _, value: kept.__setitem__(0, value))
    control = CharacteristicValue(write=lambda _, value: bursts.put_nowait(value))
    both = Permissions.READABLE | Permissions.WRITEABLE
    device.add_service(Service(UUID(database.SERVICE), [
        Characteristic(UUID(database.CACHED), Properties.READ, Permissions.READABLE, database.VALUE),
        Characteristic(UUID(database.DYNAMIC), Properties.READ | Properties.WRITE, both, dynamic),
        updates,
        Characteristic(UUID(database.CONTROL), Properties.WRITE, Permissions.WRITEABLE, control),
    ]))
    await device.power_on()
    name = (AdvertisingData.COMPLETE_LOCAL_NAME, database.NAME.encode())
    data = bytes(AdvertisingData([(AdvertisingData.FLAGS, b'\x06'), name]))
    await device.start_advertising(auto_restart=True, advertising_data=data)
    print('advertises', flush=True)
    await run()


if __name__ == '__main__':
    asyncio.run(main(*sys.argv[1:]))
