import BleperaAppLink
import BleperaBluetooth
import BleperaPreservation
import BleperaRadio
import BusTesting
import FoundationEssentials
import Testing

@testable import BleperaPhone

@Suite("The phone's own services", .timeLimit(.minutes(5)))
struct PhoneServicesTests {
  private static let services = PhoneServices()
  private static let all = services.open + services.paired
  private static let characteristics = all.flatMap(\.definition.characteristics)
  private static let batteryLevel = BluetoothUUID(0x2A19 as UInt16)
  private static let controlPoint = BluetoothUUID("69D1D8F3-45E1-49A8-9821-9BBDFDAAD9D9")

  private static func characteristic(_ uuid: String) throws -> CharacteristicDefinition {
    try #require(characteristics.first { $0.uuid == BluetoothUUID(uuid) })
  }

  @Test("The services for paired centrals are published when the first central is paired, and never again")
  func pairedOnce() {
    var services = PhoneServices()
    let first = services.publishPaired()
    #expect(first == Self.services.paired && !first.isEmpty)
    let second = services.publishPaired()
    #expect(second.isEmpty)
  }

  @Test("The phone's services come before the services of apps, in order")
  func handles() {
    let ranges = Self.all.map { $0.handles.start...$0.handles.end }
    #expect(ranges.allSatisfy { $0.lowerBound >= 0x00C0 && $0.upperBound < 0x0100 })
    #expect(zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound })
    #expect(Self.all.allSatisfy { ServiceDefinition.ownedBySystem.contains($0.definition.uuid) })
    #expect(Set(Self.characteristics.map(\.uuid)).count == Self.characteristics.count)
    for service in Self.all {
      #expect(Self.services.service(at: service.handles.start) == service.definition)
      for (definition, handles) in zip(service.definition.characteristics, service.handles.characteristics) {
        #expect(Self.services.attribute(handles.value)?.definition == definition)
        #expect(Self.services.attribute(handles.declaration)?.definition == nil)
      }
    }
  }

  @Test("What is only for paired centrals needs encryption to read, to write and to subscribe")
  func security() {
    for characteristic in Self.services.paired.flatMap(\.definition.characteristics) {
      let (properties, permissions) = (characteristic.properties, characteristic.permissions)
      #expect(permissions.isDisjoint(with: [.readable, .writeable]))
      #expect(properties.contains(.read) == permissions.contains(.readEncryptionRequired))
      #expect(properties.contains(.write) == permissions.contains(.writeEncryptionRequired))
      #expect(!properties.contains(.notify) && !properties.contains(.indicate))
    }
  }

  @Test(
    "The phone responds to a read itself",
    arguments: [
      ("2A29", Array("Apple Inc.".utf8)), ("2A24", Array("iPhone15,2".utf8)), ("2A19", [80]), ("2A0F", [0, 0]),
      // Saturday, 21 November 2026
      ("2A2B", [0xEA, 0x07, 11, 21, 14, 3, 59, 6, 128, 0]),
    ])
  func values(uuid: String, value: [UInt8]) throws {
    let date = Date(timeIntervalSince1970: 1_795_269_839.5)
    #expect(try PhoneServices.read(Self.characteristic(uuid), at: date) == value)
  }

  @Test(
    "What has no value is refused",
    arguments: [
      // Nothing plays.
      ("C6B2F38C-23AB-46D8-A6AB-A3A870BBD5D7", ATTError(rawValue: 0xA2)),
      ("69D1D8F3-45E1-49A8-9821-9BBDFDAAD9D9", .readNotPermitted),
      ("8667556C-9A37-4C91-84ED-54EE27D90049", .readNotPermitted),
    ])
  func refusedReads(uuid: String, error: ATTError) throws {
    let found = try Self.characteristic(uuid)
    #expect(throws: error) { try PhoneServices.read(found, at: Date(timeIntervalSince1970: 0)) }
  }

  @Test(
    "The control point of ANCS knows no notification and no app",
    arguments: [
      ([], 0xA1), ([0, 1, 0, 0], 0xA1), ([0, 1, 0, 0, 0, 0], 0xA2), ([1], 0xA1), ([1, 0x61, 0, 0], 0xA2),
      ([2, 1, 0, 0, 0], 0xA1), ([2, 1, 0, 0, 0, 0], 0xA2), ([3], 0xA0), ([255, 0, 0, 0, 0, 0], 0xA0),
    ] as [([UInt8], UInt8)])
  func commands(value: [UInt8], error: UInt8) throws {
    let found = try #require(Self.characteristics.first { $0.uuid == Self.controlPoint })
    #expect(throws: ATTError(rawValue: error)) { try PhoneServices.write(value, to: found) }
  }

  @Test("Other writes have no effect, and what is read-only is not written")
  func writes() throws {
    try PhoneServices.write([1], to: Self.characteristic("8667556C-9A37-4C91-84ED-54EE27D90049"))
    try PhoneServices.write([0], to: Self.characteristic("9B3C81D8-57B1-4A8A-B8DF-0E56F7CA51C2"))
    let found = try Self.characteristic("2A19")
    #expect(throws: ATTError.writeNotPermitted) { try PhoneServices.write([1], to: found) }
  }

  @Test(
    "The day of the week is counted from Monday",
    arguments: [(0, 4), (3, 7), (4, 1), (20_453, 3)] as [(Int, UInt8)])
  func weekday(day: Int, weekday: UInt8) {
    #expect(CurrentTime.value(at: Date(timeIntervalSince1970: Double(day) * 86_400))[7] == weekday)
  }

  @Test(
    "An app receives nothing of them, and they are neither preserved nor in its status", arguments: RadioKind.allCases)
  func apart(on radio: RadioKind) async throws {
    try await TestPhone.run(on: radio, phoneServices: true) { phone in
      let app = TestApp(phone.system)
      try await app.publish()
      try await phone.radio.connect()
      #expect(try await phone.radio.read(Self.batteryLevel) == [80])
      try await phone.radio.subscribe(to: Self.batteryLevel)
      #expect(try await phone.radio.read(TestApp.cachedUUID) == [1])
      let name = AttributeName(service: BluetoothUUID(0x180F as UInt16), characteristic: Self.batteryLevel)
      let names = phone.events.left.compactMap { event -> AttributeName? in
        switch event {
        case .read(_, let name, offset: _, _, isCached: true, rule: _, took: _), .subscribed(_, let name): name
        default: nil
        }
      }
      #expect(names.prefix(2) == [name, name])
      #expect(await phone.system.status().subscribers == [])
      #expect(try phone.saved.first?.services.map(\.definition.uuid) == [TestApp.uuid])
      app.send(.updateValue(TestApp.measurement, value: [1], centrals: nil))
      #expect(
        try await app.messages.next() == .callback(.didUpdateValue(TestApp.measurement, queued: true, error: nil)))
    }
  }

  /// Bleak issue 64 shows this of an iPhone.
  @Test(
    "2900 announces reliable writes and comes before 2902",
    arguments: ["8667556C-9A37-4C91-84ED-54EE27D90049", "AF0BADB1-5B99-43CD-917A-A77BC549E3CC"])
  func extendedProperties(uuid: String) async throws {
    let uuid = try #require(BluetoothUUID(uuid))
    try await TestPhone.run(on: .simulated, phoneServices: true) { phone in
      let app = TestApp(phone.system)
      try await app.publish()
      try await phone.radio.connect()
      let found = try #require(await (phone.radio as? AirRadio)?.find(uuid))
      #expect(found.properties == 0x98 && found.extendedProperties == 1)
      let types = [BluetoothUUID(0x2900 as UInt16), DescriptorDefinition.clientCharacteristicConfiguration]
      #expect(found.descriptors.map(\.uuid) == types)
      #expect(found.descriptors.map { Int($0.handle.rawValue) - Int(found.value.rawValue) } == [1, 2])
    }
  }

  @Test("A reset of Bluetooth leaves them, and the app publishes again", arguments: RadioKind.allCases)
  func reset(on radio: RadioKind) async throws {
    try await TestPhone.run(on: radio, phoneServices: true) { phone in
      let app = TestApp(phone.system)
      try await app.publish()
      #expect(await phone.system.perform(ControlRequest(.bluetoothReset)).error == nil)
      try await app.publish()
      try await phone.radio.connect()
      #expect(try await phone.radio.read(Self.batteryLevel) == [80])
      #expect(try await phone.radio.read(TestApp.cachedUUID) == [1])
    }
  }

  @Test("ANCS is published once a central is paired, and refuses commands", arguments: RadioKind.allCases)
  func notificationCenter(on radio: RadioKind) async throws {
    try await TestPhone.run(on: radio, phoneServices: true) { phone in
      let app = TestApp(phone.system)
      try await app.publish()
      try await phone.radio.connect()
      let notificationSource = BluetoothUUID("9FBF120D-6301-42D9-8C58-25E699A21DBD")
      _ = try await phone.radio.read(Self.batteryLevel)
      try await phone.radio.subscribe(to: #require(notificationSource))
      await #expect(throws: (any Error).self) { try await phone.radio.write([9], to: #require(Self.controlPoint)) }
      #expect(
        phone.events.left.contains { event in
          guard
            case .write(
              _, let name, offset: _, value: _, error: let error, isAcknowledged: _, rule: _, took: _, piece: _) = event
          else { return false }
          return name.service == ServiceDefinition.appleNotificationCenter
            && error == (radio == .bus ? .unlikelyError : ATTError(rawValue: 0xA0))
        })
    }
  }
}
