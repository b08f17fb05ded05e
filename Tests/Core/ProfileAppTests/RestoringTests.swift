import BleperaAppLink
import BleperaBluetooth
import BleperaProfile
import BleperaProfileApp
import Testing

@Suite("Restored services and subscriptions")
struct RestoringTests {
  private static let profile = Fixture.profile([[Fixture.characteristic(1, Fixture.counter())], []])
  private static let request = AdvertisementData(
    localName: "Test", serviceUUIDs: profile.services.map(\.uuid))

  private static func restored(_ count: Int, subscribers: [CentralDescription] = []) -> [RestoredService] {
    profile.services.prefix(count).enumerated().map { index, service in
      RestoredService(
        id: ServiceID(rawValue: index), service: service.definition,
        subscriptions: index == 0 && !subscribers.isEmpty ? [.init(index: 0, centrals: subscribers)] : [])
    }
  }

  private static func trace() -> Trace {
    Trace(machine: ProfileMachine(profile: profile, name: "test", seed: 1))
  }

  private static func add(_ index: Int) -> ProfileMachine.Action {
    .call(.addService(ServiceID(rawValue: index), profile.services[index].definition))
  }

  private static func restore(_ count: Int, _ advertisement: AdvertisementData?) -> ProfileMachine.Event {
    .callback(.willRestoreState(RestoredState(services: restored(count), advertisement: advertisement)))
  }

  @Test(
    "With everything restored nothing is added or started again, and subscribers have values, even if Bluetooth was off",
    arguments: [[], [ManagerState.poweredOff]])
  func all(before: [ManagerState]) {
    let central = CentralDescription(id: CentralID(rawValue: "A"), maximumUpdateValueLength: 20)
    var trace = Self.trace()
    trace.run([
      (
        1,
        .callback(
          .willRestoreState(
            RestoredState(services: Self.restored(2, subscribers: [central]), advertisement: Self.request))),
        [.schedule(.generator(Fixture.id(0)), at: .seconds(2))]
      )
    ])
    for state in before { trace.run([(1, .callback(.didUpdateState(state)), [])]) }
    trace.run([
      (1, .poweredOn, []),
      (
        2, .due(.generator(Fixture.id(0))),
        [
          .call(.updateValue(Fixture.id(0), value: [2], centrals: nil)),
          .schedule(.generator(Fixture.id(0)), at: .seconds(3)),
        ]
      ),
    ])
  }

  @Test("Missing services are added, and then advertised")
  func some() {
    var trace = Self.trace()
    trace.run([
      (0, Self.restore(1, nil), []), (0, .poweredOn, [Self.add(1)]),
      (0, .didAddService(1), [.call(.startAdvertising(Self.request))]),
    ])
  }

  @Test("Restored services are advertised, and another advertisement is replaced")
  func advertisement() {
    var trace = Self.trace()
    trace.run([(0, Self.restore(2, nil), []), (0, .poweredOn, [.call(.startAdvertising(Self.request))])])
    var other = Self.trace()
    other.run([
      (0, Self.restore(2, AdvertisementData(localName: "Old", serviceUUIDs: [])), [.call(.stopAdvertising)]),
      (0, .poweredOn, [.call(.startAdvertising(Self.request))]),
    ])
  }

  @Test("After a change of the profile all services are removed and added again")
  func changed() {
    var services = Self.restored(2)
    services[1].service.isPrimary = false
    var trace = Self.trace()
    trace.run([
      (
        0, .callback(.willRestoreState(RestoredState(services: services, advertisement: Self.request))),
        [.call(.stopAdvertising), .call(.removeAllServices)]
      ),
      (0, .poweredOn, [Self.add(0), Self.add(1)]),
    ])
  }

  @Test("A reset clears restored services, too")
  func reset() {
    var trace = Self.trace()
    trace.run([
      (0, Self.restore(2, Self.request), []), (0, .callback(.didUpdateState(.resetting)), []),
      (0, .poweredOn, [Self.add(0), Self.add(1)]),
    ])
  }

  @Test("On a new link the app connects again and keeps its values, but none of the system's state")
  func newLink() {
    let hello = ProfileMachine.Action.send(
      .hello(
        version: appLinkVersion,
        app: AppIdentity(bundleIdentifier: "test", name: "test", backgroundModes: [])))
    var trace = Self.trace()
    let create = ProfileMachine.Action.send(.create(ManagerID(.peripheral, .number(0))))
    trace.run([
      (0, .launched, [hello, create]), (0, .poweredOn, [Self.add(0), Self.add(1)]), (0, .didAddService(0), []),
      (0, .received(.didChangeState(.suspended)), []),
      (0, .launched, [hello, create]),
      (0, .poweredOn, [Self.add(0), Self.add(1)]),
    ])
  }
}
