import BleperaAppLink
import BleperaBluetooth
import BleperaPreservation
import BusTesting
import Testing

@testable import BleperaPhone

@Suite("An app of several peripheral managers", .timeLimit(.minutes(1)))
struct ManagerTests {
  private static let thermometer = ServiceDefinition(
    uuid: BluetoothUUID(0x1809 as UInt16),
    characteristics: [
      CharacteristicDefinition(
        uuid: BluetoothUUID(0x2A1E as UInt16), properties: [.read, .write], permissions: [.readable, .writeable])
    ])
  private static let service = ServiceID(rawValue: 7)
  private static let advertisement = AdvertisementData(localName: "Thermometer", serviceUUIDs: [thermometer.uuid])

  /// An app that serves, and another manager of it that serves too.
  private static func serve(_ phone: TestPhone, restores: String? = "test", _ other: ManagerID) async throws -> TestApp
  {
    let app = TestApp(phone.system, TestApp.identity(restores: restores))
    try await app.publish()
    app.link.send(.createManager(other))
    #expect(try await app.messages.next() == .manager(other, .didUpdateState(.poweredOn)))
    app.link.send(.manager(other, .addService(service, thermometer)))
    #expect(try await app.messages.next() == .manager(other, .didAddService(service, error: nil)))
    app.link.send(.manager(other, .startAdvertising(advertisement)))
    #expect(try await app.messages.next() == .manager(other, .didStartAdvertising(error: nil)))
    return app
  }

  @Test("On a radio without the central role a central manager is unsupported") func noCentralRole() throws {
    try ScriptedRadio.run { phone, _, _ in
      let app = TestApp(phone)
      app.link.send(.central(.number(1), .create))
      let state = try await app.messages.first {
        if case .central(.number(1), .didUpdateState(let state)) = $0 { state } else { nil }
      }
      #expect(state == .unsupported)
    }
  }

  @Test("An app has at most 100 managers and 1,000 background tasks; one more ends its link", arguments: [true, false])
  func limits(ofManagers: Bool) async throws {
    try await TestPhone.run(on: .simulated) { phone in
      let app = TestApp(phone.system)
      try await app.publish()
      let count = ofManagers ? 99 : 1000
      for number in 1...count {
        app.link.send(ofManagers ? .createManager(.number(number)) : .beginBackgroundTask(number))
      }
      // One that has ended makes room.
      if !ofManagers {
        app.link.send(.endBackgroundTask(1))
        app.link.send(.beginBackgroundTask(1))
      }
      app.link.send(ofManagers ? .createManager(.number(0)) : .beginBackgroundTask(0))
      let reason = try await app.messages.first { if case .refused(let reason) = $0 { reason } else { nil } }
      #expect(reason.hasPrefix("an app has at most \(ofManagers ? "100 managers" : "1000 background tasks")"))
      try await phone.events.first { if case .preserved(_, .crash) = $0 { true } else { nil } }
    }
  }

  private static func advertised(_ phone: TestPhone) async -> [BluetoothUUID] {
    await phone.system.status().apps.first?.serviceUUIDs?.compactMap { BluetoothUUID($0) } ?? []
  }

  @Test("Each has its services and its advertisement, and gets its own callbacks", arguments: RadioKind.allCases)
  func two(on radio: RadioKind) async throws {
    try await TestPhone.run(on: radio) { phone in
      let other = ManagerID.number(1)
      let app = try await Self.serve(phone, other)
      #expect(await Self.advertised(phone) == [TestApp.uuid, Self.thermometer.uuid])

      app.link.send(.manager(other, .startAdvertising(Self.advertisement)))
      guard case .manager(other, .didStartAdvertising(.some, let code)) = try await app.messages.next() else {
        Issue.record("no error")
        return
      }
      #expect(code == .alreadyAdvertising)

      try await phone.radio.connect()
      async let value = phone.radio.read(Self.thermometer.characteristics[0].uuid)
      guard case .manager(other, .didReceiveRead(let request)) = try await app.messages.next() else {
        Issue.record("no read")
        return
      }
      app.link.send(.manager(other, .respond(request.id, error: nil, value: [99])))
      #expect(try await value == [99])

      app.link.send(.stopAdvertising)
      app.link.send(.removeAllServices)
      try await phone.events.first { if case .unpublished(TestApp.uuid) = $0 { true } else { nil } }
      #expect(await Self.advertised(phone) == [Self.thermometer.uuid])
    }
  }

  @Test("Relaunched, it gets the list of its managers, and the state of each when it creates it")
  func restored() async throws {
    let identifiers = ["test", "other"].map { ManagerID.restorable($0) }
    try await TestPhone.run(on: .simulated, launcher: TestLauncher(process: 4711)) { first in
      let app = try await Self.serve(first, identifiers[1])
      try await first.radio.connect()
      app.link.close()
      try await first.events.first { if case .preserved(_, .crash) = $0 { true } else { nil } }
      // What the phone's next start restores is the same.
      let phone = try await first.restarted()
      #expect(try phone.saved.first?.otherManagers?.map(\.id) == [identifiers[1]])
      #expect(await Self.advertised(phone) == [TestApp.uuid, Self.thermometer.uuid])

      try await phone.radio.connect()
      async let written: Void = phone.radio.write([7], to: Self.thermometer.characteristics[0].uuid)
      _ = try await phone.launcher.asked.next()
      // The manager that the app created second before is the first one now.
      let again = TestApp(phone.system, TestApp.identity(restores: "other"), into: .background, peer: 4711)
      let messages = try await again.messages.next(5)
      #expect(
        messages[0]
          == .welcome(version: appLinkVersion, bluetoothPeripherals: ["test", "other"], nextService: 8))
      guard case .willRestoreState(let other) = messages[1], case .didReceiveWrite(let requests) = messages[4] else {
        Issue.record("another order: \(messages)")
        return
      }
      #expect(other.services.map(\.service) == [Self.thermometer])
      #expect(other.advertisement == Self.advertisement)
      again.link.send(.respond(try #require(requests.first?.id), error: nil, value: []))
      try await written

      again.link.send(.createManager(identifiers[0]))
      guard case .manager(identifiers[0], .willRestoreState(let state)) = try await again.messages.next() else {
        Issue.record("the other manager is not restored")
        return
      }
      #expect(state.services.map(\.service) == [TestApp.service])
      #expect(state.advertisement == TestApp.advertisement)
      #expect(try await again.messages.next() == .manager(identifiers[0], .didUpdateState(.poweredOn)))
    }
  }

  /// Ends an app of two managers, to which a central is connected.
  private static func end(_ phone: TestPhone) async throws {
    let app = try await serve(phone, .restorable("other"))
    try await phone.radio.connect()
    app.link.close()
    try await phone.events.first { if case .preserved(_, .crash) = $0 { true } else { nil } }
  }

  /// The relaunched app.
  private static func relaunch(_ phone: TestPhone, restores: String?) async throws -> TestApp {
    _ = try await phone.launcher.asked.next()
    return TestApp(phone.system, TestApp.identity(restores: restores), into: .background, peer: 4711)
  }

  @Test("What has waited for a manager follows its state", arguments: ["test", nil])
  func waiting(restores: String?) async throws {
    let other = ManagerID.restorable("other")
    try await TestPhone.run(on: .simulated, launcher: TestLauncher(process: 4711)) { phone in
      try await Self.end(phone)
      async let written: Void = phone.radio.write([7], to: Self.thermometer.characteristics[0].uuid)
      let app = try await Self.relaunch(phone, restores: restores)
      let messages = try await app.messages.next(restores == nil ? 3 : 4)
      #expect(messages[0] == .welcome(version: 1, bluetoothPeripherals: ["test", "other"], nextService: 8))
      #expect(messages.last == .didChangeState(.background))
      app.link.send(.createManager(other))
      let second = try await app.messages.next(3)
      guard case .manager(other, .willRestoreState(let state)) = second[0],
        case .manager(other, .didReceiveWrite(let requests)) = second[2]
      else {
        Issue.record("another order: \(second)")
        return
      }
      #expect(state.services.map(\.service) == [Self.thermometer])
      #expect(second[1] == .manager(other, .didUpdateState(.poweredOn)))
      app.link.send(.manager(other, .respond(try #require(requests.first?.id), error: nil, value: [])))
      try await written
    }
  }

  @Test("A manager that is not created within the launch is forgotten, and a request for it is refused")
  func forgotten() async throws {
    try await TestPhone.run(on: .simulated, launcher: TestLauncher(process: 4711)) { phone in
      try await Self.end(phone)
      async let written: Void = phone.radio.write([7], to: Self.thermometer.characteristics[0].uuid)
      let app = try await Self.relaunch(phone, restores: "test")
      do {
        try await written
        Issue.record("the write is not refused")
      } catch {}
      try await phone.events.first { if case .unpublished(Self.thermometer.uuid) = $0 { true } else { nil } }
      #expect(await Self.advertised(phone) == [TestApp.uuid])
      #expect(try phone.saved.first?.otherManagers == nil)
      #expect(try phone.saved.first?.services.map(\.definition) == [TestApp.service])
      app.link.close()
    }
  }

  @Test("An app that numbers its services without those of a manager does not create that one again")
  func renumbered() async throws {
    try await TestPhone.run(on: .simulated) { phone in
      let app = TestApp(phone.system)
      try await app.publish()
      app.link.close()
      try await phone.events.first { if case .preserved(_, .crash) = $0 { true } else { nil } }
      let updated = TestApp(phone.system, TestApp.identity(restores: "new"))
      try await updated.publish()
      #expect(try phone.saved.first?.services.count == 1)
      updated.link.send(.createManager(.restorable("test")))
      // It is another one now, with nothing to restore.
      #expect(
        try await updated.messages.next() == .manager(.restorable("test"), .didUpdateState(.poweredOn)))
    }
  }

  @Test("With the app goes what a manager without restoration identifier has", arguments: [nil, "test"])
  func unrestored(restores: String?) async throws {
    try await TestPhone.run(on: .simulated) { phone in
      let app = try await Self.serve(phone, restores: restores, restores == nil ? .restorable("other") : .number(1))
      app.link.close()
      try await phone.events.first { if case .preserved(_, .crash) = $0 { true } else { nil } }
      let kept = restores == nil ? Self.thermometer.uuid : TestApp.uuid
      #expect(await Self.advertised(phone) == [kept])
      #expect(try phone.saved.first?.services.map(\.definition.uuid) == [kept])
      let phone = try await phone.restarted()
      #expect(await Self.advertised(phone) == [kept])
    }
  }

  @Test("A manager that it has not created, or has already, ends the link with the reason")
  func refused() async throws {
    let calls: [(AppMessage, String)] = [
      (.manager(.restorable("a"), .stopAdvertising), "has not created the manager a"),
      (.manager(.number(2), .removeAllServices), "has not created the manager 2"),
      (.createManager(.restorable("test")), "has the manager test already"),
    ]
    for (call, text) in calls {
      try await TestPhone.run(on: .simulated) { phone in
        let app = TestApp(phone.system)
        try await app.publish()
        app.link.send(call)
        guard case .refused(let reason) = try await app.messages.next() else {
          Issue.record("not refused: \(call)")
          return
        }
        #expect(reason.contains(text))
        try await phone.events.first { if case .preserved = $0 { true } else { nil } }
      }
    }
  }
}
