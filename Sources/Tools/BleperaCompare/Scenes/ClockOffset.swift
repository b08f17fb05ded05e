import BleperaRules

/// The time by which the clock of a capture is ahead of the clock of the scenes.
package struct ClockOffset: Hashable, Sendable {
  /// In nanoseconds.
  package var nanoseconds: Int64
  /// Half of the range of the offsets of all locks and unlocks, in nanoseconds.
  package var error: Int64

  /// Returns nil for more than about a hundred years.
  package init?(seconds: Double) {
    guard abs(seconds) < 3e9 else { return nil }
    (nanoseconds, error) = (Int64(seconds * 1e9), 0)
  }

  private init(_ range: ClosedRange<Int64>) {
    error = (range.upperBound - range.lowerBound) / 2
    nanoseconds = range.lowerBound + error
  }

  /// Finds the offset that maps each lock and unlock of the scenes to the capture's; nil if none fits, or several do.
  package init?(of played: PlayedScenes, in changes: LockChanges) {
    let steps = played.entries.compactMap { entry in
      entry.scene.isLocked.map { LockChanges.Change(time: entry.start, isLocked: $0) }
    }
    guard steps.count >= Self.fewest, let first = steps.first else { return nil }
    var found: [ClockOffset] = []
    for change in changes.all where change.isLocked == first.isLocked {
      let start = change.time - first.time
      let offsets = steps.compactMap { step in
        changes.all.filter { $0.isLocked == step.isLocked }.map { $0.time - step.time }
          .min { abs($0 - start) < abs($1 - start) }.flatMap { abs($0 - start) <= Self.tolerance ? $0 : nil }
      }
      guard offsets.count == steps.count, let low = offsets.min(), let high = offsets.max() else { continue }
      found.append(ClockOffset(low...high))
    }
    guard let best = found.min(by: { $0.error < $1.error }),
      found.allSatisfy({ abs($0.nanoseconds - best.nanoseconds) <= Self.tolerance })
    else { return nil }
    self = best
  }

  /// Three pairs of lock and unlock.
  private static let fewest = 6
  /// The longest time between the user's action and the phone's packet, in nanoseconds.
  private static let tolerance: Int64 = 2_500_000_000
}

/// The times at which a phone was locked and unlocked, by the status of Nearby Info.
package struct LockChanges: Hashable, Sendable {
  package struct Change: Hashable, Sendable {
    let time: Int64
    let isLocked: Bool
  }

  private(set) var all: [Change] = []
  private var statuses = Tally<UInt8>()

  package init() {}

  /// - Parameter status: the first octet of Nearby Info, whose low half is the phone's activity.
  mutating func add(_ status: UInt8, at time: Int64) {
    let isLocked: Bool
    switch status & 0xF {
    case Self.locked: isLocked = true
    case Self.unlocked: isLocked = false
    // Other statuses, such as 7 for a lit screen, do not show whether the phone is locked.
    default: return
    }
    statuses.add(status)
    guard all.last?.isLocked != isLocked else { return }
    if all.count == Self.most { all.removeFirst(Self.most / 2) }
    all.append(Change(time: time, isLocked: isLocked))
  }

  /// The most changes that are kept, more than a week has; the older half is then dropped. Ours.
  private static let most = 1000
  private static let locked: UInt8 = 0x3
  private static let unlocked: UInt8 = 0xB

  /// The most frequent statuses of the locked and of the unlocked phone.
  var measurement: Measurement? {
    let fields = [("locked", Self.locked), ("unlocked", Self.unlocked)].compactMap { name, low in
      statuses.most { $0 & 0xF == low }.map { RuleContent.Field(name, .bytes([$0.value])) }
    }
    return fields.isEmpty ? nil : Measurement("nearbyInfoStatus", .fields(fields), packets: statuses.total)
  }
}
