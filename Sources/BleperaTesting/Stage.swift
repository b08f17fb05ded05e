import Story
import Synchronization

/// The airs that a test has made, and what they are to be on.
final class Stage: Sendable {
  @TaskLocal static var current: Stage?

  /// How many of an air's last lines are shown.
  private static let shown = 30

  let radio: Radio
  private let airs = Mutex<[Air]>([])

  init(radio: Radio) { self.radio = radio }

  func add(_ air: Air) { airs.withLock { $0.append(air) } }

  /// What has happened on each air last; empty where nothing has.
  var account: String {
    airs.withLock { airs in
      airs.filter { $0.traceCount > 0 }.map { air in
        let left = air.traceCount - Self.shown
        return ((left > 0 ? ["... \(left) lines before"] : []) + air.trace(last: Self.shown)).joined(separator: "\n")
      }.joined(separator: "\n\n")
    }
  }

  /// Takes everything off the air.
  func close() async {
    for air in airs.withLock({ $0 }) { await air.close() }
  }
}
