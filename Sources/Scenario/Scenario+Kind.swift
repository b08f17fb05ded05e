extension Scenario.Step {
  /// The words that stand under `Do`.
  package enum Kind: String, Hashable, CaseIterable, Sendable {
    case serve, foreground, background, suspend, terminate, quit, crash, lock, unlock, bluetooth, reboot, scan, connect,
      pair,
      disconnect, read, write, subscribe, unsubscribe, receive, check, inspect, wait, fault
  }
}
