/// What is wrong with a document of the preserved state.
package enum Damage: Error, Hashable, Sendable {
  case empty
  /// It does not end with its checksum: the rest was not written, or was cut off. The length is in bytes.
  case unsealed(length: Int)
  /// Bytes changed since it was written.
  case checksum(written: String, computed: String)
  case notPropertyList
  /// What stands at a key is not what belongs there.
  case key(KeyProblem)
}

extension Damage: CustomStringConvertible {
  /// What follows "the file ".
  package var description: String {
    switch self {
    case .empty: "is empty"
    case .unsealed(let length):
      "is cut short: it ends after \(length) byte\(length == 1 ? "" : "s") without its checksum"
    case .checksum(let written, let computed):
      "was changed since it was written: its checksum is \(written), that of what stands there is \(computed)"
    case .notPropertyList: "is not a property list as blepera writes them"
    case .key(let problem): "is wrong at \(problem)"
    }
  }
}
