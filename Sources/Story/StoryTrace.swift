import EventTrace
import Synchronization
import System

/// What has happened in a story. What is noted is cheap; text is made of it where somebody asks for it.
final class StoryTrace: Sendable {
  private enum What: Sendable {
    case event(SystemEvent, app: String?)
    case text(String)
  }

  private struct Entry: Sendable {
    let time: Duration
    let who: String
    let what: What
  }

  private let entries = Mutex<[Entry]>([])

  func note(_ text: String, of who: String, at time: Duration) { add(Entry(time: time, who: who, what: .text(text))) }

  /// - Parameter app: the bundle identifier of the app that it is of; nil where it is the phone's.
  func note(_ event: SystemEvent, of who: String, app: String?, at time: Duration) {
    add(Entry(time: time, who: who, what: .event(event, app: app)))
  }

  private func add(_ entry: Entry) { entries.withLock { $0.append(entry) } }

  /// The last so many of them, or all: the time in seconds, who, and what.
  func lines(_ limit: Int = .max) -> [String] { entries.withLock { $0.suffix(limit) }.map(Self.line) }

  var count: Int { entries.withLock { $0.count } }

  private static func line(_ entry: Entry) -> String {
    let time = entry.time.components
    let milliseconds = "\(1000 + time.attoseconds / 1_000_000_000_000_000)".dropFirst()
    let start = "\(time.seconds).\(milliseconds)  \(entry.who)"
    switch entry.what {
    case .text(let text): return "\(start)  \(text)"
    case .event(let event, let app): return EventLine.text(EventRecord(event, of: app), at: start)
    }
  }
}
