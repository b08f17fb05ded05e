import Glibc

/// Where lines go, and whether somebody sees colours there.
struct Terminal: Sendable {
  enum Stream: Sendable {
    case output
    case error

    var descriptor: CInt { self == .output ? STDOUT_FILENO : STDERR_FILENO }
  }

  /// ANSI colours, for streams that show them.
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
  let hasColour: Bool
  /// How many characters a line may have.
  let columns: Int

  /// Of a pipe.
  static let defaultColumns = 100
  /// What is beyond is no terminal's, and would cost memory for nothing.
  static let maximumColumns = 1000

  init(_ stream: Stream) {
    let isTerminal = isatty(stream.descriptor) == 1
    self.init(stream, isTerminal: isTerminal, window: isTerminal ? Self.window(stream.descriptor) : nil) { name in
      unsafe getenv(name).map { unsafe String(cString: $0) }
    }
  }

  /// Colour on a terminal unless `NO_COLOR` is set (no-color.org) or the terminal is dumb; `CLICOLOR_FORCE` gives it
  /// to a pipe too. `COLUMNS` comes before the width of the window.
  init(_ stream: Stream, isTerminal: Bool, window: Int? = nil, environment: (String) -> String?) {
    self.stream = stream
    self.isTerminal = isTerminal
    let isRefused = environment("NO_COLOR").map { !$0.isEmpty } ?? false
    let isForced = environment("CLICOLOR_FORCE").map { !["", "0"].contains($0) } ?? false
    hasColour = !isRefused && (isForced || isTerminal && environment("TERM") != "dumb")
    let wanted = environment("COLUMNS").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
    columns = min(wanted ?? window ?? Self.defaultColumns, Self.maximumColumns)
  }

  /// Nil where the terminal does not know.
  private static func window(_ descriptor: CInt) -> Int? {
    var size = winsize()
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  func styled(_ text: String, _ style: Style) -> String {
    hasColour && style != .plain ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }

  /// Writes a line at once, so that a reader at the other end of a pipe sees it when it happens.
  func print(_ line: String) {
    var rest = Array((line + "\n").utf8)[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe write(stream.descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      // A reader that has gone ends us by SIGPIPE; anything else there is nobody left to tell.
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}
