import Glibc

/// An output stream and its capabilities.
struct Terminal: Sendable {
  enum Stream: Sendable {
    case output
    case error

    var descriptor: CInt { self == .output ? STDOUT_FILENO : STDERR_FILENO }
  }

  /// ANSI styles, used if the stream shows colors.
  enum Style: String, Sendable {
    case plain = ""
    case dim = "2"
    case bold = "1"
    case red = "31"
    case green = "32"
    case yellow = "33"
    case blue = "34"
    case magenta = "35"
    case cyan = "36"
  }

  let stream: Stream
  let isTerminal: Bool
  let hasColor: Bool
  /// The width of a line.
  let columns: Int

  /// The width of a pipe's lines.
  static let defaultColumns = 100
  /// Wider values of `COLUMNS` are limited to this.
  static let maximumColumns = 1000

  init(_ stream: Stream) {
    let isTerminal = isatty(stream.descriptor) == 1
    self.init(stream, isTerminal: isTerminal, window: isTerminal ? Self.window(stream.descriptor) : nil) { name in
      unsafe getenv(name).map { unsafe String(cString: $0) }
    }
  }

  /// A terminal has color unless `NO_COLOR` is set (no-color.org) or the terminal is dumb; `CLICOLOR_FORCE` enables
  /// color for a pipe too. `COLUMNS` takes precedence over the width of the window.
  init(_ stream: Stream, isTerminal: Bool, window: Int? = nil, environment: (String) -> String?) {
    self.stream = stream
    self.isTerminal = isTerminal
    let isRefused = environment("NO_COLOR").map { !$0.isEmpty } ?? false
    let isForced = environment("CLICOLOR_FORCE").map { !["", "0"].contains($0) } ?? false
    hasColor = !isRefused && (isForced || isTerminal && environment("TERM") != "dumb")
    let wanted = environment("COLUMNS").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
    columns = min(wanted ?? window ?? Self.defaultColumns, Self.maximumColumns)
  }

  /// The width of the terminal's window; nil if unknown.
  private static func window(_ descriptor: CInt) -> Int? {
    var size = winsize()
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  func styled(_ text: String, _ style: Style) -> String {
    hasColor && style != .plain ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }

  /// Writes a line without buffering.
  func print(_ line: String) { write(Array((line + "\n").utf8)) }

  func write(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(stream.descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      // A closed pipe ends the process by SIGPIPE; other errors cannot be reported.
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}
