import Glibc

/// Standard input, output and error, which a program may be started without.
enum StandardDescriptors {
  /// Opens those that are closed on /dev/null: otherwise a socket or a file that is opened later takes their number, and
  /// text is written to it.
  static func openAll() {
    while true {
      // The lowest number that is free.
      let descriptor = unsafe open("/dev/null", O_RDWR)
      guard descriptor >= 0 else { return }
      if descriptor > STDERR_FILENO { return _ = close(descriptor) }
    }
  }
}
