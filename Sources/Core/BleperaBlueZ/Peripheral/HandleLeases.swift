package import BleperaBluetooth

/// The attribute handles of an adapter that bluetoothd gives to nobody else while it runs.
///
/// bluetoothd refuses a service whose first or last handle another service has, and accepts one that contains another
/// service (`find_insert_loc` in src/shared/gatt-db.c). A program that asks for no handle gets the one after the
/// highest that was ever given (`last_handle`, which only grows). So handles are leased before services have them: one
/// application has a *probe*, a service without a handle, and a *fence*, a service with the last handle of the lease,
/// and bluetoothd adds both at once. From the probe's handle, which it reports, to the fence's, no service has handles
/// then, and none gets some later, except one of a program that chooses its handles itself.
package struct HandleLeases: Hashable, Sendable {
  package typealias Range = ClosedRange<AttributeHandle>

  /// Whether the handles of an application are ours.
  package enum Standing: Hashable, Sendable {
    case leased
    /// A lease can get the handles.
    case available
    /// Other programs may have the handles.
    case taken
  }

  /// In ascending order; neither overlapping nor adjacent.
  package private(set) var ranges: [Range]
  /// The highest handle that bluetoothd is known to have given.
  package private(set) var highest: AttributeHandle

  /// The end of the first lease, so that a phone that adds a few services keeps to it.
  private static let home: UInt16 = 0x013F
  /// The end of each lease has these bits.
  private static let block: UInt16 = 0x003F
  /// bluetoothd 5.66 refuses a service that ends at 0xFFFF.
  private static let last: UInt16 = 0xFFFE

  package init(ranges: [Range] = []) {
    self.ranges = []
    highest = 0
    for range in ranges { add(range) }
  }

  package func standing(of wanted: [Range]) -> Standing {
    let others = wanted.filter { range in
      !ranges.contains { $0.contains(range.lowerBound) && $0.contains(range.upperBound) }
    }
    if others.isEmpty { return .leased }
    return others.allSatisfy { $0.lowerBound > highest } ? .available : .taken
  }

  /// Where the fence of the next lease is; nil where there are not as many handles.
  ///
  /// - Parameters:
  ///   - wanted: the handles that the lease has to contain.
  ///   - count: the number of further handles, anywhere in the lease.
  ///   - failures: the number of fences that were refused because another service has the handle.
  package func fence(for wanted: [Range], and count: Int, failures: Int) -> AttributeHandle? {
    let needed = max(Int(wanted.map(\.upperBound).max()?.rawValue ?? 0), Int(highest.rawValue) + count)
    let blocks = needed + failures * (Int(Self.block) + 1)
    guard needed <= Int(Self.last), blocks <= Int(UInt16.max) else { return nil }
    let end = max(UInt16(blocks) | Self.block, Self.home)
    return AttributeHandle(rawValue: min(end, Self.last))
  }

  /// bluetoothd has given a handle to the probe and has refused the fence.
  package mutating func refuse(probe: AttributeHandle) { highest = max(highest, probe) }

  /// bluetoothd has given a lease.
  package mutating func add(_ range: Range) {
    highest = max(highest, range.upperBound)
    var range = range
    ranges.removeAll { other in
      let touches =
        Int(other.lowerBound.rawValue) <= Int(range.upperBound.rawValue) + 1
        && Int(range.lowerBound.rawValue) <= Int(other.upperBound.rawValue) + 1
      if touches {
        range = min(range.lowerBound, other.lowerBound)...max(range.upperBound, other.upperBound)
      }
      return touches
    }
    ranges.append(range)
    ranges.sort { $0.lowerBound < $1.lowerBound }
  }

  /// Another program, which chooses its handles itself, has some of these.
  package mutating func giveUp(_ range: Range) {
    ranges = ranges.flatMap { own -> [Range] in
      guard own.overlaps(range) else { return [own] }
      var rest: [Range] = []
      if let end = range.lowerBound.predecessor, own.lowerBound <= end { rest.append(own.lowerBound...end) }
      if let start = range.upperBound.successor, start <= own.upperBound { rest.append(start...own.upperBound) }
      return rest
    }
  }

  /// The lowest places in the leases for services of these sizes that no range in `used` overlaps; nil where there is
  /// no room for all.
  package func places(for sizes: [Int], avoiding used: [Range]) -> [AttributeHandle]? {
    var used = used.sorted { $0.lowerBound < $1.lowerBound }
    var places: [AttributeHandle] = []
    for size in sizes {
      guard let place = place(for: size, avoiding: used) else { return nil }
      places.append(place.lowerBound)
      used.append(place)
      used.sort { $0.lowerBound < $1.lowerBound }
    }
    return places
  }

  private func place(for size: Int, avoiding used: [Range]) -> Range? {
    for own in ranges {
      var start = Int(own.lowerBound.rawValue)
      for other in used where Int(other.upperBound.rawValue) >= start {
        if Int(other.lowerBound.rawValue) >= start + size { break }
        start = Int(other.upperBound.rawValue) + 1
      }
      guard start + size - 1 <= Int(own.upperBound.rawValue) else { continue }
      return AttributeHandle(rawValue: UInt16(start))...AttributeHandle(rawValue: UInt16(start + size - 1))
    }
    return nil
  }
}
