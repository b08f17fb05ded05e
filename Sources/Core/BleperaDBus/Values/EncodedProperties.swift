/// The `a{sv}` of a received message with values of basic types, as bytes: mostly the options of a call, few of which
/// are read.
struct EncodedProperties: Sendable {
  /// The message.
  private let bytes: [UInt8]
  private let start: Int32
  private let end: Int32

  /// Nil where a value is a container, a signature or a file descriptor.
  init?(_ bytes: [UInt8], _ range: Range<Int>) {
    var reader = MessageReader(bytes, at: range.lowerBound)
    while reader.position < range.upperBound {
      guard reader.entry() != nil else { return nil }
    }
    self.bytes = bytes
    (start, end) = (Int32(range.lowerBound), Int32(range.upperBound))
  }

  /// The value in the last variant of that name.
  subscript(name: String) -> DBusValue? {
    var reader = MessageReader(bytes, at: Int(start))
    var found: (key: Range<Int>, type: Int, value: Int)?
    while reader.position < Int(end), let entry = reader.entry() {
      if isKey(entry.key, name) { found = entry }
    }
    guard let found else { return nil }
    return decode(found.type, found.value)
  }

  private func isKey(_ key: Range<Int>, _ name: String) -> Bool {
    let name = name.utf8Span.span
    guard key.count == name.count else { return false }
    for offset in name.indices where bytes[key.lowerBound + offset] != name[offset] { return false }
    return true
  }

  var entries: [DBusDictionary.Entry] {
    var reader = MessageReader(bytes, at: Int(start))
    var entries: [DBusDictionary.Entry] = []
    while reader.position < Int(end), let entry = reader.entry(), let value = decode(entry.type, entry.value) {
      entries.append((.string(String(decoding: bytes[entry.key], as: UTF8.self)), .variant(value)))
    }
    return entries
  }

  private func decode(_ type: Int, _ place: Int) -> DBusValue? {
    var (reader, type) = (MessageReader(bytes, at: place), type)
    return try? reader.value(&type)
  }
}
