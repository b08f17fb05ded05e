import EventLoop
import Glibc
import Synchronization

/// Reads single keys from the terminal, without their echo, until it is stopped; Ctrl-C and Ctrl-Z stay what they are.
final class KeyReader: Sendable {
  /// The terminal as it was, to be put back; nil once it has been.
  private let former: Mutex<termios?>
  private let source: EventSource

  /// Nil where standard input is no terminal of ours.
  init?(loop: EventLoop, press: @escaping @Sendable (Key) -> Void) {
    var settings = termios()
    guard Key.isUsable, unsafe tcgetattr(STDIN_FILENO, &settings) == 0 else { return nil }
    former = Mutex(settings)
    Self.apply(settings)
    source = loop.watch(descriptor: STDIN_FILENO, for: .reading) { _ in
      var bytes = [UInt8](repeating: 0, count: 64)
      let count = unsafe read(STDIN_FILENO, &bytes, bytes.count)
      guard count > 0 else { return }
      for byte in bytes[..<count] {
        if let key = Key(byte) { press(key) }
      }
    }
  }

  func stop() {
    source.cancel()
    former.withLock { settings in
      guard var old = settings else { return }
      unsafe tcsetattr(STDIN_FILENO, TCSANOW, &old)
      settings = nil
    }
  }

  private static func apply(_ settings: termios) {
    var raw = settings
    raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
    unsafe tcsetattr(STDIN_FILENO, TCSANOW, &raw)
  }
}
