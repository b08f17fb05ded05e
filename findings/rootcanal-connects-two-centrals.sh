#!/bin/sh
# RootCanal 1.13.0 connects two centrals over one link where both begin at the same time.
#
# Expected: an advertiser connects to the central whose CONNECT_IND it takes. Another central that sends one for the same
# advertisement has no link: a connection complete event, and after six intervals the end with 3E, or no event at all.
# The guess before the run was that the second central connects to a later advertisement. Seen: both centrals have a
# connection, and the advertiser has one, with the first of them. What the advertiser sends arrives at both, also the
# answers to the requests of the other, and both links stay. Where one central connects after the other, each has a
# connection of its own.
#
# Needs python3 with venv, and unshare, and installs rootcanal 1.13.0 and bumble 0.0.236 from PyPI (33 MB); where glibc
# is older than 2.39, mmdebstrap unpacks a newer one of Debian 13 into the temporary folder. blepera and an adapter are
# not used. Exit status: 0 where this is still so, 1 where the behavior has changed, 2 where RootCanal could not run.
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv" || exit 2
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check rootcanal==1.13.0 bumble==0.0.236 || exit 2
program=$(echo "$folder"/venv/lib/python3*/site-packages/rootcanal/bin/linux-x86_64/rootcanal)
chmod +x "$program"
loader=
if [ "$(printf '%s\n' 2.39 "$(getconf GNU_LIBC_VERSION | cut -d ' ' -f 2)" | sort -V | head -n 1)" != 2.39 ]; then
  command -v mmdebstrap > /dev/null || { echo "mmdebstrap is not in PATH, and glibc is older than 2.39" >&2; exit 2; }
  mmdebstrap --quiet --variant=extract --include=libstdc++6 trixie "$folder/root" http://deb.debian.org/debian || exit 2
  libraries=$folder/root/usr/lib/x86_64-linux-gnu
  loader="$libraries/ld-linux-x86-64.so.2 --library-path $libraries"
fi

cat > "$folder/hosts.py" <<'PYTHON'
import asyncio, fcntl, socket, struct, subprocess, sys

from bumble.device import Device
from bumble.hci import Address
from bumble.transport import open_transport

with socket.socket() as any_socket:  # the loopback of the new network namespace is down
    fcntl.ioctl(any_socket, 0x8914, struct.pack('16sH14x', b'lo', 1))
canal = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
ADVERTISER = 'F1:00:00:00:00:01'

async def device(address):
    transport = await open_transport('tcp-client:127.0.0.1:6402')
    device = Device.with_hci('device', Address(address), transport.source, transport.sink)
    await device.power_on()
    return device

async def main():
    for _ in range(100):
        try:
            socket.create_connection(('127.0.0.1', 6402)).close()
            break
        except ConnectionRefusedError:
            await asyncio.sleep(0.1)
    advertiser = await device(ADVERTISER)
    centrals = [await device(f'F1:00:00:00:00:0{number}') for number in (2, 3)]
    received = [0, 0]
    for number, central in enumerate(centrals):
        def count(*_, number=number):
            received[number] += 1
        central.host.on('l2cap_pdu', count)

    async def connect(central):
        return await asyncio.wait_for(central.connect(Address(ADVERTISER)), 10)

    for together in (False, True):
        advertiser_connections = []
        advertiser.on('connection', advertiser_connections.append)
        links = []
        for number in range(1 if together else 2):  # a connection ends advertising
            await advertiser.start_advertising(advertising_interval_min=200, advertising_interval_max=200)
            beginning = map(connect, centrals if together else centrals[number : number + 1])
            links += await asyncio.gather(*beginning, return_exceptions=True)
            await asyncio.sleep(1)
        received[:] = [0, 0]
        for link in advertiser_connections[:1]:
            advertiser.host.send_l2cap_pdu(link.handle, 0x3F, b'to the first')
        await asyncio.sleep(1)
        linked = sum(not isinstance(link, BaseException) for link in links)
        print(f'{"together" if together else "in turn"}: {linked} centrals connected, '
              f'{len(advertiser_connections)} connections of the advertiser, '
              f'its packet for the first arrives at {sum(map(bool, received))}')
        advertiser.remove_all_listeners('connection')
        for link in links:
            if not isinstance(link, BaseException):
                await link.disconnect()
        await asyncio.sleep(1)

try:
    asyncio.run(main())
finally:
    canal.kill()
PYTHON
result=$(unshare --net --map-root-user "$folder/venv/bin/python" "$folder/hosts.py" $loader "$program" \
  2> "$folder/errors") || { cat "$folder/errors" >&2; exit 2; }
echo "$result"
expected='in turn: 2 centrals connected, 2 connections of the advertiser, its packet for the first arrives at 1
together: 2 centrals connected, 1 connections of the advertiser, its packet for the first arrives at 2'
if [ "$result" != "$expected" ]; then
  echo "The behavior has changed; RootCanal 1.13.0 printed:" >&2
  echo "$expected" >&2
  exit 1
fi
