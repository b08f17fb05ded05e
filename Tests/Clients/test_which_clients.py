"""Clients of others meet the same two phones, in the foreground and in the background, and two accessories, in one lab.

What they print is the table of docs/clients.md, which `--write-pages` writes.
"""

import importlib.metadata
import os
import re
import subprocess
import sys

import pytest
from blepera_tests.paths import ROOT
from program import run_simpleble
from programs.which_clients import CLIENTS

PAGE = ROOT / 'docs/clients.md'
TABLE = re.compile(r'(?<=<!-- clients -->\n).*?(?=<!-- end -->)', re.DOTALL)
PROGRAMS = ROOT / 'Tests/Clients/programs'
ACCESSORIES = {
    'aranet4.plist': """{
      Name = "Aranet4 0C1D2";
      Advertisement = {
        LocalName = "Aranet4 0C1D2"; ServiceUUIDs = (FCE0);
        ManufacturerData = <0207 21 12 04 01 000c 0f01 de02 cf01 9527 27 50 01 2c01 2800 00>;
      };
    }""",
    'victron.plist': """{
      Name = SmartSolar; Address = static;
      Advertisement = { LocalName = SmartSolar; ManufacturerData = <e102 1000 42a0 01 0000 00 112233>; };
    }""",
}


def forget_devices() -> None:
    """A client must not know a phone by what an earlier client has received."""
    bus = ['busctl', f'--address={os.environ["DBUS_SYSTEM_BUS_ADDRESS"]}']
    paths = subprocess.run([*bus, 'tree', '--list', 'org.bluez'], check=True, capture_output=True, text=True).stdout
    for path in re.findall(r'^/org/bluez/hci0/dev_[0-9A-F_]{17}$', paths, re.MULTILINE):
        words = ['call', 'org.bluez', '/org/bluez/hci0', 'org.bluez.Adapter1', 'RemoveDevice', 'o', path]
        subprocess.run([*bus, *words], check=True)


def printed(client: str) -> str:
    done = run_simpleble(
        sys.executable, PROGRAMS / 'which_clients.py', client, before=forget_devices, timeout=240)
    assert done.returncode == 0, f'{client}: {done.stderr}'
    return done.stdout.strip()


def test_what_clients_do(lab, blepera, tmp_path, request):
    accessories = []
    for name, text in ACCESSORIES.items():
        (tmp_path / name).write_text(text)
        accessories += ['--accessory', str(tmp_path / name)]
    lab('heart-rate', 'nordic-uart', options=tuple(accessories), is_private=True)
    foreground = {client: printed(client) for client in CLIENTS}
    for phone in ('heart-rate', 'nordic-uart'):
        subprocess.run([blepera, 'background', '--system', phone], check=True, capture_output=True)
    background = {client: printed(client) for client in CLIENTS}
    rows = ['| client | version | app in the foreground | app in the background |', '|---|---|---|---|']
    for client in CLIENTS:
        version = importlib.metadata.version(client)
        rows.append(f'| {client} | {version} | {foreground[client]} | {background[client]} |')
    table = '\n'.join(rows) + '\n'
    text = PAGE.read_text()
    if request.config.getoption('--write-pages'):
        PAGE.write_text(TABLE.sub(lambda _: table, text))
    else:
        assert TABLE.search(text)[0] == table


def test_qt(lab, blepera):
    """QtBluetooth, which runs the executable of org.bluez with `--version` unless a variable of the lab prevents that."""
    lab('heart-rate', is_private=True)
    done = subprocess.run(
        [sys.executable, PROGRAMS / 'qt_program.py', blepera], capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr


REMOVED = """
import asyncio
from bleak import BleakClient, BleakScanner

async def main():
    device = await BleakScanner.find_device_by_name('Heart Rate')
    client = BleakClient(device, lambda _: print('disconnected'))
    await client.connect()
    await client.unpair()
    print('unpaired')
    await client.disconnect()
    print(await BleakScanner.find_device_by_name('Heart Rate') is not None)

asyncio.run(main())
"""


@pytest.mark.parametrize('release', ['5.66', '5.82'])
def test_bleak_removes_a_connected_device(lab, release):
    lab('heart-rate', options=('--bluez-version', release), is_private=True)
    done = subprocess.run([sys.executable, '-c', REMOVED], capture_output=True, text=True, timeout=240)
    lines = done.stdout.splitlines()
    # 5.66 replies just before Connected is false, so that either may reach the program first.
    assert release == '5.66' or lines[:1] == ['disconnected'], lines
    assert (sorted(lines), done.returncode) == (['True', 'disconnected', 'unpaired'], 0), done.stderr
