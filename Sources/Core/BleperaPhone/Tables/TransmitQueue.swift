import BleperaBluetooth

/// The number of updates that wait for each central (R13). An update waits until the next connection event, and longer
/// where its link carries nothing.
struct TransmitQueue {
  /// The number of updates that wait for each central, without `latestCount`.
  private var waiting: [CentralID: Int] = [:]
  /// The latest updates that are for the same centrals, which often are many.
  private var latest: [CentralID] = []
  private var latestCount = 0
  /// The largest number in `waiting` among the centrals of `latest`.
  private var mostBeforeLatest = 0

  var isEmpty: Bool { waiting.isEmpty && latestCount == 0 }

  /// Whether each of these centrals has fewer than `limit` updates waiting.
  mutating func hasRoom(for centrals: [CentralID], limit: Int) -> Bool {
    if centrals == latest, !latest.isEmpty { return mostBeforeLatest + latestCount < limit }
    settle()
    return most(of: centrals) < limit
  }

  /// Whether each central has fewer than `limit` updates waiting.
  mutating func hasRoom(limit: Int) -> Bool {
    settle()
    return waiting.values.allSatisfy { $0 < limit }
  }

  mutating func add(to centrals: [CentralID]) {
    guard !centrals.isEmpty else { return }
    if centrals != latest {
      settle()
      (latest, mostBeforeLatest) = (centrals, most(of: centrals))
    }
    latestCount += 1
  }

  private func most(of centrals: [CentralID]) -> Int { centrals.lazy.map { waiting[$0, default: 0] }.max() ?? 0 }

  /// Counts the latest updates for each of their centrals.
  private mutating func settle() {
    if latestCount > 0 {
      for central in latest { waiting[central, default: 0] += latestCount }
    }
    (latest, latestCount, mostBeforeLatest) = ([], 0, 0)
  }

  /// A connection event: only updates that the links have not carried stay.
  ///
  /// - Parameter uncarried: the number of such updates of a central.
  mutating func drain(uncarried: (CentralID) -> Int) {
    settle()
    for (central, count) in waiting {
      let rest = min(count, uncarried(central))
      waiting[central] = rest > 0 ? rest : nil
    }
  }
}
