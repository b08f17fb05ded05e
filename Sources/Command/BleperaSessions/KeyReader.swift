package import BleperaEventLoop
import BleperaLoop
import Glibc

/// Reads single keys from the terminal, without echo, until stopped. Ctrl-C remains a signal; before Ctrl-Z and Ctrl-\
/// take effect, the terminal's settings are restored.
package actor KeyReader {
  private nonisolated let loop: EventLoop
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  private let press: @Sendable (UInt8) -> Void
  /// The terminal's settings before `start`.
  private let former: termios
  private var source: EventSource?
  private var isStopped = false

  private static let suspend: UInt8 = 0x1A
  private static let escape: UInt8 = 0x1B
  private static let quit: UInt8 = 0x1C
  /// The interval of checks whether another program still uses the terminal.
  private static let retryInterval = Duration.seconds(1)

  /// Whether this process has a terminal to read keys from and runs in its foreground.
  package static var isAvailable: Bool {
    isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 && tcgetpgrp(STDIN_FILENO) == getpgrp()
  }

  /// Returns nil if no terminal is available.
  ///
  /// - Parameter press: called with each key, on the loop's thread.
  package init?(loop: EventLoop, press: @escaping @Sendable (UInt8) -> Void) {
    var settings = termios()
    guard Self.isAvailable, unsafe tcgetattr(STDIN_FILENO, &settings) == 0 else { return nil }
    former = settings
    self.loop = loop
    self.press = press
  }

  package func start() {
    guard !isStopped else { return }
    guard Self.isAvailable else {
      source = loop.schedule(after: Self.retryInterval) { [weak self] in self?.assumeIsolated { $0.start() } }
      return
    }
    var raw = former
    raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
    // 0 is _POSIX_VDISABLE: the keys are not signals, and `read` handles them.
    unsafe withUnsafeMutableBytes(of: &raw.c_cc) { characters in
      unsafe characters[Int(VSUSP)] = 0
      unsafe characters[Int(VQUIT)] = 0
    }
    unsafe tcsetattr(STDIN_FILENO, TCSANOW, &raw)
    source = loop.watch(descriptor: STDIN_FILENO, for: .reading) { [weak self] _ in
      self?.assumeIsolated { $0.read() }
    }
  }

  /// Restores the terminal.
  package func stop() {
    isStopped = true
    source = nil
    restore()
  }

  private func restore() {
    guard tcgetpgrp(STDIN_FILENO) == getpgrp() else { return }
    var settings = former
    unsafe tcsetattr(STDIN_FILENO, TCSANOW, &settings)
  }

  private func read() {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = unsafe Glibc.read(STDIN_FILENO, &bytes, bytes.count)
    if count < 0, errno == EINTR || errno == EAGAIN { return }
    guard count > 0 else {
      // Another program uses the terminal, or the terminal is closed.
      source = nil
      source = loop.schedule(after: Self.retryInterval) { [weak self] in self?.assumeIsolated { $0.start() } }
      return
    }
    // An escape begins the sequence of a key without a character, such as an arrow.
    for byte in bytes[..<count].prefix(while: { $0 != Self.escape }) where !isStopped {
      switch byte {
      case Self.suspend:
        restore()
        raise(SIGTSTP)
        // The process was continued, in the foreground or in the background.
        source = nil
        start()
      case Self.quit:
        restore()
        raise(SIGQUIT)
      default: press(byte)
      }
    }
  }
}
