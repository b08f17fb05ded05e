package import BleperaBluetooth

/// Reads or writes the fields of an HCI packet in order, the least significant octet of each first (Core Specification,
/// Vol 4, Part E, 5.2). One description of the fields serves both directions.
package struct HCICoder {
  /// Nil while the fields are written.
  private var reader: PDUReader?
  /// The fields that are written.
  package private(set) var written: [UInt8] = []
  /// Whether fields are held against their ranges.
  package private(set) var isStrict = true

  /// Writes fields.
  package init() {}

  /// Reads fields.
  package init(reading bytes: ArraySlice<UInt8>, isStrict: Bool = true) {
    (reader, self.isStrict) = (PDUReader(bytes), isStrict)
  }

  /// Whether the fields are read.
  package var isReading: Bool { reader != nil }

  private mutating func read(_ count: Int) throws(HCIError) -> [UInt8]? {
    guard let bytes = reader?.bytes(count) else { return nil }
    guard reader?.isShort == false else { throw .invalidParameters }
    return bytes
  }

  /// So many octets; when written, the rest of a shorter value is 0.
  package mutating func octets(_ value: inout [UInt8], _ count: Int) throws(HCIError) {
    if let bytes = try read(count) {
      value = bytes
    } else {
      written += value.prefix(count) + [UInt8](repeating: 0, count: max(0, count - value.count))
    }
  }

  /// All octets that are left.
  package mutating func rest(_ value: inout [UInt8]) {
    if let bytes = reader?.remainder() { value = bytes } else { written += value }
  }

  /// Octets that are not used: any when read, these when written.
  package mutating func unused(_ octets: [UInt8]) throws(HCIError) {
    if try read(octets.count) == nil { written += octets }
  }

  package mutating func number<Integer: FixedWidthInteger>(_ value: inout Integer) throws(HCIError) {
    if let bytes = try read(Integer.bitWidth / 8) {
      value = LittleEndian.number(bytes)
    } else {
      written += LittleEndian.bytes(value)
    }
  }

  package mutating func number<Integer: FixedWidthInteger>(
    _ value: inout Integer, in range: ClosedRange<Integer>
  ) throws(HCIError) {
    try number(&value)
    guard !isStrict || range.contains(value) else { throw .invalidParameters }
  }

  /// A number of three octets.
  package mutating func number24(_ value: inout Int) throws(HCIError) {
    if let bytes = try read(3) {
      value = LittleEndian.number(bytes)
    } else {
      written += LittleEndian.bytes(UInt64(value), count: 3)
    }
  }

  package mutating func flag(_ value: inout Bool) throws(HCIError) {
    var number: UInt8 = value ? 1 : 0
    try self.number(&number, in: 0...1)
    value = number == 1
  }

  /// An address without its type.
  package mutating func address(_ value: inout DeviceAddress, isRandom: Bool) throws(HCIError) {
    if let bytes = try read(6) {
      value = DeviceAddress(bits: LittleEndian.number(bytes), isRandom: isRandom)
    } else {
      written += LittleEndian.bytes(value.bits, count: 6)
    }
  }

  /// The type, 0 public and 1 random, and the address.
  package mutating func typedAddress(_ value: inout DeviceAddress) throws(HCIError) {
    var isRandom = value.isRandom
    try flag(&isRandom)
    try address(&value, isRandom: isRandom)
  }

  /// The type and the address of a peer in an event: 2 and 3 are identity addresses that the controller has resolved.
  package mutating func peerAddress(_ value: inout DeviceAddress, isResolved: inout Bool) throws(HCIError) {
    var type: UInt8 = (value.isRandom ? 1 : 0) | (isResolved ? 2 : 0)
    try number(&type)
    isResolved = type & 2 != 0
    try address(&value, isRandom: type & 1 != 0)
  }

  /// Data that is preceded by its length.
  package mutating func data(_ value: inout [UInt8]) throws(HCIError) {
    var count = UInt8(clamping: value.count)
    try number(&count)
    try octets(&value, Int(count))
  }

  /// Elements that are preceded by their number.
  package mutating func list<Element: HCIParameters>(
    _ elements: inout [Element], in range: ClosedRange<UInt8> = 0...0xFF
  ) throws(HCIError) {
    var count = UInt8(clamping: elements.count)
    try number(&count, in: range)
    if isReading { elements = [] }
    for index in 0..<Int(count) {
      var element = isReading ? Element() : elements[index]
      try element.code(&self)
      if isReading { elements.append(element) }
    }
  }
}

/// The parameters of a command or an event, or the values that a command returns after its status.
package protocol HCIParameters: Hashable, Sendable {
  init()

  /// Reads or writes the fields in their order.
  mutating func code(_ coder: inout HCICoder) throws(HCIError)
}

extension HCIParameters {
  /// - Throws: `HCIError.invalidParameters` where a field is missing or outside the specification's range.
  package init(_ bytes: some Sequence<UInt8>) throws(HCIError) {
    self.init()
    var coder = HCICoder(reading: ArraySlice(bytes))
    try code(&coder)
  }

  /// Reads values of a log, which may be cut or outside the specification: fields that are missing have their first
  /// values.
  ///
  /// - Returns: nil if fewer octets are there.
  package init?(logged bytes: ArraySlice<UInt8>, atLeast count: Int) {
    guard bytes.count >= count else { return nil }
    self.init()
    var coder = HCICoder(reading: bytes, isStrict: false)
    try? code(&coder)
  }

  package var bytes: [UInt8] {
    var (coder, copy) = (HCICoder(), self)
    // Values outside their ranges are a fault of the caller; the fields before them are written.
    try? copy.code(&coder)
    return coder.written
  }
}

/// No parameters.
package struct HCINothing: HCIParameters {
  package init() {}
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {}
}

/// One number.
package struct HCINumber<Integer: FixedWidthInteger & Sendable>: HCIParameters {
  package var value: Integer = 0

  package init() {}
  package init(_ value: Integer) { self.value = value }
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) { try coder.number(&value) }
}

/// A number of octets without a structure.
package struct HCIFixed<let length: Int>: HCIParameters {
  package var octets = [UInt8](repeating: 0, count: length)

  package init() {}
  package init(octets: [UInt8]) { self.octets = octets }
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) { try coder.octets(&octets, length) }
}

/// All octets that are left, without a structure.
package struct HCIOctets: HCIParameters {
  package var value: [UInt8] = []

  package init() {}
  package init(_ value: [UInt8]) { self.value = value }
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) { coder.rest(&value) }
}
