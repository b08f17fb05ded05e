import BleperaAppLink
import BleperaBluetooth
import BleperaEventLoop
import BleperaLoop
import BleperaProfileApp
import Testing

@testable import BleperaProfile

@Suite struct ProfileAppTests {
  @Test(.timeLimit(.minutes(1)))
  func `an app on a link publishes, responds, sends updates by the loop's timers, and ends with the link`() async {
    let loop = EventLoop(name: "test")
    let link = makeInMemoryLink()
    let profile = Fixture.profile([
      [
        Fixture.characteristic(1, .echo(Echo(initialValue: [7]))),
        Fixture.characteristic(2, Fixture.counter(every: .milliseconds(20))),
      ]
    ])
    let app = ProfileApp(loop: loop, profile: profile, name: "test", seed: 1, link: link.app)
    let run = Task { await app.run() }
    var calls = link.system.incoming.makeAsyncIterator()

    let identity = AppIdentity(bundleIdentifier: "test", name: "test", backgroundModes: [], restoreIdentifier: nil)
    #expect(await calls.next() == .hello(version: appLinkVersion, app: identity))
    link.system.send(.welcome(version: appLinkVersion))
    link.system.send(.didUpdateState(.poweredOn))
    #expect(await calls.next() == .addService(ServiceID(rawValue: 0), profile.services[0].definition))
    link.system.send(.didAddService(ServiceID(rawValue: 0), error: nil))
    #expect(
      await calls.next()
        == .startAdvertising(AdvertisementData(localName: "Test", serviceUUIDs: [profile.services[0].uuid])))

    let echo = Fixture.id(0)
    link.system.send(
      .didReceiveRead(ReadRequest(id: RequestID(rawValue: 1), central: .named("A"), characteristic: echo, offset: 0)))
    #expect(await calls.next() == .respond(RequestID(rawValue: 1), error: nil, value: [7]))

    let counter = Fixture.id(1)
    link.system.send(.didSubscribe(.named("A"), to: counter))
    var values: [[UInt8]] = []
    while values.count < 3, let call = await calls.next() {
      guard case .updateValue(counter, let value, nil) = call else {
        Issue.record("not to be expected: \(call)")
        break
      }
      values.append(value)
      link.system.send(.didUpdateValue(counter, queued: true))
    }
    #expect(values.count == 3)
    #expect(Set(values).count == 3)

    link.system.send(.didUnsubscribe(.named("A"), from: counter))
    link.system.close()
    _ = await run.value
    loop.stop()
  }
}
