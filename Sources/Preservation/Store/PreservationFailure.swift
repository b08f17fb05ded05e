/// Why the preserved state cannot be read or written. The description is a whole sentence that says what to do.
package enum PreservationFailure: Error, Hashable, Sendable {
  case badName(String)
  case noHome
  /// Others could enter the folder, or it is not ours.
  case unsafeFolder(String, reason: String)
  case cannotRead(String, reason: String)
  /// What stood there before does so still.
  case cannotWrite(String, reason: String)
  /// It is written, and might be lost with a loss of power.
  case cannotSync(String, reason: String)
  /// Said where the document is only looked at; `load` sets it aside.
  case damaged(String, Damage)
  case newerVersion(String, Int)
  /// The state contradicts itself and would not be read again.
  case inconsistent(KeyProblem)
}

extension PreservationFailure: CustomStringConvertible {
  package var description: String {
    switch self {
    case .badName(let name):
      "'\(name)' is no name for a system; use letters, digits, '-' and '_', at most 32 of them."
    case .noHome:
      "no folder for the preserved state: set HOME, or XDG_STATE_HOME, to an absolute path."
    case .unsafeFolder(let path, let reason):
      "\(path) \(reason); give it to yourself alone (mode 0700), or set XDG_STATE_HOME to a folder of yours."
    case .cannotRead(let path, let reason):
      "\(path) cannot be read: \(reason); repair or move it, or set XDG_STATE_HOME to another folder."
    case .cannotWrite(let path, let reason):
      """
      \(path) cannot be written: \(reason); what was preserved before stays. Make room or give leave to write, or set \
      XDG_STATE_HOME to another folder.
      """
    case .cannotSync(let path, let reason):
      "\(path) is written but might not outlast a loss of power: \(reason); look at the disk."
    case .damaged(let path, let damage): "\(path) \(damage); the next system sets it aside and starts without it."
    case .newerVersion(let path, let version):
      """
      \(path) is of version \(version), and this blepera knows \(StateDocument.version) at most; use the blepera that \
      wrote it, or move it away and start the apps again.
      """
    case .inconsistent(let problem):
      "the state cannot be preserved: it is wrong at \(problem). This is a fault of blepera."
    }
  }
}
