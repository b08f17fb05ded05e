import BleperaBluetooth

/// Discovers services with all that they have, one request at a time (Core Specification, Vol 3, Part G, 4.4 to 4.7),
/// in the order of bluetoothd's requests (src/shared/gatt-client.c): primary and secondary services, included ones and
/// characteristics, the descriptors of each with their extended properties. A host that is not bluetoothd's then
/// subscribes to Service Changed and reads the Device Name. A phone discovers parts.
struct ServiceDiscovery: Sendable {
  enum Phase: Hashable, Sendable {
    case services(isPrimary: Bool)
    case includes
    case characteristics
    case descriptors
    case subscription
    case name
    case end
  }

  typealias Found = (range: ClosedRange<AttributeHandle>, uuid: BluetoothUUID, isPrimary: Bool)

  /// The part that a phone discovers; nil for everything.
  let part: Part?
  /// The handles that have changed; nil for everything.
  let range: ClosedRange<AttributeHandle>?
  /// The services that bluetoothd has found in `range` before; nil for another host.
  let known: [RemoteService]?

  var phase = Phase.services(isPrimary: true)
  /// The handles of the present search that have not been searched; nil before and after.
  private var rest: ClosedRange<AttributeHandle>?
  /// The handles that the phase searches or reads after `rest`, the next range last.
  var ranges: [ClosedRange<AttributeHandle>]
  /// Where included services and characteristics are to be searched, the next one last.
  private var searched: [ClosedRange<AttributeHandle>] = []
  /// The attributes to be read first: extended properties, and included services whose declaration has no UUID.
  private var reads: [AttributeHandle] = []

  var services: [Found] = []
  var includes: [(declaration: AttributeHandle, range: ClosedRange<AttributeHandle>, uuid: BluetoothUUID?)] = []
  var characteristics: [RemoteCharacteristic] = []
  var descriptors: [RemoteDescriptor] = []
  /// The values of the attributes that were read first.
  var values: [AttributeHandle: [UInt8]] = [:]
  var name: String?

  static let everything = AttributeHandle(rawValue: 1)...AttributeHandle(rawValue: .max)

  /// Begins with a phase of a part.
  init(_ part: Part, from phase: Phase, in ranges: [ClosedRange<AttributeHandle>]) {
    (self.part, range, known) = (part, nil, nil)
    (self.phase, self.ranges) = (phase, ranges)
  }

  init(of range: ClosedRange<AttributeHandle>? = nil, known: [RemoteService]? = nil) {
    self.range = range
    self.known = known
    part = nil
    ranges = [range ?? Self.everything]
  }

  /// The error that ends the discovery, as in bluetoothd (src/shared/gatt-client.c); nil for a response, at the end of
  /// the handles, where there are no secondary services, and after a search.
  func error(in response: ATTPDU) -> ATTError? {
    guard case .errorResponse(let response) = response, reads.isEmpty else { return nil }
    switch (phase, response.error) {
    case (_, .attributeNotFound), (.services(isPrimary: false), .unsupportedGroupType): return nil
    case (.services, let error), (.includes, let error), (.characteristics, let error), (.descriptors, let error):
      return error
    case (.subscription, _), (.name, _), (.end, _): return nil
    }
  }

  // MARK: Requests

  mutating func next() -> ClientTask.Step {
    while true {
      if let handle = reads.first { return .send(.readRequest(handle)) }
      if rest == nil { rest = ranges.popLast() }
      if let rest { return .send(request(rest)) }
      if let part, phase != .end {
        beginNext(of: part)
        continue
      }
      switch phase {
      case .services(isPrimary: true) where isAllKnown: phase = .end
      case .services(isPrimary: true): begin(.services(isPrimary: false), [range ?? Self.everything])
      case .services(isPrimary: false):
        services.sort { $0.range.lowerBound < $1.range.lowerBound }
        searched = isAllKnown ? [] : unknown.reversed()
        begin(.includes, searched.suffix(1))
      case .includes: begin(.characteristics, [searched.popLast()].compactMap(\.self))
      case .characteristics where !searched.isEmpty: begin(.includes, searched.suffix(1))
      case .characteristics: begin(.descriptors, takeDescriptorRanges())
      case .descriptors where known != nil || range != nil: phase = .end
      case .descriptors: begin(.subscription, subscription.map { [$0...$0] } ?? [])
      case .subscription: begin(.name, nameHandle.map { [$0...$0] } ?? [])
      case .name: phase = .end
      case .end: return result
      }
    }
  }

  mutating func begin(_ phase: Phase, _ ranges: [ClosedRange<AttributeHandle>]) {
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
    case .name: .readRequest(range.lowerBound)
    case .subscription, .end: .writeRequest(range.lowerBound, [2, 0])
    }
  }

  /// The service as it was, which is not looked into again.
  private func former(_ service: Found) -> RemoteService? {
    guard range == nil else { return nil }
    return known?.first {
      ($0.range, $0.uuid, $0.isPrimary) == (service.range, service.uuid, service.isPrimary)
    }
  }

  /// Whether bluetoothd has found the services that it knows, and no others.
  private var isAllKnown: Bool {
    guard let known else { return false }
    return services.allSatisfy { former($0) != nil }
      && known.allSatisfy { service in services.contains { $0.range == service.range && $0.uuid == service.uuid } }
  }

  /// The handles from the first new service to the last one, without the known services (`remove_discov_range`).
  private var unknown: [ClosedRange<AttributeHandle>] {
    let new = services.filter { former($0) == nil }
    if new.isEmpty, known == nil { return [] }
    let whole = range ?? Self.everything
    var ranges = [whole.lowerBound.rawValue...whole.upperBound.rawValue]
    func remove(_ removed: ClosedRange<UInt16>) {
      guard let index = ranges.firstIndex(where: { $0.contains(removed.lowerBound) }) else { return }
      let range = ranges[index]
      let before = range.lowerBound < removed.lowerBound ? [range.lowerBound...removed.lowerBound - 1] : []
      let after = removed.upperBound < range.upperBound ? [removed.upperBound + 1...range.upperBound] : []
      ranges.replaceSubrange(index...index, with: before + after)
    }
    for service in services where former(service) != nil {
      remove(service.range.lowerBound.rawValue...service.range.upperBound.rawValue)
    }
    let first = new.map(\.range.lowerBound.rawValue).min() ?? .max
    let last = new.map(\.range.upperBound.rawValue).max() ?? 0
    if first > 1 { remove(1...first - 1) }
    if last < .max { remove(last + 1 ... .max) }
    return ranges.map { AttributeHandle(rawValue: $0.lowerBound)...AttributeHandle(rawValue: $0.upperBound) }
  }

  /// bluetoothd takes the only descriptor of a characteristic with notifications for their configuration.
  private mutating func takeDescriptorRanges() -> [ClosedRange<AttributeHandle>] {
    let ranges = descriptorRanges
    guard known != nil else { return ranges }
    let subscribable = characteristics.filter { AttributeFlags(rawValue: UInt32($0.properties)).isSubscribable }
    let configurations = ranges.filter { range in
      range.lowerBound == range.upperBound
        && subscribable.contains { $0.value.successor == range.lowerBound }
    }
    descriptors = configurations.map {
      RemoteDescriptor(handle: $0.lowerBound, uuid: AttributeTypes.clientConfiguration)
    }
    return ranges.filter { !configurations.contains($0) }
  }

  /// The handles between each characteristic's value and the next characteristic, or the end of the service.
  private var descriptorRanges: [ClosedRange<AttributeHandle>] {
    let starts = (characteristics.map(\.declaration) + services.map(\.range.lowerBound)).sorted()
    return characteristics.compactMap { characteristic in
      guard let service = services.last(where: { $0.range.contains(characteristic.declaration) }) else { return nil }
      let next = starts.first { $0 > characteristic.declaration && service.range.contains($0) }
      let end = next?.predecessor ?? service.range.upperBound
      guard let start = characteristic.value.successor, start <= end else { return nil }
      return start...end
    }
  }

  var nameHandle: AttributeHandle? {
    characteristics.first { $0.uuid == AttributeTypes.deviceName }?.value
  }

  /// Where the descriptors of Service Changed are.
  var changedRange: ClosedRange<AttributeHandle>? {
    guard let changed = characteristics.first(where: { $0.uuid == AttributeTypes.serviceChanged }) else { return nil }
    return descriptorRanges.first { $0.lowerBound == changed.value.successor }
  }

  var subscription: AttributeHandle? {
    guard let range = changedRange else { return nil }
    return descriptors.first { range.contains($0.handle) && $0.uuid == AttributeTypes.clientConfiguration }?.handle
  }

  // MARK: Responses

  mutating func take(_ response: ATTPDU) {
    guard reads.isEmpty else {
      let handle = reads.removeFirst()
      if case .readResponse(let value) = response { values[handle] = value }
      return
    }
    guard let asked = rest else { return }
    rest = nil
    // The last of these handles has been searched.
    guard let next = add(response)?.successor, next <= asked.upperBound else { return }
    rest = next...asked.upperBound
  }

  /// Returns the last handle of what was found.
  private mutating func add(_ response: ATTPDU) -> AttributeHandle? {
    switch (phase, response) {
    case (.services(let isPrimary), .readByGroupTypeResponse(let groups)):
      for group in groups {
        guard let uuid = BluetoothUUID(littleEndian: group.value) else { continue }
        services.append((group.range, uuid, isPrimary))
      }
      return groups.last?.range.upperBound
    case (.includes, .readByTypeResponse(let rows)):
      for row in rows where row.value.count >= 4 {
        let start = AttributeHandle(rawValue: LittleEndian.number(row.value[..<2]))
        let end = AttributeHandle(rawValue: LittleEndian.number(row.value[2..<4]))
        includes.append((row.handle, start...max(start, end), BluetoothUUID(littleEndian: row.value.dropFirst(4))))
        if row.value.count == 4 { reads.append(start) }
      }
      return rows.last?.handle
    case (.characteristics, .readByTypeResponse(let rows)):
      for row in rows where row.value.count >= 5 {
        let value = AttributeHandle(rawValue: LittleEndian.number(row.value[1..<3]))
        // bluetoothd skips a characteristic whose value is not behind it, too (src/shared/gatt-db.c).
        guard let uuid = BluetoothUUID(littleEndian: row.value.dropFirst(3)), value > row.handle else { continue }
        characteristics.append(
          RemoteCharacteristic(
            declaration: row.handle, value: value, uuid: uuid, properties: row.value[0], descriptors: []))
      }
      return rows.last?.handle
    case (.descriptors, .findInformationResponse(let rows)):
      descriptors += rows.map { RemoteDescriptor(handle: $0.handle, uuid: $0.type) }
      if part == nil { reads += rows.filter { $0.type == AttributeTypes.extendedProperties }.map(\.handle) }
      return rows.last?.handle
    case (.name, .readResponse(let value)):
      name = LocalName.received(value)
      return nil
    default: return nil
    }
  }

  var remoteServices: [RemoteService] {
    let ranges = descriptorRanges
    return services.map { service in
      if let former = former(service) { return former }
      return RemoteService(
        range: service.range, uuid: service.uuid, isPrimary: service.isPrimary,
        includes: includes.filter { service.range.contains($0.declaration) }.map(\.range.lowerBound),
        characteristics: characteristics.filter { service.range.contains($0.declaration) }.map { characteristic in
          let range = ranges.first { $0.lowerBound == characteristic.value.successor }
          let own = descriptors.filter { range?.contains($0.handle) == true }
          let extended = own.lazy.compactMap { values[$0.handle]?.first }.first
          return RemoteCharacteristic(
            declaration: characteristic.declaration, value: characteristic.value, uuid: characteristic.uuid,
            properties: characteristic.properties, extendedProperties: extended ?? 0, descriptors: own)
        })
    }
  }
}
