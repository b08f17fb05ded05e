import BleperaAppLink
import BleperaBluetooth
import BleperaRadio
import BleperaRules
import BusTesting
import Testing

@testable import BleperaPhone

@Suite("Writes that succeed or fail together", .timeLimit(.minutes(5)))
struct PreparedWriteTests {
  private static let central = RadioCentral(id: CentralID(rawValue: "00:11:22:33:44:55"), mtu: 23)

  /// The first characteristic has two descriptors that can be written, the second cannot be written.
  private static let service = ServiceDefinition(
    uuid: BluetoothUUID(0x1815 as UInt16),
    characteristics: [
      CharacteristicDefinition(
        uuid: BluetoothUUID(0x2A56 as UInt16), properties: [.write], permissions: [.writeable],
        descriptors: [0x2901, 0x2905].map { (uuid: UInt16) in
          DescriptorDefinition(
            uuid: BluetoothUUID(uuid), value: [1, 2], permissions: [.readable, .writeable])
        }),
      CharacteristicDefinition(uuid: BluetoothUUID(0x2A57 as UInt16), properties: [.read], permissions: [.readable]),
    ])

  /// Two apps with that service; the handles of their characteristics, in order.
  private static func apps(on phone: TestPhone) async throws -> (TestApp, TestApp, [CharacteristicHandles]) {
    var apps: [TestApp] = []
    for name in ["one", "two"] {
      let app = TestApp(phone.system, TestApp.identity(name), restores: nil)
      _ = try await app.messages.first { $0.updatedState == .poweredOn ? true : nil }
      app.send(.addService(ServiceID(rawValue: 0), service))
      _ = try await app.messages.first { if case .peripheral(_, .didAddService(_, nil)) = $0 { true } else { nil } }
      apps.append(app)
    }
    let services = await phone.system.services
    let handles = (1...2).flatMap { services.services(of: AppID(rawValue: $0)).flatMap(\.handles.characteristics) }
    return (apps[0], apps[1], handles)
  }

  /// The errors, or nils, of the events that the writes have, with their pieces.
  private static func write(
    _ writes: [AttributeWrite], on phone: TestPhone
  ) async throws -> [(error: ATTError?, piece: PhoneEvent.Piece?)] {
    let request = AttributeRequest(
      id: RadioRequestID(rawValue: 99), handle: writes[0].handle, central: central, offset: writes[0].offset,
      expectsResponse: true)
    await phone.system.handle(RadioEvent.write(request, writes))
    var found: [(error: ATTError?, piece: PhoneEvent.Piece?)] = []
    for _ in writes {
      found.append(
        try await phone.events.first { event in
          if case .write(_, _, _, _, let error, _, _, _, let piece) = event { (error, piece) } else { nil }
        })
    }
    return found
  }

  @Test("Values of descriptors are written all or none")
  func descriptors() async throws {
    try await TestPhone.run(on: .simulated) { phone in
      let (_, _, handles) = try await Self.apps(on: phone)
      let (first, second) = (handles[0].descriptors[0], handles[0].descriptors[1])
      let good = [
        AttributeWrite(handle: first, offset: 0, value: [3]), AttributeWrite(handle: first, offset: 1, value: [4]),
        AttributeWrite(handle: second, offset: 2, value: [5]),
      ]
      let events = try await Self.write(good, on: phone)
      #expect(events.map(\.error) == [nil, nil, nil])
      #expect(events.map(\.piece) == (1...3).map { PhoneEvent.Piece(number: $0, count: 3) })
      #expect(await phone.system.services.value(ofDescriptor: first) == [3, 4])
      #expect(await phone.system.services.value(ofDescriptor: second) == [1, 2, 5])
      let bad = [good[0], AttributeWrite(handle: second, offset: 9, value: [5])]
      #expect(try await Self.write(bad, on: phone).map(\.error) == [.invalidOffset, .invalidOffset])
      #expect(await phone.system.services.value(ofDescriptor: first) == [3, 4])
    }
  }

  @Test("Writes that no app can refuse or accept as a whole are refused, and reach none")
  func mixed() async throws {
    try await TestPhone.run(on: .simulated) { phone in
      let (one, two, handles) = try await Self.apps(on: phone)
      func write(_ handle: AttributeHandle) -> AttributeWrite { AttributeWrite(handle: handle, offset: 0, value: [7]) }
      let table: [([AttributeHandle], ATTError)] = [
        ([handles[0].value, handles[0].descriptors[0]], .requestNotSupported),
        ([handles[0].value, handles[2].value], .requestNotSupported),
        ([handles[0].value, handles[1].value], .writeNotPermitted),
      ]
      for (targets, error) in table {
        let found = try await Self.write(targets.map(write), on: phone)
        #expect(found.map(\.error) == targets.map { _ in error })
      }
      #expect(await phone.system.services.value(ofDescriptor: handles[0].descriptors[0]) == [1, 2])
      for app in [one, two] {
        #expect(!app.messages.left.contains { if case .peripheral(_, .didReceiveWrite) = $0 { true } else { false } })
      }
    }
  }

  @Test("The phone's own services join the pieces of a value, and no app's are written with theirs")
  func ownServices() async throws {
    try await TestPhone.run(on: .simulated, phoneServices: true) { phone in
      let (_, _, handles) = try await Self.apps(on: phone)
      let controlPoint = BluetoothUUID(bits: 0x69D1_D8F3_45E1_49A8_9821_9BBD_FDAA_D9D9)
      let handle = try #require(
        PhoneServices().paired.flatMap { zip($0.definition.characteristics, $0.handles.characteristics) }
          .first { $0.0.uuid == controlPoint }?.1.value)
      // A whole command, of a notification that does not exist.
      let writes = [
        AttributeWrite(handle: handle, offset: 0, value: [0, 1]),
        AttributeWrite(handle: handle, offset: 2, value: [0, 0, 0]),
      ]
      #expect(
        try await Self.write(writes, on: phone).map(\.error) == [ATTError(rawValue: 0xA2), ATTError(rawValue: 0xA2)])
      let mixed = [writes[0], AttributeWrite(handle: handles[0].value, offset: 0, value: [7])]
      #expect(try await Self.write(mixed, on: phone).map(\.error) == [.requestNotSupported, .requestNotSupported])
    }
  }

  @Test("A write without response has what the ATT_MTU leaves, or 512 bytes; a longer one is refused and reported")
  func longCommands() async throws {
    for (mtu, limit) in [(185, 512), (527, 524)] {
      try await TestPhone.run(on: .simulated) { phone in
        let (one, _, handles) = try await Self.apps(on: phone)
        let central = RadioCentral(id: CentralID(rawValue: "00:11:22:33:44:55"), mtu: mtu)
        for count in [limit + 1, limit] {
          let request = AttributeRequest(
            id: RadioRequestID(rawValue: count), handle: handles[0].value, central: central, offset: 0,
            expectsResponse: false)
          let value = [UInt8](repeating: 1, count: count)
          await phone.system.handle(
            RadioEvent.write(request, [AttributeWrite(handle: handles[0].value, offset: 0, value: value)]))
          let error = try await phone.events.first { event -> ATTError?? in
            guard case .write(_, _, 0, value, let error, false, _, _, _) = event else {
              return nil
            }
            return .some(error)
          }
          #expect(error == (count > limit ? .invalidAttributeValueLength : nil))
        }
        let length = try await one.messages.first { message -> Int? in
          if case .peripheral(_, .didReceiveWrite(let requests)) = message { requests.first?.value.count } else { nil }
        }
        #expect(length == limit)
      }
    }
  }

  @Test("The pieces of a write have an identifier each, and the first one's response is that of all")
  func identifiers() async throws {
    try await TestPhone.run(on: .simulated) { phone in
      let (one, _, handles) = try await Self.apps(on: phone)
      let writes = [[1], [2]].enumerated().map { offset, value in
        AttributeWrite(handle: handles[0].value, offset: offset, value: value)
      }
      let request = AttributeRequest(
        id: RadioRequestID(rawValue: 99), handle: handles[0].value, central: Self.central, offset: 0,
        expectsResponse: true)
      await phone.system.handle(RadioEvent.write(request, writes))
      let requests = try await one.messages.first { message -> [WriteRequest]? in
        if case .peripheral(_, .didReceiveWrite(let requests)) = message { requests } else { nil }
      }
      #expect(requests.map(\.offset) == [0, 1] && requests.map(\.value) == [[1], [2]])
      #expect(requests[1].id.rawValue == requests[0].id.rawValue + 1)
      one.send(.respond(requests[1].id, error: .invalidOffset, value: []))
      one.send(.respond(requests[0].id, error: nil, value: []))
      let error = try await phone.events.first { event -> ATTError?? in
        if case .write(_, _, _, _, let error, _, _, _, _) = event { .some(error) } else { nil }
      }
      #expect(error == nil)
    }
  }
}
