#!/usr/bin/env python3
"""A lamp: an app in Python, on a phone of blepera's.

    blepera system --virtual &
    python3 examples/lamp/lamp.py

A central writes 01 or 00 to switch it, reads what it is, and is notified when it changes. It opts in to state
restoration: kill it, and the next read, write or subscription starts it again, with what it had published.
"""

from blepera import App, Service

app = App('org.example.lamp', restore_identifier='lamp')
lamp = Service('B7E10001-6F0A-4E0C-9A55-3C1D7E8B9F20')
switch = lamp.characteristic('B7E10002-6F0A-4E0C-9A55-3C1D7E8B9F20', 'read', 'write', 'notify')
value = b'\0'


@switch.on_read
def read(central):
    return value


@switch.on_write
def write(central, written):
    global value
    value = written
    switch.update(value)


@app.on_state
def state_changed(state):
    print(state)


@app.on_restore
def restored():
    print('restored, with', len(switch.subscribers), 'subscribers')


app.add(lamp)
app.advertise('Lamp')

if __name__ == '__main__':
    app.run()
