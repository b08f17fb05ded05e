"""A central on the air: what a phone or a gateway does, with a limit on the time that it may take."""

import asyncio
import contextlib
import struct
from collections.abc import AsyncIterator, Awaitable, Callable

from bumble import att
from bumble.core import UUID
from bumble.device import Advertisement, Connection, Device, Peer
from bumble.gatt_client import CharacteristicProxy, DescriptorProxy, ServiceProxy
from bumble.hci import Address
from bumble.pairing import PairingConfig, PairingDelegate

from .advertising import NAMES, Reception, uuids_in
from .errors import Failure

LIMIT = 20
INCLUDE = UUID.from_16_bits(0x2802)


async def within(limit: float, what: str, work: Awaitable):
    try:
        return await asyncio.wait_for(work, limit)
    except TimeoutError:
        raise Failure(f'{what} took more than {limit:g} s') from None
    except asyncio.CancelledError:
        if asyncio.current_task().cancelling():
            raise
        raise Failure(f'the connection was lost during {what}') from None


class Subscription:
    """The values that come for one characteristic, in the order in which they come."""

    def __init__(self, name: str):
        self.name, self.values = name, asyncio.Queue[bytes]()

    def __call__(self, value: bytes) -> None:
        self.values.put_nowait(value)

    async def next(self, limit: float = LIMIT) -> bytes:
        return await within(limit, f'the next value of {self.name}', self.values.get())

    async def take(self, count: int, limit: float = LIMIT) -> list[bytes]:
        return [await self.next(limit) for _ in range(count)]


class Central:
    def __init__(self, device: Device, controller):
        self.device, self.controller = device, controller
        self.address = device.random_address.to_string(False)
        self.connection: Connection | None = None
        self.lost = asyncio.Event()

    # Advertisements.

    async def next_advertisement(
        self, wanted: Callable[[Advertisement], bool] = lambda _: True, limit: float = LIMIT
    ) -> Advertisement | None:
        """The first advertisement that is wanted, with its scan response; none when the time is over."""
        found = asyncio.get_running_loop().create_future()

        def receive(advertisement: Advertisement) -> None:
            if wanted(advertisement) and not found.done():
                found.set_result(advertisement)

        self.device.on('advertisement', receive)
        await self.device.start_scanning()
        try:
            return await asyncio.wait_for(found, limit)
        except TimeoutError:
            return None
        finally:
            self.device.remove_listener('advertisement', receive)
            await self.device.stop_scanning()

    @contextlib.asynccontextmanager
    async def record_advertising(self) -> AsyncIterator[Reception]:
        """Records every advertising event meanwhile."""
        reception = Reception()
        self.device.host.on('advertising_report', reception)
        await self.device.start_scanning()
        try:
            yield reception
        finally:
            self.device.host.remove_listener('advertising_report', reception)
            await self.device.stop_scanning()

    # The connection.

    async def connect(self, address: Address, mtu: int = 517, bonded: bool = False, limit: float = LIMIT) -> None:
        """Connects. A bonded central encrypts first, because bluetoothd demands it before it answers any request.

        Not at once: bluetoothd 5.66 gives a link up (`device_attach_att: setsockopt(BT_SECURITY)`) on which encryption
        has begun before the connection is reported to it.
        """
        self.device.gatt_server.max_mtu = mtu  # bluetoothd asks too
        self.connection = await within(limit + 1, 'the connection', self.device.connect(address, timeout=limit))
        self.lost.clear()
        self.connection.on('disconnection', lambda _reason: self.lost.set())
        self.peer = Peer(self.connection)
        self.gatt = self.peer.gatt_client
        if bonded:
            await asyncio.sleep(0.1)
            await within(LIMIT, 'the encryption', self.connection.encrypt())
        if mtu > att.ATT_DEFAULT_MTU:
            await within(LIMIT, 'the MTU exchange', self.peer.request_mtu(mtu))

    async def discover(self) -> None:
        """Everything that the server has, included services too."""
        await within(LIMIT, 'the discovery', self.discover_all())

    async def discover_all(self) -> None:
        self.gatt.services.clear()
        services = await self.gatt.discover_services()
        known = {service.handle: service for service in services}
        for service in services:  # grows by the secondary services that are met
            service.included_services = []
            for start, end in await self.discover_included(service):
                if start not in known:
                    uuid = UUID.from_bytes(await self.gatt.read_value(start))
                    known[start] = ServiceProxy(self.gatt, start, end, uuid, primary=False)
                    services.append(known[start])
                service.included_services.append(known[start])
        for service in services:
            for characteristic in await self.gatt.discover_characteristics((), service):
                await self.gatt.discover_descriptors(characteristic)
        self.gatt.services[:] = services

    async def discover_included(self, service: ServiceProxy) -> list[tuple[int, int]]:
        """The handle ranges of the services that one includes. Bumble's own discovery fails on those with a UUID of
        128 bits, which their declaration does not hold."""
        found, at = [], service.handle
        while at <= service.end_group_handle:
            request = att.ATT_Read_By_Type_Request(
                starting_handle=at, ending_handle=service.end_group_handle, attribute_type=INCLUDE
            )
            response = await self.gatt.send_request(request)
            if response.op_code == att.Opcode.ATT_ERROR_RESPONSE:
                break
            for handle, declaration in response.attributes:
                found.append(struct.unpack_from('<HH', declaration))
                at = handle + 1
        return found

    async def disconnect(self) -> None:
        if self.connection and not self.lost.is_set():
            await within(LIMIT, 'the disconnection', self.connection.disconnect())

    async def pair(self, delegate: PairingDelegate | None = None, limit: float = 30) -> None:
        """Pairs and bonds; without a delegate as a device with neither keys nor a display: just works."""
        identity = PairingConfig.AddressType.RANDOM  # its own address, the only one that it ever shows
        config = PairingConfig(mitm=delegate is not None, delegate=delegate, identity_address_type=identity)
        self.device.pairing_config_factory = lambda _: config
        await within(limit, 'the pairing', self.connection.pair())

    async def has_authenticated_key(self) -> bool:
        """Whether the key of the bond was made with a passkey or a comparison, so that nobody stood between."""
        keys = await self.device.keystore.get(str(self.connection.peer_address))
        return keys.ltk.authenticated

    # The attributes.

    def service(self, uuid: UUID | str) -> ServiceProxy:
        found = self.gatt.get_services_by_uuid(as_uuid(uuid))
        if len(found) != 1:
            raise Failure(f'{len(found)} services {uuid} instead of one')
        return found[0]

    def has(self, uuid: UUID | str) -> bool:
        return bool(self.gatt.get_characteristics_by_uuid(as_uuid(uuid)))

    def characteristic(self, uuid: UUID | str, service: ServiceProxy | None = None) -> CharacteristicProxy:
        found = self.gatt.get_characteristics_by_uuid(as_uuid(uuid), service)
        if len(found) != 1:
            raise Failure(f'{len(found)} characteristics {uuid} instead of one')
        return found[0]

    def descriptor(self, uuid: UUID | str, characteristic: CharacteristicProxy) -> DescriptorProxy:
        found = [descriptor for descriptor in characteristic.descriptors if descriptor.type == as_uuid(uuid)]
        if len(found) != 1:
            raise Failure(f'{len(found)} descriptors {uuid} of {characteristic.uuid} instead of one')
        return found[0]

    async def read(self, attribute) -> bytes:
        return await within(LIMIT, f'a read of {attribute}', self.gatt.read_value(attribute))

    async def write(self, attribute, value: bytes) -> None:
        """Writes by a Write Request, or by prepared writes if the value is longer than one request."""
        await within(LIMIT, f'a write to {attribute}', self.gatt.write_value(attribute, value, with_response=True))

    async def write_without_response(self, attribute, value: bytes) -> None:
        await self.gatt.write_value(attribute, value, with_response=False)

    async def prepare(self, attribute, offset: int, value: bytes) -> bytes:
        """A Prepare Write Request; returns the value that the server received."""
        request = att.ATT_Prepare_Write_Request(
            attribute_handle=attribute.handle, value_offset=offset, part_attribute_value=value
        )
        return (await self.request(request)).part_attribute_value

    async def execute(self, write: bool = True) -> None:
        await self.request(att.ATT_Execute_Write_Request(flags=1 if write else 0))

    async def request(self, request: att.ATT_PDU) -> att.ATT_PDU:
        response = await within(LIMIT, request.name, self.gatt.send_request(request))
        if response.op_code == att.Opcode.ATT_ERROR_RESPONSE:
            raise att.ATT_Error(response.error_code)
        return response

    async def subscribe(self, characteristic: CharacteristicProxy, indications: bool = False) -> Subscription:
        subscription = Subscription(str(characteristic.uuid))
        work = characteristic.subscribe(subscription, prefer_notify=not indications)
        await within(LIMIT, f'the subscription to {characteristic.uuid}', work)
        return subscription

    def listen(self, characteristic: CharacteristicProxy) -> Subscription:
        """Receives the notifications of a subscription that outlived an earlier connection; nothing is sent."""
        subscription = Subscription(str(characteristic.uuid))
        self.gatt.notification_subscribers.setdefault(characteristic.handle, set()).add(subscription)
        return subscription

    async def unsubscribe(self, characteristic: CharacteristicProxy, subscription: Subscription) -> None:
        await within(LIMIT, 'the end of a subscription', characteristic.unsubscribe(subscription))


def as_uuid(uuid: UUID | str) -> UUID:
    return UUID(uuid) if isinstance(uuid, str) else uuid


async def refusal(work: Awaitable) -> int:
    """The ATT error that the server answers with; 0 when it does what it is asked."""
    try:
        await work
    except att.ATT_Error as error:
        return error.error_code
    return 0


def name_of(advertisement: Advertisement) -> str | None:
    for kind in NAMES:
        if (name := advertisement.data.get(kind)) is not None:
            return name
    return None


def services_of(advertisement: Advertisement) -> list[UUID]:
    return uuids_in(advertisement.data.ad_structures)
