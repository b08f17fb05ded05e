/// The number by which a central addresses an attribute (Core Specification, Vol 3, Part F, 3.2.2); 0x0000 is reserved.
public struct AttributeHandle: RawRepresentable, Hashable, Codable, Sendable {
  public let rawValue: UInt16

  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Nil for 0xFFFF. Handles of a peer may be at both ends of the range, so none is computed with `+ 1`.
  package var successor: AttributeHandle? { rawValue < .max ? AttributeHandle(rawValue: rawValue + 1) : nil }

  /// Nil for 0.
  package var predecessor: AttributeHandle? { rawValue > 0 ? AttributeHandle(rawValue: rawValue - 1) : nil }
}

extension AttributeHandle: Comparable {
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension AttributeHandle: ExpressibleByIntegerLiteral {
  public init(integerLiteral value: UInt16) { self.init(rawValue: value) }
}

extension AttributeHandle: CustomStringConvertible {
  /// Four digits: `0x0103`.
  public var description: String {
    "0x" + Hex.string([UInt8(truncatingIfNeeded: rawValue >> 8), UInt8(truncatingIfNeeded: rawValue)])
  }
}

/// Allocates handles; a service that is published again gets the handles that centrals have cached.
///
/// A service gets a released range of exactly its size, or else the lowest gap that is large enough.
public struct HandleAllocator: Hashable, Codable, Sendable {
  /// The handles that may be assigned.
  public let range: ClosedRange<AttributeHandle>
  private var taken: [ClosedRange<AttributeHandle>] = []
  /// Released ranges that no later allocation overlaps, in ascending order.
  private var released: [ClosedRange<AttributeHandle>] = []

  /// The default leaves 0x0001 to 0x00FF to bluetoothd's own services, and 0xFFFF free: bluetoothd 5.66 refuses a
  /// service that ends there. Above 0x03FF bluetoothd's Database Hash no longer changes (`db_hash_update` passes at
  /// most 1,024 vectors to the kernel); the lowest gap is used first, so only a phone of some 250 services uses those
  /// handles.
  public init(range: ClosedRange<AttributeHandle> = 0x0100...0xFFFE) {
    self.range = range
  }

  /// The handles that bluetoothd's Database Hash covers.
  public static let hashed: ClosedRange<AttributeHandle> = 0x0100...0x03FF

  /// How many handles there are for services.
  public var count: Int { Self.numbers(range).count }

  /// Allocates the handles of one service; on an error nothing is allocated.
  public mutating func allocate(for service: ServiceDefinition) throws(HandleSpaceExhausted) -> ServiceHandles {
    let size = service.handleCount
    let gaps = gaps
    let former = released.map(Self.numbers).first { old in
      old.count == size && gaps.contains { $0.lowerBound <= old.lowerBound && old.upperBound <= $0.upperBound }
    }
    guard let start = (former ?? gaps.first { $0.count >= size })?.lowerBound else {
      throw HandleSpaceExhausted(service: service.uuid, needed: size, available: gaps.map(\.count).max() ?? 0)
    }
    let handles = service.handles(startingAt: AttributeHandle(rawValue: UInt16(clamping: start)))
    let new = handles.start...handles.end
    released.removeAll { $0.overlaps(new) }
    taken.append(new)
    taken.sort { $0.lowerBound < $1.lowerBound }
    return handles
  }

  /// Allocates the handles that a service had before, where they are free and in the range.
  public mutating func reserve(_ handles: ServiceHandles) {
    let wanted = handles.start...handles.end
    guard range.contains(handles.start), range.contains(handles.end), !taken.contains(where: { $0.overlaps(wanted) })
    else { return }
    released.removeAll { $0.overlaps(wanted) }
    taken.append(wanted)
    taken.sort { $0.lowerBound < $1.lowerBound }
  }

  /// Releases the handles of one service; ignores handles that are not allocated.
  public mutating func release(_ handles: ServiceHandles) {
    let match = taken.firstIndex { $0.lowerBound == handles.start && $0.upperBound == handles.end }
    guard let match else { return }
    released.append(taken.remove(at: match))
    released.sort { $0.lowerBound < $1.lowerBound }
  }

  /// The runs of free handles in ascending order; handle 0 is never free.
  private var gaps: [Range<Int>] {
    let end = Int(range.upperBound.rawValue) + 1
    var gaps: [Range<Int>] = []
    var next = max(1, Int(range.lowerBound.rawValue))
    // In a corrupt file the ranges may be out of order and overlap.
    for used in taken.map(Self.numbers).sorted(by: { $0.lowerBound < $1.lowerBound }) {
      let gapEnd = min(used.lowerBound, end)
      if next < gapEnd { gaps.append(next..<gapEnd) }
      next = max(next, used.upperBound)
    }
    if next < end { gaps.append(next..<end) }
    return gaps
  }

  private static func numbers(_ range: ClosedRange<AttributeHandle>) -> Range<Int> {
    Int(range.lowerBound.rawValue)..<Int(range.upperBound.rawValue) + 1
  }
}

/// No gap between the published services is large enough for the service.
public struct HandleSpaceExhausted: Error, Hashable, Sendable, CustomStringConvertible {
  /// The service that does not fit.
  public let service: BluetoothUUID
  /// The number of handles that the service needs.
  public let needed: Int
  /// The length of the longest run of free handles.
  public let available: Int

  public var description: String {
    "Service \(service) takes \(needed) attribute handles in a row, and at most \(available) are free."
  }
}
