import BleperaAppLink
import BleperaPhone
import BleperaRecording
import Synchronization

/// The events of a story. Adding an entry is cheap; its text is formatted when read.
final class StoryTrace: Sendable {
  private enum Content: Sendable {
    case event(PhoneEvent, app: String?)
    case text(String)
  }

  private struct Entry: Sendable {
    let time: Duration
    let who: String
    let content: Content
  }

  private let entries = Mutex<[Entry]>([])

  func add(_ text: String, of who: String, at time: Duration) {
    add(Entry(time: time, who: who, content: .text(text)))
  }

  /// - Parameter app: The bundle identifier of the event's app; nil for events of the phone itself.
  func add(_ event: PhoneEvent, of who: String, app: String?, at time: Duration) {
    add(Entry(time: time, who: who, content: .event(event, app: app)))
  }

  private func add(_ entry: Entry) { entries.withLock { $0.append(entry) } }

  /// The last entries, or all, as lines: the time in seconds, the device and the event.
  func lines(last limit: Int = .max) -> [String] { entries.withLock { $0.suffix(limit) }.map(Self.line) }

  var count: Int { entries.withLock { $0.count } }

  /// The width of the longest label.
  private static let labelWidth = 14

  private static func line(_ entry: Entry) -> String {
    let start = "\(entry.time.inSeconds)  \(entry.who)"
    switch entry.content {
    case .text(let text): return "\(start)  \(text)"
    case .event(let event, let app):
      let text = EventText(EventRecord(event, of: app), at: Timestamp(sinceEpoch: entry.time))
      let label = "\(start)  \(text.label)"
      guard !text.details.isEmpty else { return label }
      return label + String(repeating: " ", count: max(0, labelWidth - text.label.utf8.count) + 2) + text.details
    }
  }
}

extension Duration {
  /// In seconds, with three decimals.
  package var inSeconds: String {
    let milliseconds = components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    return "\(milliseconds / 1000).\("\(1000 + milliseconds % 1000)".dropFirst())"
  }
}
