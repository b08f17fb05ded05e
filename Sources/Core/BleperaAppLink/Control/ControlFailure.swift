/// Why a phone cannot be reached, or its name cannot be used. The description is a whole sentence with advice.
package enum ControlFailure: Error, Hashable, CustomStringConvertible, Sendable {
  case badName(String)
  /// Other users can enter the folder, or own it.
  case unsafeFolder(String, reason: String)
  case pathTooLong(String)
  case alreadyRunning(name: String)
  /// With the names of the running phones.
  case notRunning(name: String, socket: String, others: [String] = [])
  case noResponse(name: String)
  case system(String, reason: String)

  package var description: String {
    switch self {
    case .badName(let name):
      "'\(name)' is not a valid phone name; use letters, digits, '-' and '_', at most 32 characters."
    case .unsafeFolder(let path, let reason):
      "the sockets of phones belong into a folder of your own with mode 0700, but \(path) \(reason); "
        + "set \(ControlAddress.folderVariable) to another folder."
    case .pathTooLong(let path):
      "\(path) is too long for a socket (107 bytes); set \(ControlAddress.folderVariable) to a folder with a shorter path."
    case .alreadyRunning(let name):
      "a phone named '\(name)' is already running; shut it down, choose another name with --system, or without "
        + "--virtual serve on it."
    case .notRunning(let name, let socket, let others):
      "no phone named '\(name)' is running for this user (\(socket)); "
        + (others.isEmpty
          ? "start one with 'blepera serve', or without Bluetooth with 'blepera serve --virtual'."
          : "choose a running one with --system: \(others.joined(separator: ", ")).")
    case .noResponse(let name): "the phone named '\(name)' does not respond."
    case .system(let path, let reason): "\(path): \(reason)."
    }
  }

  /// Whether there was no phone, or it was shutting down.
  package var isOfEndedPhone: Bool {
    switch self {
    case .notRunning, .noResponse: true
    case .badName, .unsafeFolder, .pathTooLong, .alreadyRunning, .system: false
    }
  }
}
