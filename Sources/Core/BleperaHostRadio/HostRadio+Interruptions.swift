import BleperaBluetooth
import BleperaHost
import BleperaRadio

/// Interruptions between the phone and the adapter. During an interruption nothing is on the air and no central is
/// connected; services and advertisements are restored when the radio resumes, scans and connections to peripherals are
/// not.
extension HostRadio {
  package enum Interruption: Hashable, Sendable {
    /// The system service that runs the radio has ended.
    case noDaemon
    /// The adapter was unplugged, or has vanished.
    case noAdapter
  }

  package var isUsable: Bool { interruptions.isEmpty && !hasEnded }

  /// Interrupts the radio as a test fault. Has no effect if this interruption is already active.
  package func interrupt(_ interruption: Interruption) {
    guard !hasEnded, !interruptions.contains(interruption) else { return }
    if interruption == .noAdapter, adapter.state == nil { return }
    interruptions.insert(interruption)
    if takeOffAir() { report(.advertisingLost) }
    endLinks()
    _ = subscriptions.forget(0x0000...0xFFFF)
    links.forgetRetained(in: 0x0000...0xFFFF)
    switch interruption {
    case .noDaemon: ask(.power(false))
    case .noAdapter: adapter.setPresent(false)
    }
    switchedOff()
  }

  private func endLinks() {
    for id in links.connections { centralDisconnected(id) }
    for id in peripherals.connections { peripheralDisconnected(id, .byPhone) }
  }

  private func switchedOff() {
    isOn = false
    updateBeacon()
    stateChanged()
  }

  /// Restores the radio, powered on and with its bonds. Has no effect if this interruption is not active.
  ///
  /// - Returns: false if the radio has ended permanently.
  @discardableResult
  package func resume(_ interruption: Interruption) -> Bool {
    guard !hasEnded else { return false }
    guard interruptions.contains(interruption) else { return true }
    switch interruption {
    case .noDaemon:
      interruptions.remove(.noDaemon)
      ask(.power(true))
      if interruptions.isEmpty { begin() } else { stateChanged() }
    case .noAdapter:
      adapter.setPresent(true)
      adapterAdded()
    }
    return true
  }

  /// The adapter has vanished, or is not there at the start. Its host keeps services, bonds and configurations.
  ///
  /// - Parameter reason: a sentence; nil at the start.
  func adapterRemoved(_ reason: String?) {
    guard !hasEnded, interruptions.insert(.noAdapter).inserted else { return }
    removalReason = reason
    if endAdvertising() { report(.advertisingLost) }
    endLinks()
    switchedOff()
  }

  /// The adapter is there again.
  func adapterAdded() {
    guard !hasEnded, interruptions.remove(.noAdapter) != nil else { return }
    removalReason = nil
    guard !interruptions.isEmpty else { return begin() }
    ask(.power(false))
    stateChanged()
  }

  /// Ends the radio permanently.
  ///
  /// - Parameter reason: a sentence.
  package func end(_ reason: String) {
    guard !hasEnded else { return }
    interrupt(.noDaemon)
    hasEnded = true
    report(.ended(reason))
  }

  /// - Returns: whether an advertisement was on the air.
  @discardableResult
  func takeOffAir() -> Bool {
    let wasAdvertising = endAdvertising()
    for index in publications.indices {
      guard let id = publications[index].application else { continue }
      publications[index].application = nil
      ask(.unpublish(id))
    }
    return wasAdvertising
  }
}
