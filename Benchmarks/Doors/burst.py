"""An app that sends 10,000 numbered values of 180 bytes to its first subscriber."""

import sys

from blepera import App, Service

COUNT, LENGTH = 10_000, 180

app = App('org.example.burst')
service = Service('B7E10001-6F0A-4E0C-9A55-3C1D7E8B9F20')
values = service.characteristic('B7E10002-6F0A-4E0C-9A55-3C1D7E8B9F20', 'notify')
fixed = service.characteristic('B7E10003-6F0A-4E0C-9A55-3C1D7E8B9F20', 'read', value=bytes(20))


@values.on_subscribe
async def subscribed(central):
    for number in range(COUNT):
        await values.update(number.to_bytes(4, 'little') + bytes(LENGTH - 4))


app.add(service)
app.advertise('Burst')

if __name__ == '__main__':
    sys.exit(app.run())
