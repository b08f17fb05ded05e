import EventLoop
import Glibc

/// Reads single keys from the terminal, without their echo, until it is stopped. Ctrl-C stays the signal that it is;
/// before Ctrl-Z and Ctrl-\ do what they do, the terminal is put back as it was.
actor KeyReader {
  private nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  private let press: @Sendable (Key) -> Void
  /// The terminal as it was.
  private let former: termios
  private var source: EventSource?
  private var isStopped = false

  private static let suspend: UInt8 = 0x1A
  private static let quit: UInt8 = 0x1C
  /// How often it is looked whether a terminal that belonged to another program is ours again.
  private static let patience = Duration.seconds(1)

  /// Nil where standard input is no terminal of ours.
  init?(loop: EventLoop, press: @escaping @Sendable (Key) -> Void) {
    var settings = termios()
    guard Key.isUsable, unsafe tcgetattr(STDIN_FILENO, &settings) == 0 else { return nil }
    former = settings
    self.loop = loop
    self.press = press
  }

  func start() {
    guard !isStopped else { return }
    guard Key.isUsable else {
      source = loop.schedule(after: Self.patience) { [weak self] in self?.assumeIsolated { $0.start() } }
      return
    }
    var raw = former
    raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
    // _POSIX_VDISABLE: the two are keys that come here first.
    unsafe withUnsafeMutableBytes(of: &raw.c_cc) { characters in
      unsafe characters[Int(VSUSP)] = 0
      unsafe characters[Int(VQUIT)] = 0
    }
    unsafe tcsetattr(STDIN_FILENO, TCSANOW, &raw)
    source = loop.watch(descriptor: STDIN_FILENO, for: .reading) { [weak self] _ in
      self?.assumeIsolated { $0.take() }
    }
  }

  /// Puts the terminal back.
  func stop() {
    isStopped = true
    source = nil
    restore()
  }

  private func restore() {
    guard tcgetpgrp(STDIN_FILENO) == getpgrp() else { return }
    var settings = former
    unsafe tcsetattr(STDIN_FILENO, TCSANOW, &settings)
  }

  private func take() {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = unsafe read(STDIN_FILENO, &bytes, bytes.count)
    if count < 0, errno == EINTR || errno == EAGAIN { return }
    guard count > 0 else {
      // Another program has the terminal, or it is gone.
      source = nil
      source = loop.schedule(after: Self.patience) { [weak self] in self?.assumeIsolated { $0.start() } }
      return
    }
    for byte in bytes[..<count] where !isStopped {
      switch byte {
      case Self.suspend:
        restore()
        raise(SIGTSTP)
        // In front again, or behind.
        source = nil
        start()
      case Self.quit:
        restore()
        raise(SIGQUIT)
      default: if let key = Key(byte) { press(key) }
      }
    }
  }
}
