import FoundationEssentials

/// Messages as lines: a JSON object each.
package enum LinkLine {
  /// In bytes, with the line feed; a longer line is refused. A characteristic's value takes 2 KiB at most.
  package static let maximumLength = 4 << 20

  /// With its line feed.
  static func encode(_ message: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Nothing in a message can fail to be written: no number in it is infinite but one that a test would make.
    let data = (try? encoder.encode(message)) ?? Data()
    return Array(data) + [UInt8(ascii: "\n")]
  }

  static func decode<Message: Decodable>(_ type: Message.Type, _ line: some Collection<UInt8>) throws(Fault) -> Message
  {
    do {
      return try JSONDecoder().decode(type, from: Data(line))
    } catch let error as DecodingError {
      throw Fault(error)
    } catch {
      throw Fault(reason: "\(error)")
    }
  }

  /// Why a line is no message.
  struct Fault: Error, Hashable {
    let reason: String
  }
}

extension LinkLine.Fault {
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
