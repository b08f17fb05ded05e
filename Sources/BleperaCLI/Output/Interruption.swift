import Glibc

/// How commands end that repeat until Ctrl-C.
enum Interruption {
  /// Ends the process with success at SIGINT.
  static func succeeds() { signal(SIGINT) { _ in _exit(0) } }
}
