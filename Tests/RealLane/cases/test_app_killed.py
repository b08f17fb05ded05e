"""An app is killed and the phone is not: its services, advertisement, connections and subscriptions stay, and requests
that need the app relaunch it (R7, R8).
"""

import time

from rig.central import Central, Subscription
from rig.stage import Stage

from .phone import (
    BOTH,
    COMMAND,
    RX,
    STATE,
    TX,
    Undisturbed,
    answered,
    kill,
    leave,
    terminate,
    until_app,
    until_on_air,
    until_subscribers,
    values,
)

HEART_RATE, LOCATION = '2A37', '2A38'
LOCK = b'\1'


def check_air(stage: Stage, mark: int) -> None:
    """No command to the controller has changed or ended what it sends."""
    changes = [set(moment.packets) for moment in stage.air.record[mark:]]
    assert changes == [], 'the changes of what is on the air'


async def test_subscription_relaunches_it(stage: Stage, record_property):
    """Before, it is advertised without a change, and a cached value is read without it."""
    blepera = await stage.serve('heart-rate')
    central, other = await stage.meet(), await stage.meet()
    subscription = await central.subscribe(central.characteristic(HEART_RATE))
    await subscription.take(1)
    calm = await Undisturbed.of(central)
    await leave(stage, blepera)
    mark = len(stage.air.record)
    await kill(stage, blepera)
    while not subscription.values.empty():
        subscription.values.get_nowait()
    assert await other.read(other.characteristic(LOCATION)) == b'\x01', 'the cached value'
    assert (await until_app(stage))['terminationCause'] == 'crash', 'what ended the app, after a read of a cached value'
    since = time.monotonic()
    theirs = await other.subscribe(other.characteristic(HEART_RATE))
    await theirs.take(1)  # the first comes a second after the app has started
    took = time.monotonic() - since
    await subscription.take(2)
    await until_app(stage, state='background', terminationCause=None)
    calm.check()
    check_air(stage, mark)
    record_property('first value of a relaunched app', f'{took:.1f} s after the subscription')


async def test_killed_in_the_foreground(stage: Stage):
    """The UUID of a killed app moves to the overflow area, and the connection stays."""
    predicted = await stage.explain('heart-rate')
    front, back = predicted['foreground'].packets, predicted['background'].packets
    blepera = await stage.serve('heart-rate')
    central = await stage.meet()
    calm = await Undisturbed.of(central)
    mark = len(stage.air.record)
    await kill(stage, blepera)
    await until_on_air(stage, back.__eq__, mark)
    mixed = [set(one.packets) for one in stage.air.record[mark:] if not (one.packets <= front or one.packets <= back)]
    assert mixed == [], 'packets of neither state'
    assert stage.air.record[-1].packets == back, 'what is on the air at last'
    calm.check()


@BOTH
async def test_write_relaunches_it(stage: Stage, record_property):
    """Within 2 s, and its notification reaches both subscribed centrals."""
    blepera = await stage.serve('nordic-uart')
    centrals = [await stage.meet(), await stage.meet()]
    subscriptions = [await one.subscribe(one.characteristic(TX)) for one in centrals]
    calm = [await Undisturbed.of(one) for one in centrals]
    await centrals[0].write(centrals[0].characteristic(RX), b'before')
    for subscription in subscriptions:
        await values(subscription, [b'before'])
    await leave(stage, blepera)
    mark = len(stage.air.record)
    await kill(stage, blepera)

    async def exchange(central: Central, value: bytes) -> None:
        await central.write(central.characteristic(RX), value)
        for subscription in subscriptions:
            await values(subscription, [value])

    took = await answered(stage, lambda: exchange(centrals[1], b'relaunched'), 'a write')
    await exchange(centrals[0], b'and on')
    for one in calm:
        one.check()
    check_air(stage, mark)
    record_property('answer of a killed app', f'{took:.1f} s after the write')


async def test_requests_over_an_encrypted_link_relaunch_it(stage: Stage, record_property):
    """A write and a read within 2 s, and the end of a subscription."""
    blepera = await stage.serve('smart-lock')
    central = await stage.meet()
    await central.pair()
    command, state = (central.characteristic(uuid) for uuid in (COMMAND, STATE))
    subscription = await central.subscribe(state)
    await until_subscribers(stage, (central.address, False))
    calm = await Undisturbed.of(central)
    await kill(stage, blepera)
    wrote = await answered(stage, lambda: central.write(command, LOCK), 'the command')
    await values(subscription, [LOCK])
    await terminate(stage)
    read = await answered(stage, lambda: central.read(state), 'a read')
    await terminate(stage)
    await central.unsubscribe(state, subscription)
    await until_app(stage, terminationCause=None)
    calm.check()
    record_property('answer of a killed app over an encrypted link', f'write {wrote:.1f} s, read {read:.1f} s')


async def test_served_again_by_hand(stage: Stage):
    """The same centrals receive notifications again, without any request."""
    blepera = await stage.serve('heart-rate')
    centrals = [await stage.meet(), await stage.meet()]
    subscriptions: list[Subscription] = []
    for central in centrals:
        subscriptions.append(await central.subscribe(central.characteristic(HEART_RATE)))
    await until_subscribers(stage, *((central.address, False) for central in centrals))
    calm = [await Undisturbed.of(central) for central in centrals]
    await kill(stage, blepera)
    for subscription in subscriptions:
        while not subscription.values.empty():
            subscription.values.get_nowait()
    await stage.serve('heart-rate')
    for subscription in subscriptions:
        await subscription.take(2)
    for one in calm:
        one.check()
