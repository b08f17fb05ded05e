"""An app with two managers of each role, which prints what each of them receives.

    managers.py FOLDER_OF_THE_PACKAGE OUTPUT

It appends to OUTPUT, as what an app prints that the phone has started is in the phone's log.
"""

import sys

sys.path.insert(0, sys.argv[1])

from blepera import App, Service

DOORS, LIGHTS = (f'6B3D00{number}0-52A1-4E7C-9A0B-8D4F1C2E3A5B' for number in (1, 2))
output = open(sys.argv[2], 'a', buffering=1)  # noqa: SIM115, open until the end
# A peripheral manager and a central manager may have one identifier.
app = App('org.example.managers', restore_identifier='doors', central_restore_identifier='doors')
lights, sensors = app.add_peripheral_manager('lights'), app.add_central_manager('sensors')


def publish(manager, name, uuid):
    service = Service(uuid)
    value = service.characteristic(uuid.replace('0-52', '1-52'), 'write')
    value.on_write(lambda central, written: print(name, 'written', file=output))
    manager.on_restore(lambda: print(name, 'restored', file=output))
    manager.on_bluetooth(lambda state: print(name, state, file=output))
    manager.add(service)


def find(manager, name, uuid):
    restored = []

    @manager.on_restore
    def restore(peripherals):
        restored.append(peripherals)
        print(name, 'restored', *(peripheral.state for peripheral in peripherals), file=output)

    @manager.on_bluetooth
    async def bluetooth_changed(state):
        print(name, state, file=output)
        if state == 'on' and not restored:
            async for found in manager.scan([uuid]):
                await manager.connect(found.peripheral)
                print(name, 'connected', file=output)
                break


publish(app.peripheral, 'doors', DOORS)
publish(lights, 'lights', LIGHTS)
find(app.central, 'central doors', '180D')
find(sensors, 'sensors', '1809')
app.peripheral.advertise('Doors')
app.run()
