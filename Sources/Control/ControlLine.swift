import FoundationEssentials

/// Messages as lines of JSON.
enum ControlLine {
  /// In bytes; a longer line is refused.
  static let maximumLength = 1 << 20

  /// With its line feed.
  static func encode(_ message: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Array(try encoder.encode(message)) + [UInt8(ascii: "\n")]
  }

  static func decode<Message: Decodable>(_ type: Message.Type, _ line: some Collection<UInt8>) throws -> Message {
    try JSONDecoder().decode(type, from: Data(line))
  }
}
