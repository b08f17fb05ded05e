import BleperaAppLink
import BleperaBluetooth
import BleperaProfileApp
import Testing

@testable import BleperaProfile

@Suite struct PublishingTests {
  private static let three = Fixture.profile([[Fixture.characteristic()], [], [Fixture.characteristic()]])

  /// The calls that publish `profile`.
  private static func additions(_ profile: Profile) -> [ProfileMachine.Action] {
    profile.services.enumerated().map { index, service in
      .call(.addService(ServiceID(rawValue: index), service.definition))
    }
  }

  private static let advertising = ProfileMachine.Action.call(
    .startAdvertising(AdvertisementData(localName: "Test", serviceUUIDs: three.services.map(\.uuid))))

  private static func trace(_ profile: Profile) -> Trace {
    Trace(machine: ProfileMachine(profile: profile, name: "file", seed: 0))
  }

  @Test func `a launched app connects with its identity, and creates its manager`() {
    let profile = Profile(
      bundleIdentifier: "org.example.app", bundleName: "App", backgroundModes: ["bluetooth-peripheral"],
      restoreIdentifier: "app",
      rules: RuleOverrides(
        foregroundInterval: 30, backgroundInterval: 152.5, suspendedError: .requestNotSupported,
        disablesCachedValues: true))
    let identity = AppIdentity(
      bundleIdentifier: "org.example.app", name: "App", backgroundModes: ["bluetooth-peripheral"],
      rules: RuleOverrides(
        foregroundInterval: 30, backgroundInterval: 152.5, suspendedError: .requestNotSupported,
        disablesCachedValues: true))
    var trace = Self.trace(profile)
    let create = AppMessage.create(ManagerID(.peripheral, .restorable("app")))
    trace.run([(0, .launched, [.send(.hello(version: appLinkVersion, app: identity)), .send(create)])])
  }

  @Test func `a profile that names no app is named after its file`() {
    let identity = AppIdentity(bundleIdentifier: "file", name: "file", backgroundModes: [])
    var trace = Self.trace(Profile())
    let create = AppMessage.create(ManagerID(.peripheral, .number(0)))
    trace.run([(0, .launched, [.send(.hello(version: appLinkVersion, app: identity)), .send(create)])])
  }

  @Test func `services are added once, in order, and advertised after the last one is added`() {
    var trace = Self.trace(Self.three)
    trace.run([
      (0, .received(.welcome(version: appLinkVersion)), []),
      (0, .poweredOn, Self.additions(Self.three)),
      (0, .poweredOn, []),
      (0, .didAddService(0), []), (0, .didAddService(2), []),
      (0, .didAddService(1), [Self.advertising]),
      (0, .callback(.didStartAdvertising(error: nil)), []),
      (1, .callback(.didUpdateState(.poweredOff)), []),
      (2, .poweredOn, []),
    ])
  }

  @Test(arguments: [ManagerState.unknown, .resetting, .unsupported, .unauthorized, .poweredOff])
  func `nothing is added before the radio is powered on`(state: ManagerState) {
    var trace = Self.trace(Self.three)
    trace.run([(0, .callback(.didUpdateState(state)), []), (1, .poweredOn, Self.additions(Self.three))])
  }

  @Test(arguments: [[0, 1, 2], [2, 1, 0]], [0, 1, 2])
  func `an app with a refused service does not advertise`(order: [Int], refused: Int) {
    var trace = Self.trace(Self.three)
    trace.run(
      [(0, .poweredOn, Self.additions(Self.three))]
        + order.map { (0, .didAddService($0, error: $0 == refused ? "no room" : nil), []) })
  }

  @Test func `a reply that is repeated, early or for an unknown service does not start advertising`() {
    var trace = Self.trace(Self.three)
    trace.run([
      (0, .didAddService(0), []), (0, .didAddService(7, error: "no room"), []),
      (0, .poweredOn, Self.additions(Self.three)),
      (0, .didAddService(0), []), (0, .didAddService(0), []), (0, .didAddService(-1), []),
      (0, .didAddService(3, error: "no room"), []),
      (0, .didAddService(1), []), (0, .didAddService(2), [Self.advertising]), (0, .didAddService(2), []),
    ])
  }

  @Test func `an app without services advertises at once`() {
    let profile = Profile(advertisement: AdvertisementData(localName: "Bare"))
    var trace = Self.trace(profile)
    let request = AdvertisementData(localName: "Bare", serviceUUIDs: [])
    trace.run([(0, .poweredOn, [.call(.startAdvertising(request))]), (0, .poweredOn, [])])
  }

  @Test func `an app whose profile has no advertisement does not advertise`() {
    let profile = Fixture.profile([[Fixture.characteristic()]], isAdvertised: false)
    var trace = Self.trace(profile)
    trace.run([(0, .poweredOn, Self.additions(profile)), (0, .didAddService(0), [])])
  }
}
