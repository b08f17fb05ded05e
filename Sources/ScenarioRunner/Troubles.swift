import Synchronization

/// What was to be done to a phone of a story and could not be.
package final class Troubles: Sendable {
  private let all = Mutex<[String]>([])

  package init() {}

  package func add(_ trouble: String) { all.withLock { if !$0.contains(trouble) { $0.append(trouble) } } }

  /// Throws what has come up since the last time.
  func raise() throws(StageFailure) {
    let news = all.withLock { all in
      defer { all = [] }
      return all
    }
    if !news.isEmpty { throw StageFailure(news.joined(separator: "; ")) }
  }
}
