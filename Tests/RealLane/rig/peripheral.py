"""A peripheral on the air, with a server of Bumble's: what an accessory does."""

from bumble.device import Connection, Device
from bumble.gatt import Characteristic, CharacteristicValue, Service

from .central import LIMIT, within
from .errors import Failure

SERVICE = 'C8B6F0B5-7A37-4B4E-9F0C-6B2B5D1E8A01'  # of smart-lock.plist, as the characteristics are
COMMAND, STATE = (f'C8B6F0B5-7A37-4B4E-9F0C-6B2B5D1E8A0{number}' for number in (2, 3))
INTERVAL = 100.0  # milliseconds


class Peripheral:
    """A lock: its command is written, over an encrypted link where that is required, and its state is read and notified."""

    def __init__(self, device: Device, controller, encrypts: bool = False):
        self.device, self.controller = device, controller
        self.address = device.random_address.to_string(False)
        self.written: list[bytes] = []
        self.connections = 0
        self.state = Characteristic(
            STATE, Characteristic.Properties.READ | Characteristic.Properties.NOTIFY, Characteristic.READABLE, b'\0'
        )
        command = Characteristic(
            COMMAND,
            Characteristic.Properties.WRITE,
            Characteristic.WRITE_REQUIRES_ENCRYPTION if encrypts else Characteristic.WRITEABLE,
            CharacteristicValue(write=lambda _, value: self.written.append(value)),
        )
        device.add_service(Service(SERVICE, [command, self.state]))
        device.on('connection', self.connected)
        self.subscribed = False
        self.state.on('subscription', self.subscription)

    @property
    def connection(self) -> Connection | None:
        return next(iter(self.device.connections.values()), None)

    def connected(self, _: Connection) -> None:
        self.connections += 1
        self.subscribed = False

    def subscription(self, _: Connection, notifies: bool, indicates: bool) -> None:
        self.subscribed = notifies or indicates

    async def advertise(self, name: str = 'Lock') -> None:
        data = bytes([2, 1, 6, 17, 7, *bytes.fromhex(SERVICE.replace('-', ''))[::-1], len(name) + 1, 9, *name.encode()])
        await self.device.start_advertising(
            advertising_data=data, advertising_interval_min=INTERVAL, advertising_interval_max=INTERVAL
        )

    async def silence(self) -> None:
        await self.device.stop_advertising()

    async def notify(self, value: bytes) -> None:
        if not self.subscribed:
            raise Failure('nobody has subscribed to the state')
        await within(LIMIT, 'a notification', self.device.notify_subscribers(self.state, value))

    async def forget(self) -> None:
        """Loses the keys of its bonds."""
        await self.device.keystore.delete_all()

    async def disconnect(self) -> None:
        if connection := self.connection:
            await within(LIMIT, 'a disconnection', connection.disconnect())
