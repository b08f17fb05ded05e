"""The phone as a central: a peripheral of Bumble's wakes the app by a value, and is connected again after a loss. Bumble's
controllers do not connect to a device of the accept list."""

from rig.peripheral import SERVICE
from stage import OF_SEVERAL, Stage

UNLOCKED, UNLOCK, LOCK = b'\1', b'\2', b'\0'  # of the state, and of the command


@OF_SEVERAL
async def test_the_app_finds_and_uses_a_peripheral_and_connects_again(stage: Stage):
    await stage.system()
    lock = await stage.peripheral()
    await lock.advertise()
    blepera = await stage.serve('lock-app', until='peripheralConnected')
    found = await blepera.until('discovered', peripheral=lock.address)
    assert (found['localName'], found['serviceUUIDs']) == ('Lock', [SERVICE])
    await stage.until(lambda: lock.subscribed and lock.written == [UNLOCK], 'that the app has subscribed and written')
    await stage.ask('background')
    await stage.move(blepera, 'suspend')
    mark = blepera.mark
    await lock.notify(UNLOCKED)
    assert (await blepera.until('received', after=mark))['value'] == '01'
    await stage.until(lambda: lock.written == [UNLOCK, LOCK], 'that the woken app has written')
    await lock.disconnect()
    await blepera.until('peripheralDisconnected', after=mark)
    await lock.advertise()
    await stage.until(lambda: lock.connections == 2 and lock.subscribed, 'a second connection')


@OF_SEVERAL
async def test_a_bonded_peripheral_is_found_again_at_its_next_private_address(stage: Stage):
    await stage.system()
    lock = await stage.peripheral(is_private=True)
    await lock.advertise()
    blepera = await stage.serve('lock-app', until='peripheralConnected')
    await stage.until(lambda: lock.written == [UNLOCK], 'that the app has paired and written')
    assert lock.connection.is_encrypted
    first, mark = lock.device.random_address, blepera.mark
    assert first.is_resolvable
    await lock.disconnect()
    await blepera.until('peripheralDisconnected', after=mark)
    assert await lock.device.update_rpa() and lock.device.random_address != first
    await lock.advertise()
    await stage.until(lambda: lock.connections == 2 and lock.subscribed, 'a second connection')
    await stage.until(lambda: lock.written == [UNLOCK] * 2, 'that the app has written again')
    assert lock.connection.is_encrypted
