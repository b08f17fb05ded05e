import BleperaBluetooth
import BleperaHost

/// Discovers services with all that they have, one request at a time (Core Specification, Vol 3, Part G, 4.4 to 4.7), in
/// the order of bluetoothd's requests (src/shared/gatt-client.c): primary and secondary services, included ones,
/// characteristics, the descriptors of each, extended properties, the subscription to Service Changed, and the Device Name.
struct ServiceDiscovery: Sendable {
  private enum Phase: Sendable {
    case services(isPrimary: Bool)
    case includes
    case characteristics
    case descriptors
    case extendedProperties
    case subscription
    case name
    case end
  }

  /// What has changed; nil for everything.
  let range: ClosedRange<AttributeHandle>?

  private var phase = Phase.services(isPrimary: true)
  /// What of the phase's handles has not been searched; nil before and after.
  private var rest: ClosedRange<AttributeHandle>?
  /// What the phase searches or reads after that, the next one last.
  private var ranges: [ClosedRange<AttributeHandle>]

  private var services: [(range: ClosedRange<AttributeHandle>, uuid: BluetoothUUID, isPrimary: Bool)] = []
  private var includes: [(declaration: AttributeHandle, service: AttributeHandle)] = []
  private var characteristics: [RemoteCharacteristic] = []
  private var descriptors: [RemoteDescriptor] = []
  private var extendedProperties: [AttributeHandle: UInt8] = [:]
  private var name: String?

  private static let everything = AttributeHandle(rawValue: 1)...AttributeHandle(rawValue: .max)

  init(of range: ClosedRange<AttributeHandle>? = nil) {
    self.range = range
    ranges = [range ?? Self.everything]
  }

  // MARK: Requests

  mutating func next() -> ClientTask.Step {
    while true {
      if rest == nil { rest = ranges.popLast() }
      if let rest { return .send(request(rest)) }
      switch phase {
      case .services(isPrimary: true): begin(.services(isPrimary: false), [range ?? Self.everything])
      case .services(isPrimary: false):
        services.sort { $0.range.lowerBound < $1.range.lowerBound }
        begin(.includes, found)
      case .includes: begin(.characteristics, found)
      case .characteristics: begin(.descriptors, descriptorRanges)
      case .descriptors:
        let extended = descriptors.filter { $0.uuid == AttributeTypes.extendedProperties }.map(\.handle)
        begin(.extendedProperties, extended.map { $0...$0 })
      case .extendedProperties: begin(.subscription, range == nil ? subscription.map { [$0...$0] } ?? [] : [])
      case .subscription: begin(.name, range == nil ? nameHandle.map { [$0...$0] } ?? [] : [])
      case .name: phase = .end
      case .end: return .discovered(remoteServices, name: name, in: range)
      }
    }
  }

  private mutating func begin(_ phase: Phase, _ ranges: [ClosedRange<AttributeHandle>]) {
    (self.phase, self.ranges) = (phase, ranges.reversed())
  }

  private func request(_ range: ClosedRange<AttributeHandle>) -> ATTPDU {
    switch phase {
    case .services(let isPrimary):
      .readByGroupTypeRequest(
        range, type: isPrimary ? AttributeTypes.primaryService : AttributeTypes.secondaryService)
    case .includes: .readByTypeRequest(range, type: AttributeTypes.include)
    case .characteristics: .readByTypeRequest(range, type: AttributeTypes.characteristic)
    case .descriptors: .findInformationRequest(range)
    case .extendedProperties, .name: .readRequest(range.lowerBound)
    case .subscription, .end: .writeRequest(range.lowerBound, [2, 0])
    }
  }

  /// From the first service to the last one.
  private var found: [ClosedRange<AttributeHandle>] {
    guard let first = services.first, let last = services.map(\.range.upperBound).max() else { return [] }
    return [first.range.lowerBound...last]
  }

  /// The handles between each characteristic's value and the next characteristic, or the end of the service.
  private var descriptorRanges: [ClosedRange<AttributeHandle>] {
    let starts = (characteristics.map(\.declaration) + services.map(\.range.lowerBound)).sorted()
    return characteristics.compactMap { characteristic in
      let value = characteristic.value.rawValue
      guard let service = services.last(where: { $0.range.contains(characteristic.declaration) }) else { return nil }
      let next = starts.first { $0 > characteristic.declaration && service.range.contains($0) }
      let end = next.map { $0.rawValue - 1 } ?? service.range.upperBound.rawValue
      guard value < end else { return nil }
      return AttributeHandle(rawValue: value + 1)...AttributeHandle(rawValue: end)
    }
  }

  private var nameHandle: AttributeHandle? {
    characteristics.first { $0.uuid == AttributeTypes.deviceName }?.value
  }

  private var subscription: AttributeHandle? {
    let ranges = descriptorRanges
    guard let changed = characteristics.first(where: { $0.uuid == AttributeTypes.serviceChanged }),
      let range = ranges.first(where: { $0.lowerBound.rawValue == changed.value.rawValue &+ 1 })
    else { return nil }
    return descriptors.first { range.contains($0.handle) && $0.uuid == AttributeTypes.clientConfiguration }?.handle
  }

  // MARK: Responses

  mutating func take(_ response: ATTPDU) {
    guard let asked = rest else { return }
    rest = nil
    // Nothing more in these handles, or nothing that may be read.
    guard let last = add(response, to: asked.lowerBound), last >= asked.lowerBound, last < asked.upperBound else {
      return
    }
    rest = AttributeHandle(rawValue: last.rawValue + 1)...asked.upperBound
  }

  /// Returns the last handle of what was found.
  private mutating func add(_ response: ATTPDU, to first: AttributeHandle) -> AttributeHandle? {
    switch (phase, response) {
    case (.services(let isPrimary), .readByGroupTypeResponse(let groups)):
      for group in groups {
        guard let uuid = BluetoothUUID(littleEndian: group.value) else { continue }
        services.append((group.range, uuid, isPrimary))
      }
      return groups.last?.range.upperBound
    case (.includes, .readByTypeResponse(let rows)):
      for row in rows where row.value.count >= 4 {
        includes.append((row.handle, AttributeHandle(rawValue: LittleEndian.number(row.value[..<2]))))
      }
      return rows.last?.handle
    case (.characteristics, .readByTypeResponse(let rows)):
      for row in rows where row.value.count >= 5 {
        guard let uuid = BluetoothUUID(littleEndian: row.value.dropFirst(3)) else { continue }
        characteristics.append(
          RemoteCharacteristic(
            declaration: row.handle, value: AttributeHandle(rawValue: LittleEndian.number(row.value[1..<3])),
            uuid: uuid, properties: row.value[0], descriptors: []))
      }
      return rows.last?.handle
    case (.descriptors, .findInformationResponse(let rows)):
      descriptors += rows.map { RemoteDescriptor(handle: $0.handle, uuid: $0.type) }
      return rows.last?.handle
    case (.extendedProperties, .readResponse(let value)):
      extendedProperties[first] = value.first
      return nil
    case (.name, .readResponse(let value)):
      name = String(decoding: value, as: UTF8.self)
      return nil
    default: return nil
    }
  }

  private var remoteServices: [RemoteService] {
    let ranges = descriptorRanges
    return services.map { service in
      RemoteService(
        range: service.range, uuid: service.uuid, isPrimary: service.isPrimary,
        includes: includes.filter { service.range.contains($0.declaration) }.map(\.service),
        characteristics: characteristics.filter { service.range.contains($0.declaration) }.map { characteristic in
          let range = ranges.first { $0.lowerBound.rawValue == characteristic.value.rawValue &+ 1 }
          let own = descriptors.filter { range?.contains($0.handle) == true }
          let extended = own.lazy.compactMap { extendedProperties[$0.handle] }.first
          return RemoteCharacteristic(
            declaration: characteristic.declaration, value: characteristic.value, uuid: characteristic.uuid,
            properties: characteristic.properties, extendedProperties: extended ?? 0, descriptors: own)
        })
    }
  }
}
