import BleperaBluetooth

/// The number of updates that wait for each central (R13). An update waits until the next connection event, and longer
/// where its link carries nothing.
struct TransmitQueue {
  private var waiting: [CentralID: Int] = [:]

  var isEmpty: Bool { waiting.isEmpty }

  /// Whether each of these centrals has fewer than `limit` updates waiting.
  func hasRoom(for centrals: [CentralID], limit: Int) -> Bool {
    centrals.allSatisfy { waiting[$0, default: 0] < limit }
  }

  /// Whether each central has fewer than `limit` updates waiting.
  func hasRoom(limit: Int) -> Bool { waiting.values.allSatisfy { $0 < limit } }

  mutating func add(to centrals: [CentralID]) {
    for central in centrals { waiting[central, default: 0] += 1 }
  }

  /// A connection event: only updates that the links have not carried stay.
  ///
  /// - Parameter uncarried: the number of such updates of a central.
  mutating func drain(uncarried: (CentralID) -> Int) {
    for (central, count) in waiting {
      let rest = min(count, uncarried(central))
      waiting[central] = rest > 0 ? rest : nil
    }
  }
}
