"""The rig itself, without blepera; when this fails, the other results mean nothing."""

from bumble.core import UUID
from rig.central import services_of
from rig.stage import Stage


async def test_rig(stage: Stage):
    """A central discovers, connects to and reads bluetoothd itself."""
    added = await stage.btmgmt('add-adv', '-c', '-u', '180d', '1')
    assert 'Instance added' in added, f'btmgmt adds no advertisement: {added}'
    central = await stage.central()
    advertisement = await central.next_advertisement()
    assert advertisement and advertisement.is_connectable, 'the advertisement of btmgmt is not on the air'
    assert services_of(advertisement) == [UUID('180D')], 'the advertised services'
    await central.connect(advertisement.address)
    await central.discover()
    name = await central.read(central.characteristic('2A00'))
    assert name.startswith(b'BlueZ'), f'bluetoothd calls itself {name!r}'
    await central.disconnect()
    await stage.btmgmt('rm-adv', '1')
    assert await central.next_advertisement(limit=1.5) is None, 'what was taken down is still on the air'
