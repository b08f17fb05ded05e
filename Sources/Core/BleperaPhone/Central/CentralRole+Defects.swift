import BleperaAppLink
import BleperaBluetooth
import BleperaRules

/// The defects of a phone that show in its central role.
extension CentralRole {
  /// The room for writes without response where `canSendWriteWithoutResponse` is defective (kable issue 1185).
  private static let defectivePlaces = 1
  /// In seconds (omi issue 11307).
  private static let gaps = 4...7335

  mutating func setDefects(_ defects: Set<PhoneDefect>, at now: Duration) {
    rules.defects = defects
    for id in uses.keys.sorted() {
      for use in uses[id] ?? [] where use.isConnected {
        if let shown = description(of: id, for: use.user) {
          deliver(.peripheral(id, .didUpdate(shown)), to: use.user, .callback)
        }
        guard let count = unreported[id]?[use.user], !defects.contains(.writeStall) else { continue }
        deliver(.peripheral(id, .didSendWritesWithoutResponse(count)), to: use.user, .callback)
      }
    }
    if !defects.contains(.writeStall) { unreported = [:] }
    settle(at: now)
  }

  /// The peripheral as a connected app has it, with the room for writes without response.
  func description(of id: PeripheralID, for user: CentralUser) -> PeripheralDescription? {
    guard var description = description(of: id) else { return nil }
    if !rules.defects.isDisjoint(with: [.silentReady, .writeStall]) { description.writePlaces = Self.defectivePlaces }
    let isReady = uses[id]?.first { $0.user == user }?.readiness == nil
    description.canSendWriteWithoutResponse = isReady && unreported[id]?[user] == nil
    return description
  }

  /// Reports a write without response that has left the queue; with the stall once the app has written against the
  /// flag.
  mutating func reportSent(of id: PeripheralID, to user: CentralUser) {
    let count = 1 + (unreported[id]?.removeValue(forKey: user) ?? 0)
    guard count > Self.defectivePlaces || !rules.defects.contains(.writeStall) else {
      return unreported[id, default: [:]][user] = count
    }
    let isSilent = rules.defects.contains(.silentReady)
    deliver(.peripheral(id, .didSendWritesWithoutResponse(count, isSilent: isSilent)), to: user, .callback)
  }

  /// Begins a gap for each wait of an app in the background that has had none.
  mutating func beginGaps(at now: Duration) {
    guard rules.defects.contains(.reconnectGap) else { return }
    for id in uses.keys.sorted() where links[id] == nil {
      for (index, use) in uses[id, default: []].enumerated() where use.phase == .waiting(from: .zero) {
        let isForeground = listening.conditions(of: use.user.app)?.isForeground == true
        let end = use.gapEnd ?? now + .seconds(Int.random(in: Self.gaps, using: &random))
        uses[id]?[index].gapEnd = isForeground ? nil : end
      }
    }
  }

  /// Whether the phone listens for the peripheral of the wait.
  func isListening(for use: PeripheralUse) -> Bool {
    use.phase == .waiting(from: .zero) && (use.gapEnd ?? .zero == .zero || !rules.defects.contains(.reconnectGap))
  }
}
