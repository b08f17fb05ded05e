import Glibc

/// Where the phone finds its controller: `hci0`, `tcp:HOST:PORT`, `unix:PATH` or `serial:PATH[,BAUD]`.
package enum ControllerPlace: Hashable, Sendable, CustomStringConvertible {
  /// The adapter hciN of the kernel, by its user channel.
  case kernel(UInt16)
  /// The host is a name, or an address without brackets.
  case tcp(host: String, port: UInt16)
  case unix(path: String)
  /// A line with RTS and CTS. The rate, in bits a second, has no meaning for a device of USB (CDC ACM).
  case serial(path: String, rate: UInt32)

  /// Why a text names no controller; a sentence.
  package struct Invalid: Error, Hashable, CustomStringConvertible {
    package let description: String
  }

  /// The rate of Zephyr's `hci_uart`.
  package static let usualRate: UInt32 = 1_000_000
  private static let longestPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  package init(_ text: String) throws(Invalid) {
    if text.hasPrefix("hci"), let number = Self.number(text.dropFirst(3), as: UInt16.self), number != .max {
      self = .kernel(number)
      return
    }
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    switch (parts[0], parts.count) {
    case ("tcp", 2): self = try Self.tcp(parts[1], of: text)
    case ("unix", 2):
      guard !parts[1].isEmpty, parts[1].utf8.count <= Self.longestPath else {
        throw Invalid(description: "'\(text)' has no path of 1 to \(Self.longestPath) bytes, as in unix:/run/hci.")
      }
      self = .unix(path: parts[1])
    case ("serial", 2):
      let words = parts[1].split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
      let rate = words.count == 2 ? Self.number(words[1], as: UInt32.self) : Self.usualRate
      guard !words[0].isEmpty, let rate, rate > 0 else {
        throw Invalid(
          description: "'\(text)' is not serial:PATH or serial:PATH,BAUD, as in serial:/dev/ttyACM0,115200.")
      }
      self = .serial(path: String(words[0]), rate: rate)
    default:
      throw Invalid(
        description: "'\(text)' is not a controller: use hci0, tcp:HOST:PORT, unix:PATH or serial:PATH[,BAUD].")
    }
  }

  private static func tcp(_ rest: String, of text: String) throws(Invalid) -> Self {
    let place = rest.lastIndex(of: ":") ?? rest.startIndex
    guard let port = number(rest[place...].dropFirst(), as: UInt16.self), port > 0 else {
      throw Invalid(description: "'\(text)' has no port from 1 to 65535 at its end, as in tcp:127.0.0.1:6402.")
    }
    var host = rest[..<place]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      throw Invalid(description: "'\(text)': put the IPv6 address in brackets, as in tcp:[::1]:6402.")
    }
    guard !host.isEmpty else {
      throw Invalid(description: "'\(text)' has no host before the port, as in tcp:localhost:6402.")
    }
    return .tcp(host: String(host), port: port)
  }

  /// A number of digits alone; integers parse a sign, too.
  private static func number<Number: FixedWidthInteger>(_ text: Substring, as: Number.Type) -> Number? {
    text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Number(text) : nil
  }

  package var description: String {
    switch self {
    case .kernel(let number): "hci\(number)"
    case .tcp(let host, let port): host.contains(":") ? "tcp:[\(host)]:\(port)" : "tcp:\(host):\(port)"
    case .unix(let path): "unix:\(path)"
    case .serial(let path, Self.usualRate): "serial:\(path)"
    case .serial(let path, let rate): "serial:\(path),\(rate)"
    }
  }

  /// Whether each read and each write is exactly one packet.
  package var isPacketed: Bool {
    if case .kernel = self { true } else { false }
  }

  /// The effects on other programs where the phone takes the controller, a sentence that is printed before; nil where
  /// nobody else can have the controller.
  package var effects: String? {
    guard isPacketed else { return nil }
    return "bluetoothd loses \(self) until the phone ends: links and advertisements of other programs end, their GATT "
      + "applications get no call, and nothing of theirs is restored; after that bluetoothd powers \(self) on "
      + "(AutoEnable)."
  }
}
