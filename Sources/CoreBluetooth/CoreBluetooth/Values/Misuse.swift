import Glibc

/// What Core Bluetooth does about a mistake of the app.
enum Misuse {
  /// Ends the process with the text of the exception that Core Bluetooth raises.
  static func end(_ reason: String) -> Never {
    log("*** Terminating app due to uncaught exception 'NSInternalInconsistencyException', reason: '\(reason)'")
    fatalError(reason)
  }

  /// Writes a line to standard error, as the system's log has it.
  static func log(_ line: String) {
    let bytes = Array("[CoreBluetooth] \(line)\n".utf8)
    unsafe bytes.withUnsafeBytes { bytes in _ = unsafe write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
  }
}
