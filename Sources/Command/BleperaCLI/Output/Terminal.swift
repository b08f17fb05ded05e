import Glibc
import Synchronization

/// An output stream and its capabilities.
package struct Terminal: Sendable {
  package enum Stream: Sendable {
    case output
    case error

    var descriptor: CInt { self == .output ? STDOUT_FILENO : STDERR_FILENO }

    /// Whether the stream is /dev/null, which nobody reads.
    var isDiscarded: Bool {
      var (output, null) = (stat(), stat())
      return unsafe fstat(descriptor, &output) == 0 && stat("/dev/null", &null) == 0
        && output.st_mode & S_IFMT == S_IFCHR && output.st_rdev == null.st_rdev
    }
  }

  /// ANSI styles, used if the stream shows colors.
  package enum Style: String, Sendable {
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
  package let isTerminal: Bool
  let hasColor: Bool
  /// The width of a line.
  package let columns: Int
  /// Whether lines are drawn with ASCII alone, because the locale's encoding is not UTF-8.
  let isASCII: Bool

  /// The width of a pipe's lines.
  static let defaultColumns = 100
  /// The limit for values of `COLUMNS`.
  static let maximumColumns = 1000

  /// The value of `--color`.
  enum Color: String {
    case auto, always, never

    /// The value that replaces an environment variable; nil for none.
    fileprivate func value(of name: String) -> String? {
      switch (self, name) {
      case (.always, "NO_COLOR"): ""
      case (.always, "CLICOLOR_FORCE"), (.never, "NO_COLOR"): "1"
      default: nil
      }
    }
  }

  static let color = Mutex(Color.auto)

  package init(_ stream: Stream) {
    let color = Self.color.withLock { $0 }
    let isTerminal = isatty(stream.descriptor) == 1
    self.init(stream, isTerminal: isTerminal, window: isTerminal ? Self.window(stream.descriptor) : nil) { name in
      unsafe color.value(of: name) ?? getenv(name).map { unsafe String(cString: $0) }
    }
  }

  /// A terminal has color unless `NO_COLOR` is set (no-color.org) or the terminal is dumb; `CLICOLOR_FORCE` enables
  /// color for a pipe too. `COLUMNS` takes precedence over the width of the window. Without a locale, the encoding is
  /// assumed to be UTF-8.
  init(_ stream: Stream, isTerminal: Bool, window: Int? = nil, environment: (String) -> String?) {
    self.stream = stream
    self.isTerminal = isTerminal
    let isRefused = environment("NO_COLOR").map { !$0.isEmpty } ?? false
    let isForced = environment("CLICOLOR_FORCE").map { !["", "0"].contains($0) } ?? false
    hasColor = !isRefused && (isForced || isTerminal && environment("TERM") != "dumb")
    let wanted = environment("COLUMNS").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap(environment).first { !$0.isEmpty }
    isASCII = locale.map { name in !["utf-8", "utf8"].contains { name.lowercased().contains($0) } } ?? false
    columns = min(wanted ?? window ?? Self.defaultColumns, Self.maximumColumns)
  }

  /// The width of the terminal's window; nil if unknown.
  private static func window(_ descriptor: CInt) -> Int? {
    size(descriptor).flatMap { $0.ws_col > 0 ? Int($0.ws_col) : nil }
  }

  /// The height of the terminal's window; nil if unknown.
  var rows: Int? { Self.size(stream.descriptor).flatMap { $0.ws_row > 0 ? Int($0.ws_row) : nil } }

  private static func size(_ descriptor: CInt) -> winsize? {
    var size = winsize()
    return unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 ? size : nil
  }

  package func styled(_ text: String, _ style: Style) -> String {
    hasColor && style != .plain ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }

  /// A line, a dot or an ellipsis in the characters that the terminal shows.
  package func drawn(_ text: String) -> String {
    guard isASCII else { return text }
    return text.reduce(into: "") { $0 += Self.ascii[$1] ?? String($1) }
  }

  private static let ascii: [Character: String] = ["│": "|", "─": "-", "┼": "+", "·": ".", "…": "...", "°": "deg "]

  /// Writes a line, escaped.
  package func print(_ line: String) { print([line]) }

  /// Writes lines together, escaped.
  ///
  /// - Parameter count: the number of events in the lines; nil if each line is one.
  package func print(_ lines: [String], as count: Int? = nil) {
    var bytes: [UInt8] = []
    for line in lines {
      append(line, to: &bytes)
      bytes.append(UInt8(ascii: "\n"))
    }
    write(bytes, count: count ?? lines.count)
  }

  /// Writes the lines of a text that ends with a line feed, escaped.
  package func print(text: String) {
    print(text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init))
  }

  /// - Parameter count: the number of lines that count as omitted if the bytes are dropped.
  package func write(_ bytes: [UInt8], count: Int = 1) { OutputQueues.write(bytes, count, to: stream) }
}
