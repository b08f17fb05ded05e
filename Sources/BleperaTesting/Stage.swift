import Synchronization

/// The airs that a test has made.
final class Stage: Sendable {
  @TaskLocal static var current: Stage?

  private let airs = Mutex<[Air]>([])
  /// How many of an air's last lines are shown.
  private static let shown = 30

  func add(_ air: Air) { airs.withLock { $0.append(air) } }

  var account: String {
    airs.withLock { airs in
      airs.map { air in
        let trace = air.trace
        let left = trace.count - Self.shown
        return ((left > 0 ? ["... \(left) lines before"] : []) + trace.suffix(Self.shown)).joined(separator: "\n")
      }.joined(separator: "\n\n")
    }
  }
}
