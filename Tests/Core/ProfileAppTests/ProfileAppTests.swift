import BleperaAppLink
import BleperaBluetooth
import BleperaEventLoop
import BleperaLoop
import BleperaProfileApp
import Testing

@testable import BleperaProfile

@Suite struct ProfileAppTests {
  @Test(.timeLimit(.minutes(5)))
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

    let identity = AppIdentity(bundleIdentifier: "test", name: "test", backgroundModes: [])
    #expect(await calls.next() == .hello(version: appLinkVersion, app: identity))
    #expect(await calls.next() == .create(ManagerID(.peripheral, .number(0))))
    link.system.send(.welcome(version: appLinkVersion))
    func call(_ call: PeripheralManagerCall) -> AppMessage { .peripheral(.number(0), call) }
    func send(_ callback: PeripheralManagerCallback) { link.system.send(.peripheral(.number(0), callback)) }
    send(.didUpdateState(.poweredOn))
    #expect(await calls.next() == call(.addService(ServiceID(rawValue: 0), profile.services[0].definition)))
    send(.didAddService(ServiceID(rawValue: 0), error: nil))
    #expect(
      await calls.next()
        == call(.startAdvertising(AdvertisementData(localName: "Test", serviceUUIDs: [profile.services[0].uuid]))))

    let echo = Fixture.id(0)
    send(
      .didReceiveRead(ReadRequest(id: RequestID(rawValue: 1), central: .named("A"), characteristic: echo, offset: 0)))
    #expect(await calls.next() == call(.respond(RequestID(rawValue: 1), error: nil, value: [7])))

    let counter = Fixture.id(1)
    send(.didSubscribe(.named("A"), to: counter))
    var values: [[UInt8]] = []
    while values.count < 3, let next = await calls.next() {
      guard case .peripheral(_, .updateValue(counter, let value, nil)) = next else {
        Issue.record("not to be expected: \(next)")
        break
      }
      values.append(value)
      send(.didUpdateValue(counter, queued: true))
    }
    #expect(values.count == 3)
    #expect(Set(values).count == 3)

    send(.didUnsubscribe(.named("A"), from: counter))
    link.system.close()
    _ = await run.value
    loop.stop()
  }
}
