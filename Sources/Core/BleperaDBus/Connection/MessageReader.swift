/// Reads the bytes of a message (D-Bus specification, "Message Format"), which libdbus has validated on arrival and has
/// brought into this machine's byte order: its iterators take several times as many instructions.
struct MessageReader {
  /// A message that libdbus accepts and our types do not; it is dropped or refused, never trusted.
  struct Malformed: Error {
    let cause: String
  }

  private let bytes: [UInt8]
  private var descriptors: ArraySlice<UnixFileDescriptor>
  /// The place of the next value.
  private(set) var position: Int

  /// - Parameter descriptors: the values that are file descriptors, in order.
  init(_ bytes: [UInt8], descriptors: [UnixFileDescriptor] = [], at position: Int = 0) {
    self.bytes = bytes
    self.descriptors = descriptors[...]
    self.position = position
  }

  // MARK: The message

  /// The fields of the header that are not at fixed places, as text or number.
  struct Header {
    var path: ObjectPath?
    var interface: InterfaceName?
    var member: MemberName?
    var errorName: ErrorName?
    var replySerial: UInt32 = 0
    var destination: BusName?
    var sender: BusName?
    /// The place of the body's signature, and its end.
    fileprivate var signature = 0..<0
  }

  var type: UInt8 { bytes[1] }
  var expectsReply: Bool { bytes[2] & 1 == 0 }

  mutating func serial() -> UInt32 {
    position = 8
    return integer()
  }

  /// libdbus has checked the types and the texts of the fields (`_dbus_header_load`).
  mutating func header() throws(Malformed) -> Header {
    var header = Header()
    position = 12
    let end = 16 + Int(integer() as UInt32)
    while position < end {
      align(8)
      let code = byte()
      var type = signature().lowerBound
      switch code {
      case 1: header.path = ObjectPath(accepted: text())
      case 2: header.interface = InterfaceName(accepted: text())
      case 3: header.member = MemberName(accepted: text())
      case 4: header.errorName = ErrorName(accepted: text())
      case 5: header.replySerial = integer()
      case 6: header.destination = BusName(accepted: text())
      case 7: header.sender = BusName(accepted: text())
      case 8: header.signature = signature()
      default: _ = try value(&type)
      }
    }
    align(8)
    return header
  }

  /// The values of the body, which follows the header.
  mutating func body(_ header: Header) throws(Malformed) -> [DBusValue] {
    var values: [DBusValue] = []
    var type = header.signature.lowerBound
    while type < header.signature.upperBound { values.append(try value(&type)) }
    return values
  }

  // MARK: Values

  /// Reads a value whose type is at `type`, which then is the place after that type.
  mutating func value(_ type: inout Int) throws(Malformed) -> DBusValue {
    let code = bytes[type]
    type += 1
    switch UnicodeScalar(code) {
    case "y": return .byte(byte())
    case "b": return .boolean(integer() as UInt32 != 0)
    case "n": return .int16(integer())
    case "q": return .uint16(integer())
    case "i": return .int32(integer())
    case "u": return .uint32(integer())
    case "x": return .int64(integer())
    case "t": return .uint64(integer())
    case "d": return .double(Double(bitPattern: integer()))
    case "s": return .string(text())
    case "o": return .objectPath(ObjectPath(accepted: text()))
    case "g":
      guard let signature = Signature(text(signature())) else { throw Malformed(cause: "an invalid signature") }
      return .signature(signature)
    case "h":
      _ = integer() as UInt32
      guard let next = descriptors.popFirst() else { throw Malformed(cause: "a file descriptor that did not arrive") }
      return .unixFD(next)
    case "v":
      var content = signature().lowerBound
      return .variant(try value(&content))
    case "(":
      align(8)
      var fields: [DBusValue] = []
      while bytes[type] != UInt8(ascii: ")") { fields.append(try value(&type)) }
      type += 1
      return .structure(fields)
    case "a": return try array(&type)
    default: throw Malformed(cause: "type code \(code)")
    }
  }

  private mutating func array(_ type: inout Int) throws(Malformed) -> DBusValue {
    let count = Int(integer() as UInt32)
    let element = type
    skip(&type)
    switch UnicodeScalar(bytes[element]) {
    case "y":
      defer { position += count }
      return .bytes([UInt8](bytes[position..<position + count]))
    case "n", "q": align(2)
    case "x", "t", "d", "(", "{": align(8)
    case "g", "v": break
    default: align(4)
    }
    let end = position + count
    let isDictionary = bytes[element] == UInt8(ascii: "{")
    if isDictionary, bytes[element + 1] == UInt8(ascii: "s"), bytes[element + 2] == UInt8(ascii: "v"),
      let properties = EncodedProperties(bytes, position..<end)
    {
      position = end
      return .dictionary(DBusDictionary(properties))
    }
    guard let whole = Signature("a" + text(element..<type))?.types.first else {
      throw Malformed(cause: "signature \(text(element..<type))")
    }
    var elements: [DBusValue] = []
    var entries: [DBusDictionary.Entry] = []
    while position < end {
      var place = element
      if isDictionary {
        align(8)
        place += 1
        let key = try value(&place)
        entries.append((key, try value(&place)))
      } else {
        elements.append(try value(&place))
      }
    }
    switch whole {
    case .dictionary(let key, let value):
      return .dictionary(DBusDictionary(checkedEntries: entries, key: key, value: value))
    case .array(let element): return .array(DBusArray(checkedElements: elements, of: element))
    default: throw Malformed(cause: "an array of type \(whole.signature)")
    }
  }

  /// Moves past one complete type.
  private func skip(_ type: inout Int) {
    let code = bytes[type]
    type += 1
    switch UnicodeScalar(code) {
    case "a": skip(&type)
    case "(", "{":
      while bytes[type] != UInt8(ascii: ")"), bytes[type] != UInt8(ascii: "}") { skip(&type) }
      type += 1
    default: break
    }
  }

  /// Moves past an entry of an `a{sv}`, and returns the places of its key, of the type and of the value in the variant;
  /// nil for a value that is a container, a signature or a file descriptor.
  mutating func entry() -> (key: Range<Int>, type: Int, value: Int)? {
    align(8)
    let count = Int(integer() as UInt32)
    let key = position..<position + count
    position += count + 1
    let type = signature()
    let value = position
    guard type.count == 1 else { return nil }
    switch UnicodeScalar(bytes[type.lowerBound]) {
    case "y": position += 1
    case "n", "q": _ = integer() as UInt16
    case "b", "i", "u": _ = integer() as UInt32
    case "x", "t", "d": _ = integer() as UInt64
    case "s", "o":
      let count = Int(integer() as UInt32)
      position += count + 1
    default: return nil
    }
    return (key, type.lowerBound, value)
  }

  // MARK: Bytes

  private mutating func align(_ alignment: Int) { position = (position + alignment - 1) & ~(alignment - 1) }

  private mutating func byte() -> UInt8 {
    defer { position += 1 }
    return bytes[position]
  }

  @inline(__always)
  private mutating func integer<T: FixedWidthInteger & BitwiseCopyable>() -> T {
    align(MemoryLayout<T>.size)
    defer { position += MemoryLayout<T>.size }
    return unsafe bytes.span.bytes.unsafeLoadUnaligned(fromByteOffset: position, as: T.self)
  }

  /// The place of a signature, as in a variant.
  private mutating func signature() -> Range<Int> {
    let count = Int(byte())
    defer { position += count + 1 }
    return position..<position + count
  }

  private mutating func text() -> String {
    let count = Int(integer() as UInt32)
    defer { position += count + 1 }
    return text(position..<position + count)
  }

  private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
}
