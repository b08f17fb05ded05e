"""The rig itself, without blepera: when these fail, nothing else of the lane means anything."""

from bumble.core import UUID
from rig.central import services_of
from rig.errors import expect, expect_equal
from rig.runner import case


@case('the rig: a central hears, reaches and reads bluetoothd itself')
async def bluetoothd_itself(stage):
    added = await stage.vm.run('script', '-qec', 'btmgmt --index 0 add-adv -c -u 180d 1', '/dev/null')
    expect('Instance added' in added.text(), f'btmgmt adds no advertisement: {added.text()}')
    central = await stage.central()
    heard = await central.hear()
    expect(heard and heard.is_connectable, 'the advertisement of btmgmt is not on the air')
    expect_equal(services_of(heard), [UUID('180D')], 'the advertised services')
    await central.connect(heard.address)
    await central.discover()
    name = await central.read(central.characteristic('2A00'))
    expect(name.startswith(b'BlueZ'), f'bluetoothd calls itself {name!r}')
    await central.disconnect()
    await stage.vm.run('script', '-qec', 'btmgmt --index 0 rm-adv 1', '/dev/null')
    expect(await central.hear(limit=2) is None, 'what was taken down is still on the air')
