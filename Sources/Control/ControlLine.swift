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

  /// Whether the line is an app's first one on its link.
  static func isHello(_ line: some Collection<UInt8>) -> Bool { has("hello", line) }

  /// Whether the line tells an event, and is no answer.
  static func isEvent(_ line: some Collection<UInt8>) -> Bool { has("event", line) }

  private static func has(_ key: String, _ line: some Collection<UInt8>) -> Bool {
    guard let object = try? decode([String: Anything].self, line) else { return false }
    return object[key] != nil
  }

  private struct Anything: Decodable {
    init(from decoder: any Decoder) {}
  }
}
