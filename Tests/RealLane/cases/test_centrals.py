"""Two centrals at the same time."""

from rig.stage import Stage

from . import every_kind as kind


async def test_two_centrals(stage: Stage):
    """The second finds the peripheral while the first is connected; events name their addresses, and a
    write of the first is notified to the second.
    """
    blepera = await stage.serve('every-kind')
    centrals = [await stage.meet() for _ in range(2)]
    subscriptions = [await central.subscribe(central.characteristic(kind.COUNTER)) for central in centrals]
    for subscription in subscriptions:
        await subscription.take(3)
    for central in centrals:
        await central.write(central.characteristic(kind.ECHO), central.address.encode())
    for event in ('connected', 'subscribed', 'write'):
        for central in centrals:
            await blepera.until(event, limit=5, central=central.address)
    writer, listener = centrals
    subscription = await listener.subscribe(listener.characteristic(kind.NOTIFY_ONLY))
    await writer.write(writer.characteristic(kind.WRITE_ONLY), b'across')
    assert await subscription.next() == b'across', 'the notification for the other central'


async def test_one_leaves(stage: Stage):
    """One central leaves, the other stays subscribed, and a third takes the place of the first."""
    blepera = await stage.serve('every-kind')
    first, second = [await stage.meet() for _ in range(2)]
    for central in (first, second):
        central.subscription = await central.subscribe(central.characteristic(kind.COUNTER))
        await central.subscription.take(2)
    await first.disconnect()
    await blepera.until('disconnected', limit=5, central=first.address)
    disconnected = {event['central'] for event in blepera.events if event['event'] == 'disconnected'}
    assert disconnected == {first.address}, 'who has disconnected'
    while not second.subscription.values.empty():
        second.subscription.values.get_nowait()
    await second.subscription.take(3)
    third = await stage.meet()
    await (await third.subscribe(third.characteristic(kind.COUNTER))).take(2)
    await second.subscription.take(3)
