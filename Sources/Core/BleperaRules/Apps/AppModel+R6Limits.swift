import BleperaBluetooth

/// R6: an app with a pending request when its budget expires is suspended and throttled, and finally terminated.
extension AppModel {
  mutating func suspendForOverrun(at now: Duration) -> [Policy.Action] {
    overruns += 1
    totalOverruns += 1
    guard overruns < rules.overrunLimit.value else { return [.terminate(id, .exceededLimits)] }
    throttledUntil = now + rules.throttle.value
    return suspend(.overran)
  }

  func isThrottled(at now: Duration) -> Bool { throttledUntil.map { now < $0 } ?? false }

  func refuseWhileThrottled(_ request: EventID) -> Policy.Action {
    .refuse(id, request, rules.timeoutError.value, .r6)
  }

  /// When queued events may wake a throttled app; nil where no queued event wakes an app.
  var throttleEnd: Duration? { queue.contains(where: wakes) ? throttledUntil : nil }

  mutating func endThrottle(at now: Duration) -> [Policy.Action] {
    queue.first(where: wakes).map { wake($0.kind.reason, at: now) } ?? []
  }
}
