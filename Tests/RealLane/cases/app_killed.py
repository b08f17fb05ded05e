"""R7 and R8: an app is killed and the phone is not. What it published, its advertisement, the links and the
subscriptions stay; what an app is needed for relaunches it."""

import time

from rig.central import Central, Subscription
from rig.errors import expect, expect_equal
from rig.runner import case
from rig.stage import Stage, profile_path

from .phone import (
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
    values,
)

HEART_RATE, LOCATION = '2A37', '2A38'
LOCK = b'\1'


def check_air(stage: Stage, mark: int) -> None:
    """No command to the controller has changed or ended what it sends."""
    changes = [set(moment.packets) for moment in stage.air.record[mark:]]
    expect_equal(changes, [], 'the changes of what is on the air')


@case('heart-rate killed: still advertised, nobody notices, a cached value is read; a subscription brings it back')
async def heart_rate(stage: Stage) -> str:
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
    expect_equal(await other.read(other.characteristic(LOCATION)), b'\x01', 'the cached value')
    expect_equal((await until_app(stage))['ended'], 'crash', 'what ended the app, after a read of a cached value')
    since = time.monotonic()
    theirs = await other.subscribe(other.characteristic(HEART_RATE))
    await theirs.take(1)  # the first comes a second after the app has started
    took = time.monotonic() - since
    await subscription.take(2)
    await until_app(stage, state='background', ended=None)
    calm.check()
    check_air(stage, mark)
    return f'first value {took:.1f} s after the subscription'


@case('heart-rate killed in front: it goes over to the overflow area, and the link stays')
async def in_front(stage: Stage):
    predicted = await stage.explain('heart-rate')
    front, back = predicted['foreground'].packets, predicted['background'].packets
    blepera = await stage.serve('heart-rate')
    central = await stage.meet()
    calm = await Undisturbed.of(central)
    mark = len(stage.air.record)
    await kill(stage, blepera)
    await until_on_air(stage, back.__eq__, mark)
    mixed = [set(one.packets) for one in stage.air.record[mark:] if not (one.packets <= front or one.packets <= back)]
    expect_equal(mixed, [], 'what is on the air and neither as in front nor as in the background')
    expect_equal(stage.air.record[-1].packets, back, 'what is on the air at last')
    calm.check()


@case('nordic-uart killed: a write brings it back within 2 s, and its answer reaches both centrals that subscribed')
async def serial(stage: Stage) -> str:
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
    return f'answered after {took:.1f} s'


@case('smart-lock killed: a command and a read bring it back within 2 s, the end of a subscription too')
async def lock(stage: Stage) -> str:
    blepera = await stage.serve('smart-lock')
    central = await stage.meet()
    await central.pair()
    command, state = (central.characteristic(uuid) for uuid in (COMMAND, STATE))
    subscription = await central.subscribe(state)
    calm = await Undisturbed.of(central)
    await kill(stage, blepera)
    wrote = await answered(stage, lambda: central.write(command, LOCK), 'the command')
    await values(subscription, [LOCK])
    await terminate(stage)
    read = await answered(stage, lambda: central.read(state), 'a read')
    await terminate(stage)
    await central.unsubscribe(state, subscription)
    await until_app(stage, ended=None)
    calm.check()
    return f'a write is answered after {wrote:.1f} s, a read after {read:.1f} s'


@case('heart-rate killed and served again by hand: the same centrals are notified on, without doing anything')
async def by_hand(stage: Stage):
    blepera = await stage.serve('heart-rate')
    centrals = [await stage.meet(), await stage.meet()]
    subscriptions: list[Subscription] = []
    for central in centrals:
        subscriptions.append(await central.subscribe(central.characteristic(HEART_RATE)))
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


@case('two apps with one restoration identifier: the second is refused, while the first runs and after it was killed')
async def twins(stage: Stage):
    twin = '/run/lane/twin.plist'
    script = f'sed s/org.blepera.heart-rate/org.example.twin/ "$0" > {twin}'
    await stage.vm.run('sh', '-c', script, profile_path('heart-rate'))
    blepera = await stage.serve('heart-rate')

    async def check_refused() -> None:
        other = await stage.run('serve', twin)
        expect_equal(await other.process.wait(10), 1, 'the exit status of the second')
        said = other.process.text('err')
        expect("restoration identifier 'heart-rate'" in said and 'org.blepera.heart-rate' in said, f'it says: {said}')

    await check_refused()
    await kill(stage, blepera)
    await check_refused()
    central = await stage.meet()
    expect_equal(await central.read(central.characteristic(LOCATION)), b'\x01', 'the value of the first')


@case('an app that runs is refused a second time; two others share the phone, and each ends alone')
async def shared(stage: Stage):
    first = await stage.serve('heart-rate')
    again = await stage.run('serve', str(profile_path('heart-rate')))
    expect_equal(await again.process.wait(10), 1, 'the exit status of the same app')
    expect('org.blepera.heart-rate runs already' in again.process.text('err'), f'it says: {again.process.text("err")}')
    second = await stage.serve('smart-lock')
    central = await stage.meet()
    expect_equal(await central.read(central.characteristic(STATE)), b'\0', 'the state of the second')
    expect_equal(await first.interrupt(), 0, 'the exit status of the first')
    expect_equal([app['identifier'] for app in (await stage.status())['apps']], ['org.blepera.smart-lock'], 'the apps')
    expect_equal(await central.read(central.characteristic(STATE)), b'\0', 'the state of the second')
    expect_equal(await second.interrupt(), 0, 'the exit status of the second')
    await stage.air.until_silent()
