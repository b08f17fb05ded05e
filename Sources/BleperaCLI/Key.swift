import Control
import Glibc

/// A key of `serve`'s own terminal.
enum Key: Hashable, Sendable {
  case command(ControlRequest.Command)
  /// The screen, off or on again.
  case screen
  /// The central of `serve --virtual` connects.
  case visit
  case quit
  case help

  init?(_ byte: UInt8) {
    guard let entry = Self.table.first(where: { $0.key == byte }) else { return nil }
    self = entry.means
  }

  /// What `?` shows.
  ///
  /// - Parameter hasCentral: whether there is a central of ours.
  static func list(hasCentral: Bool) -> [String] {
    table.filter { hasCentral || $0.means != .visit }.map { entry in
      "  \(Character(UnicodeScalar(entry.key)))  \(entry.text)"
    } + ["  Ctrl-C ends it too."]
  }

  private static let table: [(key: UInt8, means: Key, text: String)] = [
    (UInt8(ascii: "f"), .command(.foreground), "bring the apps to the foreground"),
    (UInt8(ascii: "b"), .command(.background), "leave them: they go into the background"),
    (UInt8(ascii: "s"), .command(.suspend), "suspend them"),
    (UInt8(ascii: "l"), .screen, "switch the screen off, and on again"),
    (UInt8(ascii: "c"), .visit, "let the central connect now"),
    (UInt8(ascii: "q"), .quit, "quit"),
    (UInt8(ascii: "?"), .help, "list the keys"),
  ]

  /// Whether there is a terminal to press them on, and it is ours.
  static var isUsable: Bool {
    isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 && tcgetpgrp(STDIN_FILENO) == getpgrp()
  }
}
