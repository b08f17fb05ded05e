/// A text that a peer controls, such as an advertised name, a Device Name or a User Description.
package struct PeerText: Sendable, CustomStringConvertible {
  package let description: String
  package let bytes: [UInt8]
  /// The name of an advertisement with these bytes; nil for none.
  package let advertised: String?
  /// The name with these bytes as the Device Name.
  package let name: String

  private init(_ description: String, _ bytes: [UInt8], advertised: String?, name: String) {
    (self.description, self.bytes, self.advertised, self.name) = (description, bytes, advertised, name)
  }

  private init(_ description: String, _ text: String, name: String? = nil) {
    self.init(description, Array(text.utf8), advertised: name ?? text, name: name ?? text)
  }

  package static let all = [
    PeerText("a zero byte", "A\0B", name: "A"),
    PeerText("zero bytes alone", "\0\0", name: ""),
    PeerText("a byte that is not UTF-8", [0x41, 0xFF, 0x42], advertised: nil, name: "A\u{FFFD}B"),
    PeerText("a character without its end", [0x41, 0xC3], advertised: nil, name: "A\u{FFFD}"),
    PeerText("248 bytes", String(repeating: "\u{E9}", count: 124)),
    // A title for the terminal's window, in both forms of the escape sequence (ECMA-48), and a forged line.
    PeerText("escapes", "\u{1B}]0;pwn\u{7}\u{9D}0;pwn\u{9C}\rpwn\u{7F}\npwn"),
    PeerText("markup", "</script><b>&amp;\"\\'"),
    PeerText("characters of other planes", "\u{1F980}\u{FFFF}\u{202E}e\u{301}"),
  ]
}
