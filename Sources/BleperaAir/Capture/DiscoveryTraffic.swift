import BleperaBluetooth
import BleperaHost

/// The requests and responses by which a central discovers a database (Core Specification, Vol 3, Part G, 4.4 to 4.7): on
/// the virtual air, discovery is one event.
struct DiscoveryTraffic {
  /// In order; `isUpward` is true for those of the central.
  private(set) var pdus: [(isUpward: Bool, bytes: [UInt8])] = []
  private let mtu: Int

  /// An attribute that answers a request, and the last handle of its group.
  private struct Row {
    let handle: AttributeHandle
    let end: AttributeHandle
    let bytes: [UInt8]
  }

  private enum Request: UInt8 {
    case findInformation = 0x04
    case readByType = 0x08
    case readByGroupType = 0x10
  }

  private static let everything = AttributeHandle(rawValue: 1)...AttributeHandle(rawValue: .max)

  /// - Parameter subscribes: whether the central subscribes to Service Changed afterwards.
  init(of database: AttributeDatabase, mtu: Int, subscribes: Bool) {
    self.mtu = mtu
    let services = database.services
    for type in [AttributeTypes.primaryService, AttributeTypes.secondaryService] {
      let rows = services.filter { $0.isPrimary == (type == AttributeTypes.primaryService) }.compactMap { service in
        service.attributes.first.flatMap { Self.row($0, end: service.range.upperBound, withEnd: true) }
      }
      ask(.readByGroupType, type, Self.everything, rows)
    }
    let attributes = services.flatMap(\.attributes)
    ask(.readByType, AttributeTypes.include, Self.everything, Self.rows(AttributeTypes.include, in: attributes))
    for service in services {
      let characteristics = Self.rows(AttributeTypes.characteristic, in: service.attributes)
      ask(.readByType, AttributeTypes.characteristic, service.range, characteristics)
      for range in Self.descriptorRanges(of: service) {
        ask(
          .findInformation, nil, range,
          service.attributes.filter { range.contains($0.handle) }.map {
            Row(
              handle: $0.handle, end: $0.handle,
              bytes: ServiceBuilder.bytes($0.handle) + $0.type.littleEndianBytes)
          })
      }
    }
    guard subscribes, let value = database.serviceChanged,
      let descriptor = database.clientConfiguration(of: value)
    else { return }
    let write = ATTRequest.write(descriptor, [2, 0])
    pdus += [(true, ATTPDU.bytes(write)), (false, ATTPDU.bytes(.success([]), to: write))]
  }

  /// The handles between each characteristic's value and the next characteristic.
  private static func descriptorRanges(of service: DatabaseService) -> [ClosedRange<AttributeHandle>] {
    let declarations = service.attributes.filter { $0.type == AttributeTypes.characteristic }.map(\.handle.rawValue)
    let ends = declarations.dropFirst().map { $0 - 1 } + [service.range.upperBound.rawValue]
    return zip(declarations, ends).compactMap { declaration, end in
      guard end > declaration + 1 else { return nil }
      return AttributeHandle(rawValue: declaration + 2)...AttributeHandle(rawValue: end)
    }
  }

  private static func rows(_ type: BluetoothUUID, in attributes: [DatabaseAttribute]) -> [Row] {
    attributes.filter { $0.type == type }.compactMap { row($0, end: $0.handle, withEnd: false) }
  }

  private static func row(_ attribute: DatabaseAttribute, end: AttributeHandle, withEnd: Bool) -> Row? {
    guard case .fixed(let value) = attribute.content else { return nil }
    let head = ServiceBuilder.bytes(attribute.handle) + (withEnd ? ServiceBuilder.bytes(end) : [])
    return Row(handle: attribute.handle, end: end, bytes: head + value)
  }

  /// Repeats a request until the range has no more rows; each response has rows of one length.
  private mutating func ask(
    _ request: Request, _ type: BluetoothUUID?, _ range: ClosedRange<AttributeHandle>, _ rows: [Row]
  ) {
    var start = range.lowerBound
    var rest = rows[...]
    while true {
      pdus.append(
        (
          true,
          [request.rawValue] + ServiceBuilder.bytes(start) + ServiceBuilder.bytes(range.upperBound)
            + (type?.littleEndianBytes ?? [])
        ))
      guard let length = rest.first?.bytes.count else {
        pdus.append((false, ATTPDU.error(.attributeNotFound, request: request.rawValue, start)))
        return
      }
      let answer = rest.prefix { $0.bytes.count == length }.prefix(max(1, (mtu - 2) / length))
      rest = rest.dropFirst(answer.count)
      // Find Information names the length of the UUIDs: 1 for 16 bits, 2 for 128.
      let format = request == .findInformation ? (length == 4 ? 1 : 2) : UInt8(clamping: length)
      pdus.append((false, [request.rawValue + 1, format] + answer.flatMap(\.bytes)))
      guard let last = answer.last?.end, last < range.upperBound else { return }
      start = AttributeHandle(rawValue: last.rawValue + 1)
    }
  }
}
