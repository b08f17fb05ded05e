#!/bin/sh
# RootCanal 1.13.0 drops octets within packets where a host does not read for a while, and the H4 stream has no frame
# then.
#
# Expected: a controller over a stream waits until its host reads, takes no commands meanwhile, or closes the
# connection. The guess before the run was that it waits, so that one host stops the controllers of all others. Seen:
# RootCanal goes on and drops what the full socket does not take, also in the middle of a packet. The connection stays
# open. The next packets follow the part of a packet, and H4 has no mark by which a host finds them again: octets of
# parameters stand where a type and a length belong. Only a new connection helps. Other hosts of the same RootCanal are
# answered meanwhile.
#
# The host here sends 100,000 commands (Read Local Supported Commands, each with an answer of 71 octets) and reads once
# RootCanal rests. Of 7.1 MB some 4.3 arrive: as many as the buffers of the sockets hold (tcp_wmem and tcp_rmem of
# Linux).
#
# Needs python3 with venv, and unshare, and installs rootcanal 1.13.0 from PyPI (33 MB); where glibc is older than 2.39,
# mmdebstrap unpacks a newer one of Debian 13 into the temporary folder. blepera and an adapter are not used. Exit
# status: 0 where this is still so, 1 where the behavior has changed, 2 where RootCanal could not run.
set -eu

folder=$(mktemp -d)
trap 'kill $canal 2> /dev/null || true; rm -rf "$folder"' EXIT
canal=
python3 -m venv "$folder/venv" || exit 2
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check rootcanal==1.13.0 || exit 2
program=$(echo "$folder"/venv/lib/python3*/site-packages/rootcanal/bin/linux-x86_64/rootcanal)
chmod +x "$program"
loader=
if [ "$(printf '%s\n' 2.39 "$(getconf GNU_LIBC_VERSION | cut -d ' ' -f 2)" | sort -V | head -n 1)" != 2.39 ]; then
  command -v mmdebstrap > /dev/null || { echo "mmdebstrap is not in PATH, and glibc is older than 2.39" >&2; exit 2; }
  mmdebstrap --quiet --variant=extract --include=libstdc++6 trixie "$folder/root" http://deb.debian.org/debian || exit 2
  libraries=$folder/root/usr/lib/x86_64-linux-gnu
  loader="$libraries/ld-linux-x86-64.so.2 --library-path $libraries"
fi

cat > "$folder/host.py" <<'PYTHON'
import fcntl, socket, struct, subprocess, sys, time

with socket.socket() as any_socket:  # the loopback of the new network namespace is down
    fcntl.ioctl(any_socket, 0x8914, struct.pack('16sH14x', b'lo', 1))
canal = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
RESET, COMMANDS, COUNT, LENGTH = bytes.fromhex('01030c00'), bytes.fromhex('01021000'), 100_000, 71

def attach():
    for _ in range(100):
        try:
            return socket.create_connection(('127.0.0.1', 6402))
        except ConnectionRefusedError:
            time.sleep(0.1)
    sys.exit(2)

def octets(host, least, limit=10):
    """What arrives until there are so many octets, or none for a while."""
    read = b''
    host.settimeout(limit)
    try:
        while len(read) < least and (more := host.recv(1 << 20)):
            read += more
    except TimeoutError:
        pass
    return read

def answers(host):
    host.sendall(RESET)
    return octets(host, 7) == bytes.fromhex('040e0401030c00')

try:
    host, other = attach(), attach()
    assert answers(host) and answers(other)
    host.sendall(COMMANDS * COUNT)
    meanwhile = answers(other)
    before, spent = -100, 0
    while spent - before > 20:  # hundredths of a second in two: RootCanal has done all
        before = spent
        time.sleep(2)
        spent = sum(map(int, open(f'/proc/{canal.pid}/stat').read().rsplit(')', 1)[1].split()[11:13]))
    read = octets(host, COUNT * LENGTH, 3)
    whole = 0
    while read[whole : whole + 6] == bytes.fromhex('040e44010210'):
        whole += LENGTH
    host.sendall(RESET)
    after = octets(host, 7, 3)
    print('an answer for each command:', 'yes' if len(read) == COUNT * LENGTH else 'no')
    print('whole packets alone:', 'yes' if len(read) % LENGTH == 0 else 'no')
    print('the connection ends:', 'no' if after else 'yes')
    print('another host is answered:', 'yes' if meanwhile and answers(other) else 'no')
    print(f'{len(read) / LENGTH:.2f} answers of {COUNT}', file=sys.stderr)
finally:
    canal.kill()
PYTHON
result=$(unshare --net --map-root-user python3 "$folder/host.py" $loader "$program") || exit 2
echo "$result"
expected='an answer for each command: no
whole packets alone: no
the connection ends: no
another host is answered: yes'
if [ "$result" != "$expected" ]; then
  echo "The behavior has changed; RootCanal 1.13.0 printed:" >&2
  echo "$expected" >&2
  exit 1
fi
