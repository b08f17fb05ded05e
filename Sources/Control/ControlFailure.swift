/// Why a running system cannot be reached, or a new one cannot be reached under its name. The description is a whole
/// sentence that says what to do.
public enum ControlFailure: Error, Hashable, CustomStringConvertible, Sendable {
  case badName(String)
  /// Others could enter the folder, or it is not ours.
  case unsafeFolder(String, reason: String)
  case pathTooLong(String)
  case runsAlready(name: String)
  /// With the names of those that run.
  case notRunning(name: String, socket: String, others: [String] = [])
  case noAnswer(name: String)
  case system(String, reason: String)

  public var description: String {
    switch self {
    case .badName(let name):
      "'\(name)' is no name for a system; use letters, digits, '-' and '_', at most 32 of them."
    case .unsafeFolder(let path, let reason):
      "\(path) \(reason); remove it, or set XDG_RUNTIME_DIR to a folder of yours."
    case .pathTooLong(let path):
      "\(path) is too long for a socket (107 bytes); set XDG_RUNTIME_DIR to a folder with a shorter path."
    case .runsAlready(let name): "a system named '\(name)' runs already; end it, or use --system with another name."
    case .notRunning(let name, let socket, let others):
      "no system named '\(name)' runs for this user (\(socket)); "
        + (others.isEmpty
          ? "start one with 'blepera serve'."
          : "say --system with one of those that do: \(others.joined(separator: ", ")).")
    case .noAnswer(let name): "the system named '\(name)' does not answer."
    case .system(let path, let reason): "\(path): \(reason)."
    }
  }
}
