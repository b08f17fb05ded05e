import BleperaBluetooth
import FoundationEssentials

/// The bytes of a state file: one line of JSON with the version and the apps, and one with the checksum (`Seal`).
package enum StateFile {
  package static let version = 6

  /// Equal states give equal bytes; throws where the state is not consistent.
  package static func encode(_ state: PreservedState) throws(InvalidState) -> [UInt8] {
    if let invalid = state.inconsistency { throw invalid }
    return Seal.sealed(
      try json(
        Contents(
          version: version, apps: state.apps, screen: state.screen, identity: state.identity,
          peripherals: state.peripherals)))
  }

  /// Parses nothing before the checksum is verified.
  package static func decode(_ bytes: [UInt8]) throws(StateFileError) -> PreservedState {
    let body: ArraySlice<UInt8>
    let found: Int
    do throws(StateFileCorruption) {
      body = try Seal.opened(bytes)
      found = try read(VersionHeader.self, body).version
    } catch {
      throw .corrupt(error)
    }
    guard found == version else { throw .unknownVersion(found) }
    do throws(StateFileCorruption) {
      let state = try read(Contents.self, body).state
      if let invalid = state.inconsistency { throw .invalid(invalid) }
      return state
    } catch {
      throw .corrupt(error)
    }
  }

  /// Returns the value as one line of JSON with sorted keys and a line feed.
  static func json(_ value: some Encodable) throws(InvalidState) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    do {
      return Array(try encoder.encode(value)) + [UInt8(ascii: "\n")]
    } catch {
      throw InvalidState(path: "the state", problem: "cannot be written: \(error)")
    }
  }

  private static func read<Value: Decodable>(
    _ type: Value.Type, _ body: ArraySlice<UInt8>
  ) throws(StateFileCorruption) -> Value {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    do {
      return try decoder.decode(type, from: Data(body))
    } catch {
      throw StateFileCorruption(error)
    }
  }

  /// The JSON object of the first line.
  struct Contents: Codable {
    let version: Int
    let apps: [PreservedApp]
    var screen: PreservedScreen?
    var identity: PhoneIdentity?
    var peripherals: [PreservedPeripheral]?

    var state: PreservedState {
      PreservedState(apps: apps, screen: screen, identity: identity, peripherals: peripherals)
    }
  }

  /// The version, which is read first, because the other keys of another version are unknown.
  private struct VersionHeader: Decodable {
    let version: Int
  }
}

/// Why a state file cannot be read.
package enum StateFileError: Error, Hashable, Sendable {
  case corrupt(StateFileCorruption)
  case unknownVersion(Int)
}

extension StateFileError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .corrupt(let corruption): "the state file \(corruption); move it away and start the apps again."
    case .unknownVersion(let version): "the state file \(Self.advice(for: version))"
    }
  }

  /// The rest of a sentence that begins with the file.
  static func advice(for version: Int) -> String {
    """
    has version \(version), and this blepera reads version \(StateFile.version); use the blepera that wrote it, or move it \
    away and start the apps again.
    """
  }
}

/// The defect in the contents of a state file.
package enum StateFileCorruption: Error, Hashable, Sendable {
  case empty
  /// The file does not end with its checksum: the rest was not written or was cut off. The length is in bytes.
  case truncated(length: Int)
  /// Bytes changed after the file was written.
  case checksum(written: String, computed: String)
  /// Includes a number that its type cannot hold, because the decoder reports both in the same way.
  case notJSON
  case invalid(InvalidState)
}

extension StateFileCorruption: CustomStringConvertible {
  /// The predicate of the file.
  package var description: String {
    switch self {
    case .empty: "is empty"
    case .truncated(let length):
      "is truncated: it ends after \(Quote.counted(length, "byte")) without its checksum"
    case .checksum(let written, let computed):
      "was changed after it was written: its checksum is \(written), but its contents have the checksum \(computed)"
    case .notJSON: "is not JSON as blepera writes it"
    case .invalid(let invalid): "is not valid: \(invalid)"
    }
  }
}

extension StateFileCorruption {
  init(_ error: any Error) {
    switch error as? DecodingError {
    case .keyNotFound(let key, let context):
      self = .invalid(InvalidState(path: Self.path(context.codingPath + [key]), problem: "is missing"))
    case .valueNotFound(_, let context):
      self = .invalid(InvalidState(path: Self.path(context.codingPath), problem: "is missing"))
    case .typeMismatch(let type, let context):
      self = .invalid(InvalidState(path: Self.path(context.codingPath), problem: "is not of type \(type)"))
    case .dataCorrupted(let context) where !context.codingPath.isEmpty:
      self = .invalid(
        InvalidState(path: Self.path(context.codingPath), problem: "cannot be read: \(context.debugDescription)"))
    default: self = .notJSON
    }
  }

  private static func path(_ keys: [any CodingKey]) -> String {
    let text = keys.reduce(into: "") { text, key in
      if let index = key.intValue {
        text += "[\(index)]"
      } else {
        text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
      }
    }
    return text.isEmpty ? "its root" : text
  }
}
