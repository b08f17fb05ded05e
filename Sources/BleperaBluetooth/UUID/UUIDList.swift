/// UUIDs of one width, as one AD structure lists them.
public struct UUIDList: Hashable, Sendable {
  /// The width at which every UUID is written.
  public let width: BluetoothUUID.Width
  /// The UUIDs in the order of the list.
  public let uuids: [BluetoothUUID]

  /// Writes every UUID at `width`; nil where one has no form that short.
  public init?(_ uuids: [BluetoothUUID], width: BluetoothUUID.Width) {
    let written = uuids.compactMap { $0.written(at: width) }
    guard written.count == uuids.count else { return nil }
    self.width = width
    self.uuids = written
  }

  /// Reads the payload of an AD structure; nil unless it is a whole number of UUIDs.
  public init?(littleEndian bytes: [UInt8], width: BluetoothUUID.Width) {
    guard bytes.count.isMultiple(of: width.rawValue) else { return nil }
    self.width = width
    uuids = stride(from: 0, to: bytes.count, by: width.rawValue).compactMap {
      BluetoothUUID(littleEndian: bytes[$0..<$0 + width.rawValue])
    }
  }

  /// The payload of the AD structure: each UUID with the least significant byte first.
  public var bytes: [UInt8] { uuids.flatMap(\.littleEndianBytes) }

  /// One list for each width that occurs, shortest width first, every UUID at the width it was written with.
  public static func lists(of uuids: [BluetoothUUID]) -> [UUIDList] {
    BluetoothUUID.Width.allCases.compactMap { width in
      let ofWidth = uuids.filter { $0.width == width }
      return ofWidth.isEmpty ? nil : UUIDList(ofWidth, width: width)
    }
  }
}
