"""Two centrals at the same time."""

from rig.errors import expect_equal
from rig.runner import case
from rig.stage import Stage

from . import every_kind as kind


@case('a second central finds the peripheral while a first is connected; each is heard and told apart by its address')
async def two_centrals(stage: Stage):
    blepera = await stage.serve('every-kind')
    centrals = [await stage.meet() for _ in range(2)]
    heard = [await central.subscribe(central.characteristic(kind.COUNTER)) for central in centrals]
    for subscription in heard:
        await subscription.take(3)
    for central in centrals:
        await central.write(central.characteristic(kind.ECHO), central.address.encode())
    for event in ('connected', 'subscribed', 'write'):
        for central in centrals:
            await blepera.until(event, limit=5, central=central.address)


@case('one central leaves, the other stays subscribed, and a third takes the place of the first')
async def one_leaves(stage: Stage):
    blepera = await stage.serve('every-kind')
    first, second = [await stage.meet() for _ in range(2)]
    for central in (first, second):
        central.heard = await central.subscribe(central.characteristic(kind.COUNTER))
        await central.heard.take(2)
    await first.disconnect()
    await blepera.until('disconnected', limit=5, central=first.address)
    gone = {event['central'] for event in blepera.events if event['event'] == 'disconnected'}
    expect_equal(gone, {first.address}, 'who has disconnected')
    while not second.heard.values.empty():
        second.heard.values.get_nowait()
    await second.heard.take(3)
    third = await stage.meet()
    await (await third.subscribe(third.characteristic(kind.COUNTER))).take(2)
    await second.heard.take(3)


@case('a write of one central is notified to the other')
async def from_one_to_the_other(stage: Stage):
    await stage.serve('every-kind')
    writer, listener = [await stage.meet() for _ in range(2)]
    subscription = await listener.subscribe(listener.characteristic(kind.NOTIFY_ONLY))
    await writer.write(writer.characteristic(kind.WRITE_ONLY), b'across')
    expect_equal(await subscription.next(), b'across', 'what the other central hears')
