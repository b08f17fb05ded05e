import BleperaAppLink
import BleperaBluetooth
import BleperaPreservation
import BusTesting
import Testing

@testable import BleperaPhone

@Suite("An app of several managers", .timeLimit(.minutes(5)))
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
  private static func serve(
    _ phone: TestPhone, restores: String? = "test", _ other: ManagerID.Name
  ) async throws -> TestApp {
    let app = TestApp(phone.system, TestApp.identity(), restores: restores)
    try await app.publish()
    app.link.send(.create(ManagerID(.peripheral, other)))
    #expect(try await app.messages.next() == .peripheral(other, .didUpdateState(.poweredOn)))
    app.link.send(.peripheral(other, .addService(service, thermometer)))
    #expect(try await app.messages.next() == .peripheral(other, .didAddService(service, error: nil)))
    app.link.send(.peripheral(other, .startAdvertising(advertisement)))
    #expect(try await app.messages.next() == .peripheral(other, .didStartAdvertising(error: nil)))
    return app
  }

  @Test("On a radio without the central role a central manager is unsupported") func noCentralRole() throws {
    try ScriptedRadio.run { phone, _, _ in
      let app = TestApp(phone)
      app.link.send(.create(ManagerID(.central, .number(1))))
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
        app.link.send(ofManagers ? .create(ManagerID(.peripheral, .number(number))) : .beginBackgroundTask(number))
      }
      // A task that has ended makes room.
      if !ofManagers {
        app.link.send(.endBackgroundTask(1))
        app.link.send(.beginBackgroundTask(1))
      }
      app.link.send(ofManagers ? .create(ManagerID(.peripheral, .number(0))) : .beginBackgroundTask(0))
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
      let other = ManagerID.Name.number(1)
      let app = try await Self.serve(phone, other)
      #expect(await Self.advertised(phone) == [TestApp.uuid, Self.thermometer.uuid])

      app.link.send(.peripheral(other, .startAdvertising(Self.advertisement)))
      guard case .peripheral(other, .didStartAdvertising(.some, let code)) = try await app.messages.next() else {
        Issue.record("no error")
        return
      }
      #expect(code == .alreadyAdvertising)

      try await phone.radio.connect()
      async let value = phone.radio.read(Self.thermometer.characteristics[0].uuid)
      guard case .peripheral(other, .didReceiveRead(let request)) = try await app.messages.next() else {
        Issue.record("no read")
        return
      }
      app.link.send(.peripheral(other, .respond(request.id, error: nil, value: [99])))
      #expect(try await value == [99])

      app.send(.stopAdvertising)
      app.send(.removeAllServices)
      try await phone.events.first { if case .unpublished(TestApp.uuid) = $0 { true } else { nil } }
      #expect(await Self.advertised(phone) == [Self.thermometer.uuid])
    }
  }

  @Test("Relaunched, it gets the list of its managers, and the state of each when it creates it")
  func restored() async throws {
    let identifiers = ["test", "other"].map { ManagerID.Name.restorable($0) }
    try await TestPhone.run(on: .simulated, launcher: TestLauncher(process: 4711)) { first in
      let app = try await Self.serve(first, identifiers[1])
      try await first.radio.connect()
      app.link.close()
      try await first.events.first { if case .preserved(_, .crash) = $0 { true } else { nil } }
      // The phone's next start restores the same state.
      let phone = try await first.restarted()
      #expect(try phone.saved.first?.managers.map(\.name) == identifiers)
      #expect(await Self.advertised(phone) == [TestApp.uuid, Self.thermometer.uuid])

      try await phone.radio.connect()
      async let written: Void = phone.radio.write([7], to: Self.thermometer.characteristics[0].uuid)
      _ = try await phone.launcher.asked.next()
      // The manager that the app created second before is the first one now.
      let again = TestApp(phone.system, TestApp.identity(), restores: "other", into: .background, peer: 4711)
      let messages = try await again.messages.next(5)
      #expect(messages[0] == Self.welcome)
      guard messages[1] == .didChangeState(.background),
        case .peripheral(identifiers[1], .willRestoreState(let other)) = messages[2],
        case .peripheral(identifiers[1], .didReceiveWrite(let requests)) = messages[4]
      else {
        Issue.record("another order: \(messages)")
        return
      }
      #expect(other.services.map(\.service) == [Self.thermometer])
      #expect(other.advertisement == Self.advertisement)
      again.send(.respond(try #require(requests.first?.id), error: nil, value: []))
      try await written

      again.link.send(.create(ManagerID(.peripheral, identifiers[0])))
      guard case .peripheral(identifiers[0], .willRestoreState(let state)) = try await again.messages.next() else {
        Issue.record("the other manager is not restored")
        return
      }
      #expect(state.services.map(\.service) == [TestApp.service])
      #expect(state.advertisement == TestApp.advertisement)
      #expect(try await again.messages.next() == .peripheral(identifiers[0], .didUpdateState(.poweredOn)))
    }
  }

  /// The first message to a relaunched app of two managers.
  private static let welcome = PhoneMessage.welcome(
    version: appLinkVersion,
    managers: [ManagerID(.peripheral, TestApp.manager), ManagerID(.peripheral, .restorable("other"))], nextService: 8)

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
    return TestApp(phone.system, TestApp.identity(), restores: restores, into: .background, peer: 4711)
  }

  @Test("What has waited for a manager follows its state", arguments: ["test", nil])
  func waiting(restores: String?) async throws {
    let other = ManagerID.Name.restorable("other")
    try await TestPhone.run(on: .simulated, launcher: TestLauncher(process: 4711)) { phone in
      try await Self.end(phone)
      async let written: Void = phone.radio.write([7], to: Self.thermometer.characteristics[0].uuid)
      let app = try await Self.relaunch(phone, restores: restores)
      let messages = try await app.messages.next(restores == nil ? 3 : 4)
      #expect(messages[...1] == [Self.welcome, .didChangeState(.background)])
      app.link.send(.create(ManagerID(.peripheral, other)))
      let second = try await app.messages.next(3)
      guard case .peripheral(other, .willRestoreState(let state)) = second[0],
        case .peripheral(other, .didReceiveWrite(let requests)) = second[2]
      else {
        Issue.record("another order: \(second)")
        return
      }
      #expect(state.services.map(\.service) == [Self.thermometer])
      #expect(second[1] == .peripheral(other, .didUpdateState(.poweredOn)))
      app.link.send(.peripheral(other, .respond(try #require(requests.first?.id), error: nil, value: [])))
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
      #expect(try phone.saved.first?.managers.map(\.name) == [TestApp.manager])
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
      let updated = TestApp(phone.system, TestApp.identity(), restores: "new")
      try await updated.publish()
      #expect(try phone.saved.first?.services.count == 1)
      updated.link.send(.create(ManagerID(.peripheral, .restorable("test"))))
      // The app is another one now, with nothing to restore.
      #expect(
        try await updated.messages.next() == .peripheral(.restorable("test"), .didUpdateState(.poweredOn)))
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

  /// Creates the managers, and returns the messages for each until it has its state.
  private static func create(_ managers: [ManagerID], _ app: TestApp) async throws -> [[PhoneMessage]] {
    var all: [[PhoneMessage]] = []
    for manager in managers {
      app.link.send(.create(manager))
      var own: [PhoneMessage] = []
      while own.last?.updatedState == nil {
        let message = try await app.messages.next()
        if message.manager == manager { own.append(message) }
      }
      all.append(own)
    }
    return all
  }

  private static let allManagers = ManagerID.Role.allCases.flatMap { role in
    ["test", "other"].map { ManagerID(role, .restorable($0)) }
  }

  @Test("Two managers of each role are restored after a kill, and after a restart of the phone")
  func bothRoles() async throws {
    let identity = AppIdentity(
      bundleIdentifier: "org.example.test", name: "test",
      backgroundModes: [AppIdentity.peripheralBackgroundMode, AppIdentity.centralBackgroundMode])
    try await TestPhone.run(on: .simulated, launcher: TestLauncher(process: 4711)) { first in
      var (phone, app) = (first, TestApp(first.system, identity))
      try await app.publish()
      let other = ManagerID.Name.restorable("other")
      #expect(try await Self.create(Array(Self.allManagers.dropFirst()), app).map(\.count) == [1, 1, 1])
      app.link.send(.peripheral(other, .addService(Self.service, Self.thermometer)))
      #expect(try await app.messages.next() == .peripheral(other, .didAddService(Self.service, error: nil)))
      app.link.send(.central(other, .scanForPeripherals(ScanRequest(services: [Self.thermometer.uuid]))))
      try await phone.radio.connect()
      for restart in [false, true] {
        app.link.close()
        try await phone.events.first { if case .preserved(_, .crash) = $0 { true } else { nil } }
        if restart {
          phone = try await phone.restarted()
          try await phone.radio.connect()
        }
        #expect(try phone.saved.first?.managers.map(\.id) == Self.allManagers)
        let current = phone
        async let written: Void = current.radio.write([7], to: Self.thermometer.characteristics[0].uuid)
        #expect(try await phone.launcher.asked.next() == identity)
        app = TestApp(phone.system, identity, into: .background, peer: 4711)
        // A central manager that has done nothing is not what the app is launched for.
        let inUse = Self.allManagers.filter { $0 != ManagerID(.central, TestApp.manager) }
        #expect(try await app.messages.next() == .welcome(version: appLinkVersion, managers: inUse, nextService: 8))
        let own = try await app.messages.next(3)
        guard case .peripheral(TestApp.manager, .willRestoreState(let state)) = own[1] else {
          Issue.record("another order: \(own)")
          return
        }
        #expect(state.services.map(\.service) == [TestApp.service] && state.advertisement == TestApp.advertisement)
        // In another order than before.
        let messages = try await Self.create(Self.allManagers.dropFirst().reversed(), app)
        guard case .central(other, .willRestoreState(let central)) = messages[0][0],
          case .peripheral(other, .willRestoreState(let peripheral)) = messages[2][0]
        else {
          Issue.record("not restored: \(messages)")
          return
        }
        #expect(central.scan == ScanRequest(services: [Self.thermometer.uuid]))
        #expect(peripheral.services.map(\.service) == [Self.thermometer] && peripheral.advertisement == nil)
        #expect(messages.map(\.count) == [2, 1, 2])
        guard case .peripheral(other, .didReceiveWrite(let requests)) = try await app.messages.next() else {
          Issue.record("no write")
          return
        }
        app.link.send(.peripheral(other, .respond(try #require(requests.first?.id), error: nil, value: [])))
        try await written
      }
    }
  }

  @Test("A manager that it has not created, has already or may not create ends the link, and the others are preserved")
  func refused() async throws {
    let calls: [(AppMessage, String)] = [
      (.peripheral(.restorable("a"), .stopAdvertising), "has not created the peripheral manager a"),
      (.peripheral(.number(2), .removeAllServices), "has not created the peripheral manager 2"),
      (.central(TestApp.manager, .stopScan), "has not created the central manager test"),
      (.create(ManagerID(.peripheral, .restorable("test"))), "has the peripheral manager test already"),
      (
        .create(ManagerID(.central, .restorable("other"))),
        "State restoration of CBCentralManager is only allowed for applications that have specified the "
          + "\"bluetooth-central\" background mode"
      ),
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
        try await phone.events.first { if case .preserved(_, .crash) = $0 { true } else { nil } }
        #expect(try phone.saved.first?.managers.map(\.name) == [TestApp.manager])
      }
    }
  }
}
