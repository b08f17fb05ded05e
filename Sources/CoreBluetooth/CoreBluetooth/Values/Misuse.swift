import Glibc

/// Core Bluetooth's reactions to a mistake of the app: an exception or a line in the log.
enum Misuse {
  /// Ends the process with the text of the exception that Core Bluetooth raises.
  static func end(_ reason: String) -> Never {
    log("*** Terminating app due to uncaught exception 'NSInternalInconsistencyException', reason: '\(reason)'")
    fatalError(reason)
  }

  /// Writes a line to standard error, in the form of the system's log.
  static func log(_ line: String) {
    let bytes = Array("[CoreBluetooth] \(line)\n".utf8)
    unsafe bytes.withUnsafeBytes { bytes in _ = unsafe write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
  }
}
