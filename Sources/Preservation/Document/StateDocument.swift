import FoundationEssentials

/// The preserved state as bytes: an XML property list with its version, and a last line that seals it.
package enum StateDocument {
  package static let version = 2

  /// The same bytes for the same state; throws where the state contradicts itself.
  package static func encode(_ state: PreservedState) throws(KeyProblem) -> [UInt8] {
    if let problem = state.problem { throw problem }
    do {
      return Seal.sealed(try propertyList(StateRoot(version: version, state: state)))
    } catch {
      throw KeyProblem(path: "its root", problem: "cannot be written: \(error)")
    }
  }

  /// Parses nothing before the checksum is right.
  package static func decode(_ bytes: [UInt8]) throws(StateDocumentError) -> PreservedState {
    let document: Data
    let found: Int
    do throws(Damage) {
      let body = try Seal.opened(bytes)
      try Markup.check(body)
      document = Data(body)
      found = try read(VersionAlone.self, document).version
    } catch {
      throw .damaged(error)
    }
    guard found <= version else { throw .newerVersion(found) }
    do throws(Damage) {
      let state = try read(StateRoot.self, try StateMigration.current(document, from: found)).state
      if let problem = state.problem { throw .key(problem) }
      return state
    } catch {
      throw .damaged(error)
    }
  }

  static func propertyList(_ value: some Encodable) throws -> [UInt8] {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .xml
    return Array(try encoder.encode(value))
  }

  static func read<Value: Decodable>(_ type: Value.Type, _ document: Data) throws(Damage) -> Value {
    do {
      return try PropertyListDecoder().decode(type, from: document)
    } catch let error as DecodingError {
      if case .dataCorrupted(let context) = error, context.codingPath.isEmpty { throw .notPropertyList }
      throw .key(KeyProblem(error))
    } catch {
      throw .notPropertyList
    }
  }
}
