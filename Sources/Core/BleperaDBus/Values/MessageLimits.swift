/// The limits of a message (D-Bus specification, "Message Format" and "Valid Signatures").
package enum MessageLimits {
  /// 128 MiB for header and body.
  package static let messageLength = 1 << 27
  /// 64 MiB for the elements of one array, without its length field and the padding before the first element.
  package static let arrayLength = 1 << 26
  /// The nesting depth of arrays, structures, dictionary entries and variants, as libdbus-1 counts.
  package static let nesting = 64
  /// The default of libdbus-1 and dbus-daemon (`max_message_unix_fds`); the specification's own limit is 2^25, but a
  /// connection that sends more than the daemon accepts is closed.
  package static let fileDescriptors = 16

  /// Checks a message against all limits and returns the length of its body in bytes, in linear time.
  @discardableResult
  package static func check(_ message: Message) throws(MessageRefusal) -> Int {
    if let name = message.reservedName { throw .reservedName(name) }
    if message.replySerial == 0 { throw .noReplySerial }
    let headerLength = message.headerLength
    guard headerLength <= arrayLength else { throw .arrayTooLong(headerLength) }
    return try check(body: message.body, headerLength: headerLength)
  }

  /// Checks a body that follows a header of `headerLength` bytes including padding; 1,024 bytes suffice for every
  /// header with a path of at most 255 bytes and a signature of at most 100.
  @discardableResult
  package static func check(body: [DBusValue], headerLength: Int = 1024) throws(MessageRefusal) -> Int {
    var signature = SignatureMeter()
    var sum = BodyLength(headerLength: headerLength)
    for value in body { try signature.add(value) }
    for value in body { try sum.add(value) }
    return sum.length
  }
}

/// Why a message is not passed to libdbus-1, which would abort the process or be disconnected.
package struct MessageRefusal: Error, Hashable, Sendable {
  package enum Code: String, Sendable {
    case messageTooLong, arrayTooLong, nestedTooDeeply, signatureTooLong, emptyStructure, keyNotBasic
    case tooManyFileDescriptors, invalidFileDescriptor, reservedName, noReplySerial
  }

  package let code: Code
  /// The fault of the message, as in `65 containers`.
  package let cause: String
  private let limit: String

  static func messageTooLong(_ bytes: Int) -> MessageRefusal {
    .init(
      code: .messageTooLong, cause: "\(bytes) bytes or more",
      limit: "a D-Bus message has at most \(MessageLimits.messageLength) bytes")
  }

  static func arrayTooLong(_ bytes: Int) -> MessageRefusal {
    .init(
      code: .arrayTooLong, cause: "\(bytes) bytes or more in one array",
      limit: "a D-Bus array has at most \(MessageLimits.arrayLength) bytes")
  }

  static func nestedTooDeeply(_ cause: String) -> MessageRefusal {
    .init(
      code: .nestedTooDeeply, cause: cause + " in one another",
      limit: "D-Bus allows 32 arrays, 32 structures and 64 containers with variants in one another")
  }

  static let signatureTooLong = MessageRefusal(
    code: .signatureTooLong, cause: "a signature of more than \(Signature.maximumLength) bytes",
    limit: "a D-Bus signature has at most \(Signature.maximumLength) bytes")

  static let emptyStructure = MessageRefusal(
    code: .emptyStructure, cause: "a structure without fields", limit: "a D-Bus structure has at least one field")

  static let keyNotBasic = MessageRefusal(
    code: .keyNotBasic, cause: "a dictionary whose keys are containers",
    limit: "a D-Bus dictionary has keys of a basic type")

  static let noReplySerial = MessageRefusal(
    code: .noReplySerial, cause: "0 as its reply serial", limit: "an answer names the serial of a call")

  static func tooManyFileDescriptors(_ count: Int) -> MessageRefusal {
    .init(
      code: .tooManyFileDescriptors, cause: "\(count) file descriptors",
      limit: "a D-Bus message carries at most \(MessageLimits.fileDescriptors) of them by default")
  }

  static func invalidFileDescriptor(_ value: CInt) -> MessageRefusal {
    .init(
      code: .invalidFileDescriptor, cause: "\(value) as a file descriptor",
      limit: "a file descriptor is not negative")
  }

  static func reservedName(_ name: String) -> MessageRefusal {
    .init(code: .reservedName, cause: name, limit: "no D-Bus message may carry that name")
  }
}

extension MessageRefusal: CustomStringConvertible {
  package var description: String { "The message was not sent because it has \(cause), and \(limit)." }
}

/// Measures a marshaled body value by value, and refuses as soon as a limit is exceeded (D-Bus specification,
/// "Marshalling (Wire Format)").
struct BodyLength {
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
      try count(4 + text.utf8.prefix { $0 != 0 }.count + 1, alignedTo: 4)
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

  /// Returns the offset of an array's first element.
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
