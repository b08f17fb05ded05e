/// The length of a marshalled body, value by value, ended by a refusal as soon as a limit is passed
/// (D-Bus specification, "Marshalling (Wire Format)").
struct BodyMeter {
  private let headerLength: Int
  private var fileDescriptors = 0
  private(set) var length = 0

  init(headerLength: Int) { self.headerLength = headerLength }

  /// `depth` is the number of containers around the value.
  mutating func add(_ value: DBusValue, depth: Int = 0) throws(MessageRefusal) {
    switch value {
    case .byte: try count(1, alignedTo: 1)
    case .int16, .uint16: try count(2, alignedTo: 2)
    case .boolean, .int32, .uint32: try count(4, alignedTo: 4)
    case .int64, .uint64, .double: try count(8, alignedTo: 8)
    case .string(let text):
      guard !text.utf8.contains(0) else { throw .stringWithNUL }
      try count(4 + text.utf8.count + 1, alignedTo: 4)
    case .objectPath(let path): try count(4 + path.rawValue.utf8.count + 1, alignedTo: 4)
    case .signature(let signature): try count(1 + signature.text.utf8.count + 1, alignedTo: 1)
    case .unixFD(let descriptor): try count(descriptor)
    case .bytes(let bytes):
      try enter(depth)
      guard bytes.count <= MessageLimits.arrayLength else { throw .arrayTooLong(bytes.count) }
      try count(4 + bytes.count, alignedTo: 4)
    case .array(let array):
      try enter(depth)
      let start = try startArray(of: array.elementType.alignment)
      for element in array.elements {
        try add(element, depth: depth + 1)
        try checkArray(from: start)
      }
    case .dictionary(let dictionary):
      try enter(depth + 1)
      let start = try startArray(of: 8)
      for entry in dictionary.entries {
        try count(0, alignedTo: 8)
        try add(entry.key, depth: depth + 2)
        try add(entry.value, depth: depth + 2)
        try checkArray(from: start)
      }
    case .structure(let fields):
      try enter(depth)
      try count(0, alignedTo: 8)
      for field in fields { try add(field, depth: depth + 1) }
    case .variant(let content):
      try enter(depth)
      var signature = SignatureMeter()
      try signature.add(content)
      try count(1 + signature.length + 1, alignedTo: 1)
      try add(content, depth: depth + 1)
    }
  }

  private func enter(_ depth: Int) throws(MessageRefusal) {
    guard depth < MessageLimits.nesting else { throw .nestedTooDeeply("\(depth + 1) containers") }
  }

  /// Where the first element of an array stands.
  private mutating func startArray(of alignment: Int) throws(MessageRefusal) -> Int {
    try count(4, alignedTo: 4)
    try count(0, alignedTo: alignment)
    return length
  }

  private func checkArray(from start: Int) throws(MessageRefusal) {
    guard length - start <= MessageLimits.arrayLength else { throw .arrayTooLong(length - start) }
  }

  private mutating func count(_ descriptor: UnixFileDescriptor) throws(MessageRefusal) {
    guard descriptor.rawValue >= 0 else { throw .invalidFileDescriptor(descriptor.rawValue) }
    fileDescriptors += 1
    guard fileDescriptors <= MessageLimits.fileDescriptors else { throw .tooManyFileDescriptors(fileDescriptors) }
    try count(4, alignedTo: 4)
  }

  private mutating func count(_ bytes: Int, alignedTo alignment: Int) throws(MessageRefusal) {
    length = (length + alignment - 1) & ~(alignment - 1)
    length += bytes
    guard headerLength + length <= MessageLimits.messageLength else { throw .messageTooLong(headerLength + length) }
  }
}
