/// Who speaks, where several do.
struct Speaker: Equatable, Sendable {
  /// `phone` or `central` in JSON; nil where there is no central of ours.
  var side: String?
  /// A phone's name in JSON; nil where it is the only one there can be.
  var phone: String?
  /// What stands before each line; nil for nothing.
  var mark: String?
  var style = Terminal.Style.plain

  /// A phone that is alone.
  static let alone = Speaker()

  /// The two of `serve --virtual`.
  static let phone = Speaker(side: "phone", mark: "blepera", style: .cyan)
  static let central = Speaker(side: "central", mark: "central", style: .magenta)

  /// The colours in which phones are told apart, over and over.
  private static let styles: [Terminal.Style] = [.cyan, .magenta, .green, .yellow, .blue]

  /// Of phones side by side; one that is alone needs no mark.
  static func phones(_ names: [String]) -> [Speaker] {
    let width = names.map(\.count).max() ?? 0
    return names.enumerated().map { number, name in
      guard names.count > 1 else { return Speaker(phone: name) }
      return Speaker(
        phone: name, mark: TextLayout.padded(name, to: width), style: styles[number % styles.count])
    }
  }

  /// The line with the mark before it.
  func line(_ text: String, on terminal: Terminal) -> String {
    mark.map { "\(terminal.styled("\($0) │", style)) \(text)" } ?? text
  }
}
