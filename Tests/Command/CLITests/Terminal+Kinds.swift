@testable import BleperaCLI

extension Terminal {
  static let plain = Terminal(.output, isTerminal: false) { _ in nil }
  static let colored = Terminal(.output, isTerminal: true) { _ in nil }

  static func plain(columns: Int) -> Terminal { Terminal(.output, isTerminal: false, window: columns) { _ in nil } }
}

extension String {
  /// The text without `ESC [ ... m`.
  var withoutColor: String { replacing(#/\u{1B}\[[0-9]*m/#, with: "") }
}
