import FoundationEssentials

/// Values as JSON objects, one on a line.
package enum JSONLine {
  /// In bytes, with the line feed; a longer line is refused. A characteristic's value has 2 KiB at most.
  package static let maximumLength = 4 << 20

  /// The object without a line feed, its keys in alphabetical order.
  package static func text(_ value: some Encodable) -> String { String(decoding: data(value), as: UTF8.self) }

  /// The object and a line feed.
  package static func encode(_ value: some Encodable) -> [UInt8] { Array(data(value)) + [UInt8(ascii: "\n")] }

  package static func text(_ value: some JSONLineWritable) -> String {
    written(value).map { String(decoding: $0, as: UTF8.self) } ?? String(decoding: data(value), as: UTF8.self)
  }

  package static func encode(_ value: some JSONLineWritable) -> [UInt8] {
    (written(value) ?? Array(data(value))) + [UInt8(ascii: "\n")]
  }

  /// The object without a line feed; nil where the value needs `Codable`.
  private static func written(_ value: some JSONLineWritable) -> [UInt8]? {
    var writer = JSONObjectWriter()
    return value.write(to: &writer) ? writer.bytes : nil
  }

  package static func decode<Value: JSONLineReadable>(_ type: Value.Type, _ line: [UInt8]) throws(Fault) -> Value {
    var reader = JSONObjectReader(line)
    if let value = Value(reading: &reader), reader.isAtEnd { return value }
    return try decodeAny(type, line)
  }

  private static func data(_ value: some Encodable) -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Encoding fails for infinite numbers only, which no message has.
    return (try? encoder.encode(value)) ?? Data("{}".utf8)
  }

  package static func decode<Value: Decodable>(
    _ type: Value.Type, _ line: some Collection<UInt8>
  ) throws(Fault) -> Value {
    try decodeAny(type, line)
  }

  private static func decodeAny<Value: Decodable>(
    _ type: Value.Type, _ line: some Collection<UInt8>
  ) throws(Fault) -> Value {
    do {
      return try JSONDecoder().decode(type, from: Data(line))
    } catch let error as DecodingError {
      throw Fault(error)
    } catch {
      throw Fault(reason: "\(error)")
    }
  }

  /// Whether the line is an object that has the key.
  static func has(_ key: String, _ line: some Collection<UInt8>) -> Bool {
    guard let object = try? decode([String: Anything].self, line) else { return false }
    return object[key] != nil
  }

  private struct Anything: Decodable {
    init(from decoder: any Decoder) {}
  }

  /// Why a line cannot be decoded.
  package struct Fault: Error, Hashable {
    package let reason: String
  }
}

extension JSONLine.Fault {
  fileprivate init(_ error: DecodingError) {
    func text(_ context: DecodingError.Context) -> String {
      let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
      let place = path.isEmpty ? "" : "\(path.drop { $0 == "." }): "
      return place + context.debugDescription
    }
    switch error {
    case .dataCorrupted(let context), .typeMismatch(_, let context), .valueNotFound(_, let context):
      self.init(reason: text(context))
    case .keyNotFound(_, let context): self.init(reason: text(context))
    @unknown default: self.init(reason: "\(error)")
    }
  }
}
