import BleperaBluetooth
import FoundationEssentials
import Testing

@Suite struct CodableTests {
  private static func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  private static func decode<Value: Decodable>(_ json: String, as type: Value.Type = Value.self) throws -> Value {
    try JSONDecoder().decode(type, from: Data(json.utf8))
  }

  @Test(
    "A UUID is its text and keeps its width", arguments: ["180D", "DEADBEEF", "2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6"])
  func uuid(_ text: String) throws {
    let uuid = try #require(BluetoothUUID(text))
    #expect(try Self.json([uuid]) == "[\"\(text)\"]")
    #expect(try Self.decode("[\"\(text.lowercased())\"]", as: [BluetoothUUID].self).map(\.description) == [text])
  }

  @Test("Options are their names, errors and handles their numbers")
  func scalars() throws {
    #expect(try Self.json(CharacteristicProperties([.notify, .read])) == #"["read","notify"]"#)
    #expect(try Self.decode(#"["notify","read"]"#) == CharacteristicProperties([.read, .notify]))
    #expect(try Self.json(AttributePermissions.writeEncryptionRequired) == #"["writeEncryptionRequired"]"#)
    #expect(try Self.decode("[]") == AttributePermissions([]))
    #expect(try Self.json([ATTError.insufficientEncryption]) == "[15]")
    #expect(try Self.decode("[15]") == [ATTError.insufficientEncryption])
    #expect(try Self.json([AttributeHandle(rawValue: 0x0103)]) == "[259]")
    #expect(try Self.decode("[259]") == [AttributeHandle(rawValue: 0x0103)])
  }

  @Test("What is no UUID, option, error or handle is refused")
  func refused() {
    #expect(throws: DecodingError.self) { try Self.decode(#"["18"]"#, as: [BluetoothUUID].self) }
    #expect(throws: DecodingError.self) { try Self.decode(#"["reads"]"#, as: CharacteristicProperties.self) }
    #expect(throws: DecodingError.self) { try Self.decode("[256]", as: [ATTError].self) }
    #expect(throws: DecodingError.self) { try Self.decode("[-1]", as: [AttributeHandle].self) }
  }

  private static let service = ServiceDefinition(
    uuid: BluetoothUUID(0x180D as UInt16), isPrimary: false, includedServices: [BluetoothUUID(bits: 7)],
    characteristics: [
      CharacteristicDefinition(
        uuid: BluetoothUUID(0x2A37 as UInt16), properties: [.read, .notify], permissions: .readEncryptionRequired,
        descriptors: [DescriptorDefinition(uuid: DescriptorDefinition.userDescription, value: Array("rate".utf8))]),
      CharacteristicDefinition(
        uuid: BluetoothUUID(0x2A38 as UInt16), properties: .read, permissions: .readable, value: [1]),
    ])

  @Test("A service comes back as it was written")
  func serviceRoundTrip() throws {
    #expect(try Self.decode(Self.json(Self.service)) == Self.service)
  }

  @Test("An allocator comes back with what is taken and what was released")
  func allocator() throws {
    var allocator = HandleAllocator()
    let handles = try allocator.allocate(for: Self.service)
    let second = try allocator.allocate(for: ServiceDefinition(uuid: BluetoothUUID(bits: 8)))
    allocator.release(handles)
    var restored: HandleAllocator = try Self.decode(Self.json(allocator))
    #expect(restored == allocator)
    #expect(try Self.decode(Self.json(handles)) == handles)
    #expect(try restored.allocate(for: Self.service) == handles)
    restored.release(second)
    #expect(try restored.allocate(for: ServiceDefinition(uuid: BluetoothUUID(bits: 8))) == second)
  }

  @Test(
    "An allocator from a damaged file gives no handle twice and does not trap",
    arguments: [
      ("[[300,400],[256,310]]", "[]"), ("[[0,0],[65535,65535]]", "[]"), ("[]", "[[0,4],[65531,65535],[255,259]]"),
      ("[[256,1023]]", "[[256,260]]"), ("[[256,262],[256,262]]", "[[257,261]]"),
    ])
  func damaged(taken: String, released: String) throws {
    var allocator: HandleAllocator = try Self.decode(
      #"{"range":[256,1023],"taken":\#(taken),"released":\#(released)}"#)
    let used: [[UInt16]] = try Self.decode(taken)
    while let handles = try? allocator.allocate(for: Self.service) {
      #expect(handles.start >= 0x0100 && handles.end <= 0x03FF)
      #expect(used.allSatisfy { handles.end.rawValue < $0[0] || handles.start.rawValue > $0[1] })
    }
    #expect(throws: DecodingError.self) {
      try Self.decode(#"{"range":[1023,256],"taken":[],"released":[]}"#, as: HandleAllocator.self)
    }
  }

  @Test("A prepared write comes back as it was written")
  func preparedWrite() throws {
    let write = AttributeWrite(handle: 0x0103, offset: 18, value: [1, 2])
    #expect(try Self.decode(Self.json(write)) == write)
  }
}
