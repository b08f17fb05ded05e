import BleperaBluetooth
import Testing

@testable import BleperaPhone

@Suite("What the phone knows of a peripheral's attributes")
struct GATTCacheTests {
  private static let uuids = (1...4).map { BluetoothUUID(UInt16(0xFFF0 + $0)) }

  @Test("An attribute of an included service is known by its service, too") func included() {
    var cache = GATTCache()
    cache.set(services: [RemoteService(range: 0x0010...0x0013, uuid: Self.uuids[0], isPrimary: true)])
    cache.set(
      included: [RemoteService(range: 0x0020...0x0023, uuid: Self.uuids[1], isPrimary: false)], of: 0x0010)
    cache.set(
      [RemoteCharacteristic(declaration: 0x0021, value: 0x0022, uuid: Self.uuids[2], properties: 2)], of: 0x0020)
    cache.set([RemoteDescriptor(handle: 0x0023, uuid: Self.uuids[3])], of: 0x0022)
    #expect(cache.range(of: 0x0020) == 0x0020...0x0023)
    #expect(
      cache.name(of: 0x0022)
        == AttributeName(service: Self.uuids[1], characteristic: Self.uuids[2], descriptor: nil))
    #expect(cache.name(of: 0x0023)?.descriptor == Self.uuids[3])
    #expect(cache.name(of: 0x0012) == nil)
    #expect(cache.descriptors(of: 0x0022)?.map(\.handle) == [0x0023])
    #expect(cache.descriptors(of: 0x0012) == nil)
  }

  @Test("An included service is primary if its own declaration has said so") func includedPrimary() {
    var cache = GATTCache()
    let known = RemoteService(range: 0x0020...0x0023, uuid: Self.uuids[1], isPrimary: true)
    cache.set(services: [RemoteService(range: 0x0010...0x0013, uuid: Self.uuids[0], isPrimary: true), known])
    let other = RemoteService(range: 0x0030...0x0033, uuid: Self.uuids[2], isPrimary: false)
    cache.set(included: [RemoteService(range: known.range, uuid: known.uuid, isPrimary: false), other], of: 0x0010)
    #expect(cache.included[0x0010] == [known, other])
  }

  @Test(
    "The descriptors of a characteristic are between its value and the next declaration, whatever a peripheral says",
    arguments: [
      (0x0012, 0x0014, 0x0013...0x0013), (0x0012, 0x0013, nil), (0x0012, 0x0000, 0x0013...0x001F),
      (0x0000, 0x0000, 0x0001...0x001F), (0xFFFF, 0x0014, nil), (0x0012, 0xFFFF, 0x0013...0xFFFE),
    ] as [(AttributeHandle, AttributeHandle, ClosedRange<AttributeHandle>?)])
  func descriptors(value: AttributeHandle, next: AttributeHandle, range: ClosedRange<AttributeHandle>?) {
    var cache = GATTCache()
    cache.set(services: [RemoteService(range: 0x0010...0x001F, uuid: Self.uuids[0], isPrimary: true)])
    cache.set(
      [
        RemoteCharacteristic(declaration: 0x0011, value: value, uuid: Self.uuids[1], properties: 2),
        RemoteCharacteristic(declaration: next, value: 0x0015, uuid: Self.uuids[2], properties: 2),
      ], of: 0x0010)
    #expect(cache.characteristic(value)?.descriptors == range)
  }

  @Test("A change takes the services in its handles, of which there may be none, and the others stay")
  func invalidated() {
    var cache = GATTCache()
    let services = [
      RemoteService(range: 0x0010...0x0013, uuid: Self.uuids[0], isPrimary: true),
      RemoteService(range: 0x0020...0x0023, uuid: Self.uuids[1], isPrimary: true),
    ]
    cache.set(services: services)
    cache.set(
      [RemoteCharacteristic(declaration: 0x0011, value: 0x0012, uuid: Self.uuids[2], properties: 2)], of: 0x0010)
    #expect(cache.isComplete)
    for (range, dead, left) in [
      (0x0030...0x0033, [], services), (0x0023...0x0030, [0x0020], [services[0]]), (0x0020...0x0023, [], [services[0]]),
      (0x0001...0xFFFF, [0x0010], []),
    ] as [(ClosedRange<AttributeHandle>, [AttributeHandle], [RemoteService])] {
      #expect(cache.characteristic(0x0012) != nil)
      #expect(cache.invalidate(range) == dead)
      #expect(cache.services == left && !cache.isComplete)
    }
    #expect(cache.characteristic(0x0012) == nil)
  }
}
