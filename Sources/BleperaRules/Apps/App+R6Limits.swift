import BleperaBluetooth
/// R6: an app that has not answered when its budget ends is cut off, then throttled, and at last terminated.
extension App {
  mutating func cutOff(at now: Duration) -> [Policy.Action] {
    overstays += 1
    overstaysInAll += 1
    guard overstays < rules.overstayLimit.value else { return [.terminate(id, .exceededLimits)] }
    throttledUntil = now + rules.throttle.value
    return suspend(.overstayed)
  }

  func isThrottled(at now: Duration) -> Bool { throttledUntil.map { now < $0 } ?? false }

  func refuseWhileThrottled(_ request: EventID) -> Policy.Action {
    .refuse(id, request, rules.cutOffError.value, .r6)
  }

  /// When what waits may wake a throttled app; nil where nothing that wakes waits.
  var throttleEnd: Duration? { queue.contains(where: \.kind.wakes) ? throttledUntil : nil }

  mutating func endThrottle(at now: Duration) -> [Policy.Action] {
    queue.first(where: \.kind.wakes).map { wake($0.kind.reason, at: now) } ?? []
  }
}
