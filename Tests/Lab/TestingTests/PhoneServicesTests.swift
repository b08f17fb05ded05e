import BleperaBluetooth
import BleperaSimulation
import Testing

@Suite("A phone with an iPhone's own services")
struct PhoneServicesTests {
  private static let service = BluetoothUUID(bits: 0x6E40_0001_B5A3_F393_E0A9_E50E_24DC_CA9E)
  private static let value = BluetoothUUID(bits: 0x6E40_0002_B5A3_F393_E0A9_E50E_24DC_CA9E)

  private static func uuid(_ value: UInt16) -> BluetoothUUID { BluetoothUUID(value) }

  /// An app with a service that is not the Bluetooth SIG's.
  private static let app = AppDefinition(
    "org.example.uart", localName: "UART",
    services: [
      ServiceDefinition(
        uuid: service,
        characteristics: [CharacteristicDefinition(uuid: value, properties: .read, permissions: .readable, value: [7])])
    ])

  private func play(_ radio: TestRadio = .virtual, _ story: (Air) async throws -> Void) async throws {
    try await radio.play(story) { Issue.record("\($0)") }
  }

  @Test("A gateway that takes the first custom service takes the phone's", arguments: [false, true])
  func firstCustomService(phoneServices: Bool) async throws {
    try await play { air in
      let phone = Phone(on: air, phoneServices: phoneServices)
      let gateway = Central(on: air)
      phone.launch(Self.app)
      try await gateway.connect(to: phone)
      let custom = gateway.services.filter { $0.assignedName == nil }
      #expect(custom.first == (phoneServices ? ServiceDefinition.continuity : Self.service))
      #expect(custom.count == (phoneServices ? 3 : 1))
      #expect(try await gateway.read(Self.value) == [7])
    }
  }

  @Test(
    "They are before those of apps, and ANCS and AMS follow when the central is paired", arguments: TestRadio.allCases)
  func order(radio: TestRadio) async throws {
    try await play(radio) { air in
      let phone = Phone(on: air, phoneServices: true)
      let central = Central(on: air)
      phone.launch(Self.app)
      try await central.connect(to: phone)
      let open = [ServiceDefinition.continuity, ServiceDefinition.nearby, Self.uuid(0x180F), Self.uuid(0x1805)]
      let paired = [ServiceDefinition.appleNotificationCenter, ServiceDefinition.appleMedia]
      func found() -> [BluetoothUUID] {
        central.services.filter { $0 != Self.uuid(0x1800) && $0 != Self.uuid(0x1801) && $0 != Self.uuid(0x180A) }
      }
      #expect(central.services.count { $0 == Self.uuid(0x180A) } == 1)
      // bluetoothd pairs by itself, because of the battery.
      if radio == .virtual {
        #expect(found() == open + [Self.service])
        try await central.pair()
      }
      while found().count < 7 { await air.advance(by: .milliseconds(20)) }
      #expect(found() == open + paired + [Self.service])
    }
  }

  @Test("The phone says its name, its manufacturer, its battery level and the time")
  func values() async throws {
    try await play { air in
      let phone = Phone(on: air, deviceName: "Ada's iPhone", phoneServices: true)
      let central = Central(on: air)
      phone.launch(Self.app)
      try await central.connect(to: phone)
      #expect(try await central.read(Self.uuid(0x2A00)) == Array("Ada's iPhone".utf8))
      // Generic Phone
      #expect(try await central.read(Self.uuid(0x2A01)) == [0x40, 0])
      #expect(try await central.read(Self.uuid(0x2A29)) == Array("Apple Inc.".utf8))
      #expect(try await central.read(Self.uuid(0x2A24)) == Array("iPhone15,2".utf8))
      #expect(!air.trace.contains { $0.contains("paired") })
      #expect(try await central.read(Self.uuid(0x2A19)) == [80])
      #expect(air.trace.contains { $0.contains("paired") })
      await air.advance(to: .seconds(3600 + 62))
      // Thursday, 1 January 2026, 01:01:02
      #expect(try await central.read(Self.uuid(0x2A2B)).prefix(8) == [0xEA, 0x07, 1, 1, 1, 1, 2, 4])
      let command = BluetoothUUID(bits: 0x69D1_D8F3_45E1_49A8_9821_9BBD_FDAA_D9D9)
      await #expect(throws: StoryFailure.refused(ATTError(rawValue: 0xA0))) {
        try await central.write([9], to: command)
      }
    }
  }

  @Test("The name is the user's, or that of the kind of device", arguments: [false, true])
  func names(splitView: Bool) async throws {
    try await play { air in
      for (chosen, expected) in [("Ada's", "Ada's"), (nil, splitView ? "iPad" : "iPhone")] {
        let phone = Phone(on: air, named: expected, splitView: splitView, deviceName: chosen)
        let central = Central(on: air, named: "reader of \(expected)")
        phone.launch(Self.app)
        try await central.connect(to: phone)
        #expect(try await central.read(Self.uuid(0x2A00)) == Array(expected.utf8))
      }
    }
  }

  @Test("Bluetooth that is switched off and on keeps them, with the app terminated too")
  func offAndOn() async throws {
    try await play { air in
      let phone = Phone(on: air, phoneServices: true)
      let central = Central(on: air)
      phone.launch(Self.app)
      try await central.connect(to: phone)
      try await central.pair()
      await air.advance(by: .seconds(1))
      let services = central.services
      #expect(services.count == 10)
      phone.switchBluetooth(on: false)
      phone.switchBluetooth(on: true)
      try await central.connect(to: phone)
      #expect(central.services == services)
      phone.forceQuit()
      await air.advance(by: .seconds(1))
      #expect(central.services == services.filter { $0 != Self.service })
      #expect(try await central.read(Self.uuid(0x2A19)) == [80])
    }
  }
}
