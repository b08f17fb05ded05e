"""An app in the central role, which connects to what has a service and subscribes there, again after each loss.

    watch.py FOLDER_OF_THE_PACKAGE OUTPUT SERVICE CHARACTERISTIC [SECONDS]     waits so long before it connects

It appends to OUTPUT, as what an app prints that the phone has started is in the phone's log.
"""

import sys

sys.path.insert(0, sys.argv[1])

from blepera import App

output = open(sys.argv[2], 'a', buffering=1)  # noqa: SIM115, open until the end
service, characteristic = sys.argv[3:5]
app = App('org.example.watch', central_restore_identifier='watch')
central = app.central
restored = []


def print_line(*words):
    print(*words, file=output)


@central.on_restore
def restore(peripherals):
    restored[:] = peripherals
    print_line('restored', *(peripheral.state for peripheral in peripherals))


@central.on_bluetooth
async def bluetooth_changed(state):
    if state == 'on' and not restored:
        async for found in central.scan([service]):
            break
        print_line('found', found.local_name)
        await central.connect(found.peripheral, start_delay=float((sys.argv[5:] or [0])[0]))


@central.on_connect
async def connected(peripheral):
    print_line('connected')
    found = await peripheral.characteristic(service, characteristic)
    await found.notify()
    print_line('subscribed', found.is_notifying)


@central.on_notify
def notified(characteristic, value):
    print_line('value', value.hex())


@central.on_disconnect
async def disconnected(peripheral, error):
    print_line('disconnected', error)
    await central.connect(peripheral)


app.run()
