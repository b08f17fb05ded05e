import FoundationEssentials

/// Values as JSON objects, one on a line.
package enum JSONLine {
  /// In bytes, with the line feed; a longer line is refused. A characteristic's value has 2 KiB at most.
  package static let maximumLength = 4 << 20

  /// The object without a line feed, its keys in alphabetical order.
  package static func text(_ value: some Encodable) -> String { String(decoding: data(value), as: UTF8.self) }

  package static func text(_ value: some JSONLineWritable) -> String {
    var writer = JSONObjectWriter()
    value.write(to: &writer)
    return String(decoding: writer.finish(), as: UTF8.self)
  }

  /// The object and a line feed.
  package static func encode(_ value: some JSONLineWritable) -> [UInt8] {
    var writer = JSONObjectWriter()
    value.write(to: &writer)
    writer.endLine()
    return writer.finish()
  }

  package static func decode<Value: JSONLineReadable>(_ type: Value.Type, _ line: [UInt8]) throws(Fault) -> Value {
    var reader = JSONObjectReader(line)
    let value = try Value(reading: &reader)
    try reader.finish()
    return value
  }

  static func data(_ value: some Encodable) -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Encoding fails for infinite numbers only, which no message has.
    return (try? encoder.encode(value)) ?? Data("{}".utf8)
  }

  package static func decode<Value: Decodable>(
    _ type: Value.Type, _ line: some Collection<UInt8>
  ) throws(Fault) -> Value {
    do {
      return try JSONDecoder().decode(type, from: Data(line))
    } catch let error as DecodingError {
      throw Fault(error)
    } catch {
      throw Fault("\(error)")
    }
  }

  /// Why a line cannot be decoded.
  package struct Fault: Error, Hashable {
    /// Where in the line, such as `.removeService.id`.
    private let path: String
    private let problem: String

    init(_ problem: String, at path: String = "") { (self.path, self.problem) = (path, problem) }

    package var reason: String { path.isEmpty ? problem : "\(path.drop { $0 == "." }): \(problem)" }

    func within(_ part: String) -> Fault { Fault(problem, at: part + path) }

    static let invalid = Fault("The given data was not valid JSON.")
    static let notOneCase = Fault("Invalid number of keys found, expected one.")
  }
}

extension JSONLine.Fault {
  fileprivate init(_ error: DecodingError) {
    switch error {
    case .dataCorrupted(let context), .typeMismatch(_, let context), .valueNotFound(_, let context),
      .keyNotFound(_, let context):
      let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
      self.init(context.debugDescription, at: path)
    @unknown default: self.init("\(error)")
    }
  }
}
