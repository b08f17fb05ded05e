import BleperaTesting
import Testing

@Suite("Prepared writes and errors, as an app on an iPhone sees them", .traced)
struct PreparedWriteTests {
  private static let service = BluetoothUUID(0x1815 as UInt16)
  private static let first = BluetoothUUID(0x2A56 as UInt16)
  private static let second = BluetoothUUID(0x2A57 as UInt16)

  /// An app with two characteristics that can be read and written.
  private static func app(
    read: @escaping AppDefinition.Reader = { _ in .success([]) }, onWrite: @escaping AppDefinition.RequestWriter
  ) -> AppDefinition {
    let characteristics = [first, second].map {
      CharacteristicDefinition(uuid: $0, properties: [.read, .write], permissions: [.readable, .writeable])
    }
    return AppDefinition(
      "org.example.notes", services: [ServiceDefinition(uuid: service, characteristics: characteristics)], read: read,
      onWrite: onWrite)
  }

  @Test(
    "A long write reaches the app as its pieces of the ATT_MTU less 5 bytes, in one call",
    arguments: [(nil, 180), (185, 180), (23, 18), (517, 300)] as [(Int?, Int)])
  func longWrite(mtu: Int?, length: Int) async throws {
    let air = Air()
    let (phone, central) = (Phone(on: air), Central(on: air, mtu: mtu))
    let requests = Record<[AppDefinition.Write]>()
    phone.launch(
      Self.app { writes in
        requests.add(writes)
        return nil
      })
    try await central.connect(to: phone)
    let value = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
    try await central.write(value, to: Self.first)
    let pieces = try #require(requests.elements.first)
    #expect(requests.elements.count == 1)
    #expect(pieces.map(\.offset) == Array(stride(from: 0, to: 300, by: length)))
    #expect(pieces.flatMap(\.value) == value)
    #expect(pieces.dropLast().allSatisfy { $0.value.count == length })
    #expect(air.trace.contains { $0.contains("(piece 1 of \(pieces.count))") } == (pieces.count > 1))
  }

  @Test("The pieces of two characteristics reach the app in one call, and an app of values gets each whole")
  func twoCharacteristics() async throws {
    let air = Air()
    let (phone, central) = (Phone(on: air), Central(on: air, mtu: 23))
    let requests = Record<[AppDefinition.Write]>()
    phone.launch(
      Self.app { writes in
        requests.add(writes)
        return nil
      })
    try await central.connect(to: phone)
    let (one, two) = ([UInt8](repeating: 1, count: 20), [UInt8](repeating: 2, count: 3))
    try await central.write([(Self.first, one), (Self.second, two)])
    let pieces = try #require(requests.elements.first)
    #expect(pieces.map(\.characteristic) == [Self.first, Self.first, Self.second])
    #expect(pieces.map(\.offset) == [0, 18, 0])
    #expect(pieces.map(\.value.count) == [18, 2, 3])

    let values = Record<[UInt8]>()
    let (other, gateway) = (Phone(on: air, named: "other"), Central(on: air, named: "gateway", mtu: 23))
    other.launch(TestLock.app(writes: values))
    try await gateway.connect(to: other)
    try await gateway.write(one, to: TestLock.command)
    #expect(values.elements == [one])
  }

  @Test("A refusal of one piece leaves all values as they were, in an app of a profile too")
  func refused() async throws {
    let air = Air()
    let (phone, central) = (Phone(on: air), Central(on: air, mtu: 23))
    phone.launch(try AppDefinition(profile: Self.profile))
    try await central.connect(to: phone)
    try await central.write([(Self.first, [1]), (Self.second, [2])])
    // The two values together, and a second one that is longer than any value may be.
    await #expect(throws: StoryFailure.refused(.invalidAttributeValueLength)) {
      try await central.write([(Self.first, [3]), (Self.second, [UInt8](repeating: 4, count: 513))])
    }
    #expect(try await central.read(Self.first) == [1])
    #expect(try await central.read(Self.second) == [2])
    // An app that says no to the second: the central receives that error for both.
    let (other, gateway) = (Phone(on: air, named: "other"), Central(on: air, named: "gateway"))
    other.launch(Self.app { $0.contains { $0.characteristic == Self.second } ? ATTError(rawValue: 0x80) : nil })
    try await gateway.connect(to: other)
    await #expect(throws: StoryFailure.refused(ATTError(rawValue: 0x80))) {
      try await gateway.write([(Self.first, [1]), (Self.second, [2])])
    }
    try await gateway.write([(Self.first, [1])])
  }

  private static let profile = Array(
    """
    <plist version="1.0"><dict>
      <key>CFBundleIdentifier</key><string>org.example.notes</string>
      <key>BLEPeripheral</key><dict>
        <key>Advertisement</key><dict><key>ServiceUUIDs</key><array><string>1815</string></array></dict>
        <key>Services</key><array><dict>
          <key>UUID</key><string>1815</string>
          <key>Characteristics</key><array>
            \(characteristic(first))\(characteristic(second))
          </array>
        </dict></array>
      </dict>
    </dict></plist>
    """.utf8)

  private static func characteristic(_ uuid: BluetoothUUID) -> String {
    """
    <dict>
      <key>UUID</key><string>\(uuid)</string>
      <key>Properties</key><array><string>read</string><string>write</string></array>
      <key>Permissions</key><array><string>readable</string><string>writeable</string></array>
    </dict>
    """
  }

  @Test("Every ATT error of an app reaches the central as it is, and 0 is success")
  func errors() async throws {
    let air = Air()
    let (phone, central) = (Phone(on: air), Central(on: air))
    let code = Record<UInt8>()
    let error = { @Sendable in code.elements.last.map { ATTError(rawValue: $0) } }
    phone.launch(Self.app(read: { _ in error().map { .failure($0) } ?? .success([]) }, onWrite: { _ in error() }))
    try await central.connect(to: phone)
    for number in UInt8.min...UInt8.max {
      code.add(number)
      let expected = number == 0 ? nil : StoryFailure.refused(ATTError(rawValue: number))
      #expect(await Self.failure { _ = try await central.read(Self.first) } == expected)
      #expect(await Self.failure { try await central.write([1], to: Self.first) } == expected)
      #expect(
        await Self.failure { try await central.write([UInt8](repeating: 1, count: 200), to: Self.first) } == expected)
    }
  }

  private static func failure(_ body: () async throws -> Void) async -> StoryFailure? {
    do {
      try await body()
      return nil
    } catch {
      return error as? StoryFailure
    }
  }
}
