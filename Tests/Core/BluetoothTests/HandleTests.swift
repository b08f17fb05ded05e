import Testing

@testable import BleperaBluetooth

@Suite struct HandleTests {
  private static func characteristic(
    _ properties: CharacteristicProperties, descriptors: Int = 0
  ) -> CharacteristicDefinition {
    let descriptor = DescriptorDefinition(uuid: DescriptorDefinition.userDescription, value: [])
    return CharacteristicDefinition(
      uuid: BluetoothUUID(0x2A37 as UInt16), properties: properties, permissions: .readable,
      descriptors: Array(repeating: descriptor, count: descriptors))
  }

  private static func service(_ characteristics: CharacteristicDefinition..., includes: Int = 0) -> ServiceDefinition {
    let uuid = BluetoothUUID(0x180D as UInt16)
    return ServiceDefinition(
      uuid: uuid, includedServices: Array(repeating: uuid, count: includes), characteristics: characteristics)
  }

  /// A service that takes `size` handles.
  private static func sized(_ size: Int) -> ServiceDefinition { service(includes: size - 1) }

  /// `100 i101 (102 103 x104 c105 d106) -106`: declaration, includes, characteristics, end.
  private static func drawn(_ handles: ServiceHandles) -> String {
    func text(_ handle: AttributeHandle) -> String { String(handle.rawValue, radix: 16) }
    var parts = [text(handles.start)] + handles.includes.map { "i" + text($0) }
    for characteristic in handles.characteristics {
      var inner = [text(characteristic.declaration), text(characteristic.value)]
      inner += [characteristic.extendedProperties].compactMap { $0.map { "x" + text($0) } }
      inner += [characteristic.clientConfiguration].compactMap { $0.map { "c" + text($0) } }
      inner += characteristic.descriptors.map { "d" + text($0) }
      parts.append("(" + inner.joined(separator: " ") + ")")
    }
    return (parts + ["-" + text(handles.end)]).joined(separator: " ")
  }

  @Test(
    "Attributes have the handles that bluetoothd gives them, and 2900 comes before 2902 as on an iPhone",
    arguments: [
      (service(), "100 -100"),
      (service(includes: 2), "100 i101 i102 -102"),
      (service(characteristic(.read)), "100 (101 102) -102"),
      (service(characteristic(.notify)), "100 (101 102 c103) -103"),
      (service(characteristic(.indicate)), "100 (101 102 c103) -103"),
      (service(characteristic(.notifyEncryptionRequired)), "100 (101 102 c103) -103"),
      (service(characteristic(.indicateEncryptionRequired)), "100 (101 102 c103) -103"),
      (service(characteristic([.write, .writeWithoutResponse, .broadcast])), "100 (101 102) -102"),
      (service(characteristic(.extendedProperties)), "100 (101 102 x103) -103"),
      (service(characteristic(.read, descriptors: 2)), "100 (101 102 d103 d104) -104"),
      (
        service(characteristic([.read, .notify, .extendedProperties], descriptors: 2), includes: 1),
        "100 i101 (102 103 x104 c105 d106 d107) -107"
      ),
      (
        service(characteristic([.read, .notify, .indicate]), characteristic(.write), characteristic(.indicate)),
        "100 (101 102 c103) (104 105) (106 107 c108) -108"
      ),
    ])
  func layout(_ service: ServiceDefinition, expected: String) throws {
    var allocator = HandleAllocator()
    let handles = try allocator.allocate(for: service)
    #expect(Self.drawn(handles) == expected)
    #expect(service.handleCount == Int(handles.end.rawValue - handles.start.rawValue) + 1)
  }

  /// bluetoothd 5.66 placed the values of a service at 21 so; which of them notify shows in the gaps.
  @Test("A layout that a running bluetoothd was seen to make is made here")
  func seen() throws {
    var allocator = HandleAllocator(range: AttributeHandle(rawValue: 21)...0x03FF)
    let handles = try allocator.allocate(
      for: Self.service(
        Self.characteristic(.notify), Self.characteristic(.read), Self.characteristic(.read),
        Self.characteristic(.notify), Self.characteristic(.read)))
    #expect(handles.characteristics.map(\.value.rawValue) == [23, 26, 28, 30, 33])
  }

  /// `+a4` adds service a of four handles, `-a` removes it.
  @Test(
    "Services follow each other, and one that is added again has its old handles",
    arguments: [
      ("+a4 +b2 +c1", "a100 b104 c106"),
      ("+a4 +b2 -a +a4", "b104 a100"),
      ("+a4 +b2 -b +b2", "a100 b104"),
      ("+a4 +b2 +c3 -a -b -c +a4 +b2 +c3", "a100 b104 c106"),
      ("+a4 +b2 +c3 -a -b -c +c3 +b2 +a4", "c106 b104 a100"),
      ("+a4 +b2 -a +c2", "b104 c100"),
      ("+a4 +b2 -a +c2 +a4", "b104 c100 a106"),
      ("+a4 +b2 -a +c5", "b104 c106"),
      ("+a4 +b2 +c3 -a -b +d6", "c106 d100"),
      ("+a4 +b2 +c3 -a -b +d6 -d +b2", "c106 b100"),
      ("+a4 -a -a +b4 +c4", "b100 c104"),
    ])
  func reuse(_ script: String, expected: String) throws {
    var allocator = HandleAllocator()
    var published: [(name: Character, handles: ServiceHandles)] = []
    var removed: [Character: ServiceHandles] = [:]
    for step in script.split(separator: " ") {
      let name = try #require(step.dropFirst().first)
      if step.hasPrefix("+") {
        let size = try #require(Int(step.dropFirst(2)))
        published.append((name, try allocator.allocate(for: Self.sized(size))))
      } else {
        let index = published.firstIndex { $0.name == name }
        let handles = try #require(index.map { published.remove(at: $0).handles } ?? removed[name])
        removed[name] = handles
        allocator.release(handles)
      }
    }
    let drawn = published.map { "\($0.name)" + String($0.handles.start.rawValue, radix: 16) }
    #expect(drawn.joined(separator: " ") == expected)
  }

  @Test("A thousand services of one characteristic have handles, the lowest first")
  func thousandServices() throws {
    var allocator = HandleAllocator()
    let handles = try (0..<1000).map { _ in try allocator.allocate(for: Self.sized(3)) }
    #expect(handles.first?.start == 0x0100)
    #expect(handles.last?.end == 0x0CB7)
  }

  @Test("The last handle is that of the range, and a service for which there is no room takes none")
  func exhausted() throws {
    var allocator = HandleAllocator(range: 0x0100...0x03FF)
    #expect(try allocator.allocate(for: Self.sized(0x2FF)).end == 0x03FE)
    let before = allocator
    let error = HandleSpaceExhausted(service: BluetoothUUID(0x180D as UInt16), needed: 2, available: 1)
    #expect(throws: error) { try allocator.allocate(for: Self.sized(2)) }
    #expect(error.description == "Service 180D takes 2 attribute handles in a row, and at most 1 are free.")
    #expect(allocator == before)
    #expect(try allocator.allocate(for: Self.sized(1)).start == 0x03FF)
    #expect(throws: HandleSpaceExhausted.self) { try allocator.allocate(for: Self.sized(1)) }
  }

  @Test("Handle 0 is never given, and 0xFFFF can be")
  func ends() throws {
    var low = HandleAllocator(range: 0...1)
    #expect(try low.allocate(for: Self.sized(1)).start == 1)
    var high = HandleAllocator(range: 0xFFFE...0xFFFF)
    #expect(try high.allocate(for: Self.sized(2)).end == 0xFFFF)
    #expect(throws: HandleSpaceExhausted.self) { try high.allocate(for: Self.sized(1)) }
  }

  @Test("Handles that were never given are not released")
  func strangers() throws {
    var allocator = HandleAllocator()
    let handles = try allocator.allocate(for: Self.sized(4))
    let before = allocator
    allocator.release(ServiceHandles(start: 0x0200, end: 0x0203))
    allocator.release(ServiceHandles(start: 0x0100, end: 0x0101))
    allocator.release(ServiceHandles(start: 0x0103, end: 0x0100))
    #expect(allocator == before)
    allocator.release(handles)
    #expect(allocator != before)
  }

  @Test("Handles are printed with four digits and compared as numbers")
  func handle() {
    #expect(AttributeHandle(rawValue: 0x0103).description == "0x0103")
    #expect(AttributeHandle(rawValue: 0x00FF) < 0x0100)
  }
}
