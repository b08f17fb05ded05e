"""The rig itself, without blepera; when this fails, the other results mean nothing."""

from bumble.core import UUID
from rig.central import services_of
from rig.stage import Stage


async def test_rig(stage: Stage):
    """A central hears, reaches and reads bluetoothd itself."""
    added = await stage.btmgmt('add-adv', '-c', '-u', '180d', '1')
    assert 'Instance added' in added, f'btmgmt adds no advertisement: {added}'
    central = await stage.central()
    heard = await central.hear()
    assert heard and heard.is_connectable, 'the advertisement of btmgmt is not on the air'
    assert services_of(heard) == [UUID('180D')], 'the advertised services'
    await central.connect(heard.address)
    await central.discover()
    name = await central.read(central.characteristic('2A00'))
    assert name.startswith(b'BlueZ'), f'bluetoothd calls itself {name!r}'
    await central.disconnect()
    await stage.btmgmt('rm-adv', '1')
    assert await central.hear(limit=1.5) is None, 'what was taken down is still on the air'
