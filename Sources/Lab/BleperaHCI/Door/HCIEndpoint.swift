import Glibc

/// Where a host finds a controller: `tcp:PORT`, `tcp:HOST:PORT`, `unix:PATH` or `pty`; after that `,legacy` for a
/// controller without extended advertising, `,strict` for phones that answer no Pairing Request of its host which
/// promises neither signing nor a link key, and `,dual` for a controller that has BR/EDR too.
package struct HCIEndpoint: Hashable, Sendable {
  package enum Place: Hashable, Sendable {
    /// The host is an IPv4 address; the port 0 is any free one.
    case tcp(host: String, port: UInt16)
    case unix(path: String)
    case pty
  }

  package let place: Place
  package private(set) var isLegacy = false
  package private(set) var isStrict = false
  package private(set) var isDual = false

  private static let loopback = "127.0.0.1"

  /// Nil for any other form.
  package init?(_ text: String) {
    var text = text[...]
    while let word = ["legacy", "strict", "dual"].first(where: { text.hasSuffix(",\($0)") }) {
      text = text.dropLast(word.count + 1)
      switch word {
      case "legacy": isLegacy = true
      case "strict": isStrict = true
      default: isDual = true
      }
    }
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    switch (parts.first, parts.count) {
    case ("pty", 1): place = .pty
    case ("unix", 2) where !parts[1].isEmpty: place = .unix(path: String(parts[1]))
    case ("tcp", 2):
      let words = parts[1].split(separator: ":", omittingEmptySubsequences: false)
      guard let port = words.last.flatMap({ UInt16($0) }), (1...2).contains(words.count) else { return nil }
      let host = words.count == 2 && words[0] != "localhost" ? String(words[0]) : Self.loopback
      var address = in_addr()
      guard unsafe inet_pton(AF_INET, host, &address) == 1 else { return nil }
      place = .tcp(host: host, port: port)
    default: return nil
    }
  }
}
