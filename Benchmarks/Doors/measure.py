"""Measures a lab's controller at its HCI door, beside Bumble's controller: see Benchmarks/README.md.

    Scripts/python-of clients Benchmarks/Doors/measure.py [--blepera PROGRAM]

Prints the processor time of a cached read, the time from a host's ACL packet to the answer's, and how a burst of
notifications arrives. The host is Bumble in this process, over TCP, with an interval of 7.5 ms.
"""

import argparse
import asyncio
import contextlib
import os
import pathlib
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable

ROOT = pathlib.Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT / 'Packaging/python'))

from bumble.core import UUID, PhysicalTransport
from bumble.device import ConnectionParametersPreferences, Device, Peer
from bumble.gatt import Characteristic, Service
from bumble.hci import HCI_LE_1M_PHY, Address
from bumble.transport import open_transport

from blepera import Lab
from burst import COUNT, LENGTH

READS = 1000
ROUNDS = 5
INTERVAL = 7.5
SERVICE, VALUES, FIXED = (UUID(f'B7E1000{number}-6F0A-4E0C-9A55-3C1D7E8B9F20') for number in (1, 2, 3))
PARAMETERS = {
    HCI_LE_1M_PHY: ConnectionParametersPreferences(
        connection_interval_min=INTERVAL, connection_interval_max=INTERVAL, supervision_timeout=4000)
}


def processor_time(process: int) -> float:
    """Seconds of all threads."""
    fields = pathlib.Path(f'/proc/{process}/stat').read_text().rsplit(')', 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(('127.0.0.1', 0))
        return taken.getsockname()[1]


@contextlib.asynccontextmanager
async def host(transport: str, address: str):
    async with await open_transport(transport) as (source, sink):
        device = Device.with_hci('host', Address(address), source, sink)
        await device.power_on()
        yield device, sink


async def reads(
    device: Device, sink, name: str, process: int, pause: float = 0
) -> tuple[Peer, float, list[float]]:
    """The connection, the processor time of a read and the times of reads at the transport, in milliseconds.

    `pause` is what the host waits after each read, in seconds."""
    connection = await device.connect(name, connection_parameters_preferences=PARAMETERS,
                                      transport=PhysicalTransport.LE, timeout=60)
    peer = Peer(connection)
    await peer.request_mtu(185)
    await peer.discover_services()
    await peer.discover_characteristics()
    (value,) = peer.get_characteristics_by_uuid(FIXED)
    await asyncio.sleep(1)
    times: list[float] = []
    sent = 0.0
    send, receive = sink.on_packet, device.host.on_packet

    def on_sent(packet: bytes) -> None:
        nonlocal sent
        if packet[0] == 2:
            sent = time.perf_counter()
        send(packet)

    def on_received(packet: bytes) -> None:
        if packet[0] == 2:
            times.append((time.perf_counter() - sent) * 1000)
        receive(packet)

    sink.on_packet, device.host.on_packet = on_sent, on_received
    before = processor_time(process)
    for _ in range(READS):
        await value.read_value()
        if pause:
            await asyncio.sleep(pause)
    spent = processor_time(process) - before
    sink.on_packet, device.host.on_packet = send, receive
    return peer, spent / READS * 1e6, times


async def bumble(pause: float) -> float:
    """The processor time of a read in microseconds, of a process with two controllers of Bumble's."""
    ports = free_port(), free_port()
    controllers = subprocess.Popen(
        [sys.executable, '-m', 'bumble.apps.controllers', *(f'tcp-server:127.0.0.1:{port}' for port in ports)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        await asyncio.sleep(3)
        async with (
            host(f'tcp-client:127.0.0.1:{ports[0]}', 'F0:F1:F2:F3:F4:F5') as (client, sink),
            host(f'tcp-client:127.0.0.1:{ports[1]}', 'C0:00:00:00:00:01') as (server, _),
        ):
            fixed = Characteristic(
                FIXED, Characteristic.Properties.READ, Characteristic.Permissions.READABLE, bytes(20))
            server.add_service(Service(SERVICE, [fixed]))
            await server.start_advertising(advertising_interval_min=100, advertising_interval_max=100)
            return (await reads(client, sink, 'C0:00:00:00:00:01', controllers.pid, pause))[1]
    finally:
        controllers.terminate()
        controllers.wait()


async def burst(peer: Peer) -> None:
    await peer.connection.set_data_length(251, 2120)
    (values,) = peer.get_characteristics_by_uuid(VALUES)
    numbers: list[int] = []
    whole = asyncio.Event()

    def received(value: bytes) -> None:
        if len(value) == LENGTH:
            numbers.append(int.from_bytes(value[:4], 'little'))
        if len(numbers) == COUNT:
            whole.set()

    start = time.perf_counter()
    await peer.subscribe(values, received)
    with contextlib.suppress(asyncio.TimeoutError):
        await asyncio.wait_for(whole.wait(), 180)
    order = 'in order' if numbers == sorted(numbers) else 'out of order'
    print(f'{len(set(numbers))} of {COUNT} notifications of {LENGTH} bytes, {order}, in '
          f'{time.perf_counter() - start:.1f} s')


async def blepera(program: str, then: Callable[[Peer], Awaitable[None]] | None = None) -> tuple[float, list[float]]:
    """The processor time of a read in microseconds, of a lab, and the times of the reads in milliseconds."""
    app = [sys.executable, str(pathlib.Path(__file__).parent / 'burst.py')]
    # Bumble's controllers print nothing either.
    with Lab([], app=app, program=program, hci='tcp:0', quiet=True) as lab:
        async with host(lab.environment['BLEPERA_HCI'], 'F0:F1:F2:F3:F4:F5') as (device, sink):
            peer, spent, times = await reads(device, sink, 'Burst', lab._process.pid)
            if then:
                await then(peer)
            return spent, times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--blepera', default=str(ROOT / '.build/release/blepera'))
    options = parser.parse_args()
    os.environ['PYTHONPATH'] = str(ROOT / 'Packaging/python')
    # Bumble's controllers have no connection events: a read takes two, so a processor sleeps between them as long.
    paced = 2 * INTERVAL / 1000
    ours, theirs, times = [], [], []
    for number in range(ROUNDS):
        spent, taken = asyncio.run(blepera(options.blepera, burst if number == 0 else None))
        ours.append(spent)
        times += taken
        theirs.append(asyncio.run(bumble(paced)))
        print(f'cached read: {ours[-1]:.0f} us of processor time, {theirs[-1]:.0f} us of Bumble\'s controllers', flush=True)
    print(f'median of {ROUNDS}: {statistics.median(ours):.0f} us, {statistics.median(theirs):.0f} us with '
          f'{1000 * paced:.0f} ms between reads; {asyncio.run(bumble(0)):.0f} us with none')
    print(f'from packet to packet: median {statistics.median(times):.2f} ms, '
          f'longest {max(times):.2f} ms, at an interval of {INTERVAL} ms')


if __name__ == '__main__':
    main()
