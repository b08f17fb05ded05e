"""The air around the adapter of the micro-VM, in one process: the adapter, which the VM's kernel drives, and any
number of centrals that receive it. All are Bumble's, a Bluetooth stack that shares no code with BlueZ or with blepera.
"""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from types import SimpleNamespace

from bumble.controller import AdvertisingSet, Controller
from bumble.device import Device
from bumble.hci import (
    Address,
    HCI_Command,
    HCI_ErrorCode,
    HCI_LE_Advertising_Set_Terminated_Event,
    HCI_LE_Connection_Complete_Event,
    HCI_LE_Enhanced_Connection_Complete_Event,
    HCI_LE_Extended_Advertising_Report_Event,
    HCI_LE_Read_Number_Of_Supported_Advertising_Sets_ReturnParameters,
    HCI_StatusReturnParameters,
    LeFeatureMask,
    Phy,
    Role,
)
from bumble.host import Host
from bumble.link import LocalLink
from bumble.ll import TerminateInd
from bumble.transport.common import AsyncPipeSink, PacketParser

from .advertising import Packet
from .central import Central
from .errors import Failure
from .peripheral import Peripheral
from .trace import FROM_CONTROLLER, FROM_KERNEL, Trace
from .vm import VM

ADAPTER = Address('00:11:22:AA:BB:CC', Address.PUBLIC_DEVICE_ADDRESS)
ADDRESSES = [ADAPTER, Address('00:11:22:AA:BB:CD', Address.PUBLIC_DEVICE_ADDRESS)]
ADVERTISING_SETS = 3
EventType = HCI_LE_Extended_Advertising_Report_Event.EventType


class Link(LocalLink):
    """Bumble's link takes the random address of a controller for the sender of LE data, even on a connection that
    was made with the public one, and the receiver then drops it. This takes the address of the connection."""

    def send_acl_data(self, sender_controller, destination_address, transport, data):
        receiver = self.find_le_controller(destination_address)
        connection = sender_controller.le_connections.get(destination_address)
        if receiver and connection:
            loop = asyncio.get_running_loop()
            loop.call_soon(receiver.on_link_acl_data, connection.self_address, transport, data)


class Ear(Controller):
    """The controller of a central. Bumble's reports every advertisement as connectable and sends its data again for the
    scan response; it also keeps a cancelled connection attempt. This one reports what was sent."""

    def on_advertising_pdu(self, pdu):
        source = self.source(pdu)
        if source is None:
            return
        sent_as = source.parameters.advertising_event_properties & 0b10111
        if self.le_scan_enable:
            self.report(pdu, sent_as, pdu.data)
            if sent_as & EventType.SCANNABLE_ADVERTISING:
                self.report(pdu, sent_as | EventType.SCAN_RESPONSE, bytes(source.scan_response_data))
        wanted = self.pending_le_connection
        if wanted and wanted.peer_address == pdu.advertiser_address and sent_as & EventType.CONNECTABLE_ADVERTISING:
            self.create_le_connection(pdu.advertiser_address)

    def source(self, pdu) -> AdvertisingSet | None:
        """The advertising set that the data comes from."""
        for controller in self.link.controllers:
            for advertising_set in controller.advertising_sets.values():
                same = advertising_set.address == pdu.advertiser_address and bytes(advertising_set.data) == pdu.data
                if advertising_set.enabled and same:
                    return advertising_set
        return None

    def report(self, pdu, event_type: int, data: bytes) -> None:
        report = HCI_LE_Extended_Advertising_Report_Event.Report(
            event_type=event_type,
            address_type=pdu.advertiser_address.address_type,
            address=pdu.advertiser_address,
            primary_phy=Phy.LE_1M,
            secondary_phy=0,
            advertising_sid=0xFF,
            tx_power=0x7F,
            rssi=-50,
            periodic_advertising_interval=0,
            direct_address_type=0,
            direct_address=Address.ANY,
            data=data,
        )
        self.send_hci_packet(HCI_LE_Extended_Advertising_Report_Event([report]))

    def on_hci_le_create_connection_cancel_command(self, command):
        if wanted := self.pending_le_connection:
            self.pending_le_connection = None
            self.send_hci_packet(
                HCI_LE_Connection_Complete_Event(
                    status=HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR,
                    connection_handle=0,
                    role=Role.CENTRAL,
                    peer_address_type=wanted.peer_address.address_type,
                    peer_address=wanted.peer_address,
                    connection_interval=0,
                    peripheral_latency=0,
                    supervision_timeout=0,
                    central_clock_accuracy=0,
                )
            )
        return super().on_hci_le_create_connection_cancel_command(command)


@dataclass(frozen=True)
class Sent:
    """The packets that an advertising set sends."""

    handle: int  # which is the number of the kernel's instance
    packet: Packet
    interval: tuple[int, int]  # the least and the greatest that is asked for, in steps of 0.625 ms


@dataclass
class Moment:
    """The sets on the air from a moment on: after an HCI command, a connection, or the end of the adapter."""

    at: float  # the host's monotonic time
    sent: frozenset[Sent]

    @property
    def packets(self) -> frozenset[Packet]:
        return frozenset(one.packet for one in self.sent)


class Adapter(Ear):
    """The VM's controller. Bumble's forgets nothing at an HCI reset and has 240 advertising sets; this one stops what
    it was doing, and has as few sets as a chip. It keeps a record of what was on the air and when."""

    record: list[Moment]

    @property
    def on_air(self) -> list[AdvertisingSet]:
        """The advertising sets that are sent; each keeps the HCI command of its parameters."""
        return [advertising_set for advertising_set in self.advertising_sets.values() if advertising_set.enabled]

    @property
    def sent(self) -> frozenset[Sent]:
        return frozenset(sent_by(advertising_set) for advertising_set in self.on_air)

    def note(self) -> None:
        """Adds what is on the air to the record, where that has changed."""
        if not self.record or self.record[-1].sent != self.sent:
            self.record.append(Moment(time.monotonic(), self.sent))

    def on_hci_command_packet(self, command: HCI_Command) -> None:
        super().on_hci_command_packet(command)
        self.note()

    def on_le_connect_ind(self, packet) -> None:
        super().on_le_connect_ind(packet)
        self.note()

    def on_hci_le_read_number_of_supported_advertising_sets_command(self, _command):
        return HCI_LE_Read_Number_Of_Supported_Advertising_Sets_ReturnParameters(
            status=HCI_ErrorCode.SUCCESS, num_supported_advertising_sets=ADVERTISING_SETS
        )

    def send_hci_packet(self, packet) -> None:
        """The kernel waits for the enhanced event where a controller has extended advertising; it takes a connection
        that Bumble reports, waits 4 s more, and cancels what cannot be canceled any more."""
        if isinstance(packet, HCI_LE_Connection_Complete_Event):
            packet = HCI_LE_Enhanced_Connection_Complete_Event(
                status=packet.status,
                connection_handle=packet.connection_handle,
                role=packet.role,
                peer_address_type=packet.peer_address_type,
                peer_address=packet.peer_address,
                local_resolvable_private_address=Address.ANY,
                peer_resolvable_private_address=Address.ANY,
                connection_interval=packet.connection_interval,
                peripheral_latency=packet.peripheral_latency,
                supervision_timeout=packet.supervision_timeout,
                central_clock_accuracy=packet.central_clock_accuracy,
            )
        super().send_hci_packet(packet)

    def on_hci_reset_command(self, _command):
        self.silence()
        return HCI_StatusReturnParameters(HCI_ErrorCode.SUCCESS)

    def silence(self) -> None:
        for advertising_set in self.advertising_sets.values():
            advertising_set.stop()
        self.advertising_sets.clear()
        for connection in self.le_connections.values():
            connection.send_ll_control_pdu(TerminateInd(HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR))
        self.le_connections.clear()
        self.note()


class OldAdapter(Adapter):
    """Without extended advertising, as controllers before Bluetooth 5: one set, which has no handle, and of which
    nothing is reported when a central has connected."""

    le_features = Adapter.le_features & ~LeFeatureMask.LE_EXTENDED_ADVERTISING & ~LeFeatureMask.LE_PERIODIC_ADVERTISING
    # The properties of the types of advertising: connectable, directed, scannable, neither.
    properties = {0: 0b10011, 1: 0b11101, 2: 0b10010, 3: 0b10000, 4: 0b10101}

    @property
    def only(self) -> AdvertisingSet:
        return self.advertising_sets.setdefault(0, AdvertisingSet(controller=self, handle=0))

    def on_hci_le_set_advertising_parameters_command(self, command):
        self.only.parameters = SimpleNamespace(
            primary_advertising_interval_min=command.advertising_interval_min,
            primary_advertising_interval_max=command.advertising_interval_max,
            advertising_event_properties=self.properties[command.advertising_type],
            own_address_type=command.own_address_type,
            advertising_sid=0,
        )
        return HCI_StatusReturnParameters(HCI_ErrorCode.SUCCESS)

    def on_hci_le_set_advertising_data_command(self, command):
        self.only.data = bytearray(command.advertising_data)
        return HCI_StatusReturnParameters(HCI_ErrorCode.SUCCESS)

    def on_hci_le_set_scan_response_data_command(self, command):
        self.only.scan_response_data = bytearray(command.scan_response_data)
        return HCI_StatusReturnParameters(HCI_ErrorCode.SUCCESS)

    def on_hci_le_set_advertising_enable_command(self, command):
        self.only.stop()
        if command.advertising_enable:
            self.only.random_address = self.random_address
            self.only.start()
        return HCI_StatusReturnParameters(HCI_ErrorCode.SUCCESS)

    def send_hci_packet(self, packet) -> None:
        if not isinstance(packet, HCI_LE_Advertising_Set_Terminated_Event):
            super().send_hci_packet(packet)


def sent_by(advertising_set: AdvertisingSet) -> Sent:
    asked = advertising_set.parameters
    return Sent(
        advertising_set.handle,
        Packet(bytes(advertising_set.data), bytes(advertising_set.scan_response_data)),
        (asked.primary_advertising_interval_min, asked.primary_advertising_interval_max),
    )


class Port:
    """The way of the adapter's HCI packets to the VM, as Bumble's controllers want it: a source and a sink."""

    def __init__(self, number: int, ends: tuple[asyncio.StreamReader, asyncio.StreamWriter], trace: Trace):
        self.number, self.trace = number, trace
        self.reader, self.writer = ends
        self.controller = None
        self.parser = PacketParser(SimpleNamespace(on_packet=self.from_kernel))
        self.pump = asyncio.create_task(self.run())

    async def run(self) -> None:
        while data := await self.reader.read(65536):
            self.parser.feed_data(data)

    def set_packet_sink(self, controller) -> None:
        self.controller = controller

    def from_kernel(self, packet: bytes) -> None:
        self.trace.add(self.number, FROM_KERNEL, packet)
        if self.controller:
            self.controller.on_packet(packet)

    def on_packet(self, packet: bytes) -> None:
        """Sends a packet of the controller to the kernel."""
        self.trace.add(self.number, FROM_CONTROLLER, packet)
        self.writer.write(packet)


class Air:
    def __init__(self, vm: VM):
        self.vm, self.link = vm, Link()
        self.trace = Trace()
        self.ports = [Port(number, ends, self.trace) for number, ends in enumerate(vm.airs)]
        self.adapters: dict[int, Adapter] = {}
        self.made = 0
        self.record: list[Moment] = []

    async def plug(self, number: int = 0, kind: type[Adapter] = Adapter) -> None:
        """Gives the VM an adapter, which its kernel calls hci0 or hci1."""
        port = self.ports[number]
        adapter = kind(
            f'adapter {number}', host_source=port, host_sink=port, link=self.link, public_address=ADDRESSES[number]
        )
        adapter.record = self.record if number == 0 else []
        self.adapters[number] = adapter
        self.trace.add_adapter(number, bytes(ADDRESSES[number]))
        await self.vm.plug(number, True)

    async def unplug(self, number: int = 0) -> None:
        """Takes an adapter away, as if pulled out: centrals lose their connections."""
        await self.vm.plug(number, False)
        if adapter := self.adapters.pop(number, None):
            self.ports[number].set_packet_sink(None)
            adapter.silence()
            self.link.remove_controller(adapter)

    @property
    def adapter(self) -> Adapter | None:
        """The first, which the program under test has."""
        return self.adapters.get(0)

    # The commands for the adapter.

    @property
    def on_air(self) -> list[AdvertisingSet]:
        return self.adapter.on_air if self.adapter else []

    @property
    def sent(self) -> frozenset[Sent]:
        return self.adapter.sent if self.adapter else frozenset()

    @property
    def intervals(self) -> set[tuple[int, int]]:
        """The least and the greatest that is asked of the controller for what is on the air, in steps of 0.625 ms."""
        return {one.interval for one in self.sent}

    async def until_silent(self, limit: float = 10) -> None:
        """Waits until the controller has been instructed to stop sending."""
        until = time.monotonic() + limit
        while self.on_air:
            if time.monotonic() > until:
                raise Failure(f'{len(self.on_air)} advertising sets are still on after {limit:g} s')
            await asyncio.sleep(0.02)

    @contextlib.asynccontextmanager
    async def hurry(self, interval: float = 0.02) -> AsyncIterator[None]:
        """Meanwhile the adapter advertises at this interval, in seconds, and not at its own alone."""

        async def hurry() -> None:
            while True:
                for advertising_set in self.on_air:
                    advertising_set.send_extended_advertising_data()
                await asyncio.sleep(interval)

        hurrying = asyncio.create_task(hurry())
        try:
            yield
        finally:
            hurrying.cancel()

    # The centrals.

    async def central(self, known: Central | None = None) -> Central:
        """A new device with an address that was never on the air before, or one of another air, with its keys."""
        device, controller = self.device('central', known and known.device.random_address)
        device.keystore = known.device.keystore if known else None
        await device.power_on()
        return Central(device, controller)

    async def peripheral(self, encrypts: bool = False) -> Peripheral:
        device, controller = self.device('peripheral')
        peripheral = Peripheral(device, controller, encrypts)
        await device.power_on()
        return peripheral

    def device(self, name: str, address: Address | None = None) -> tuple[Device, Ear]:
        self.made += 1
        end = f'{self.made >> 8:02X}:{self.made & 0xFF:02X}'
        public = Address(f'00:11:22:33:{end}', Address.PUBLIC_DEVICE_ADDRESS)
        controller = Ear(f'{name} {self.made}', link=self.link, public_address=public)
        host = Host(controller, AsyncPipeSink(controller))
        return Device(name=name, address=address or Address(f'F0:F1:F2:F3:{end}'), host=host), controller

    async def connect(
        self, central: Central, mtu: int = 517, bonded: bool = False, address: Address = ADAPTER
    ) -> None:
        """Connects a central at once."""
        async with self.hurry():
            await central.connect(address, mtu, bonded)

    def cut(self) -> None:
        """Has every connection lost, as if all were out of reach."""
        for controller in self.link.controllers:
            for connection in list(controller.le_connections.values()):
                connection.send_ll_control_pdu(TerminateInd(HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR))

    def remove(self, central: Central | Peripheral) -> None:
        """Takes a device off the air for good; the adapter finds its connection lost."""
        for connection in central.controller.le_connections.values():
            connection.send_ll_control_pdu(TerminateInd(HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR))
        self.link.remove_controller(central.controller)
