import BleperaBluetooth
import BleperaHost
import BleperaLoop
import BleperaRadio

/// Interruptions between the phone and the air. During an interruption nothing is on the air and no central is
/// connected; services and advertisements are restored when the radio resumes, scans and connections to peripherals are
/// not.
extension VirtualRadio {
  package enum Interruption: Hashable, Sendable {
    /// The system service that runs the radio has ended.
    case noDaemon
    /// The adapter was unplugged.
    case noAdapter
  }

  package var isUsable: Bool { interruptions.isEmpty && !hasEnded }

  /// Has no effect if this interruption is already active.
  package func interrupt(_ interruption: Interruption) {
    guard !hasEnded, !interruptions.contains(interruption) else { return }
    switch interruption {
    case .noDaemon: interruptions.insert(interruption)
    case .noAdapter:
      guard let description = snapshot.adapters[adapter]?.description else { return }
      removed = description
      interruptions.insert(interruption)
    }
    if takeOffAir() { report(.advertisingLost) }
    for id in links.connections { centralDisconnected(id) }
    for id in peripherals.connections { peripheralDisconnected(id, .byPhone) }
    _ = subscriptions.forget(0x0000...0xFFFF)
    links.forgetRetained(in: 0x0000...0xFFFF)
    switch interruption {
    case .noDaemon: ask(.power(false))
    case .noAdapter: run(.removed(adapter))
    }
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
    guard interruptions.remove(interruption) != nil else { return true }
    switch interruption {
    case .noDaemon: ask(.power(true))
    case .noAdapter:
      guard let description = removed else { return true }
      removed = nil
      run(.added(adapter, description))
      if !interruptions.isEmpty { ask(.power(false)) }
    }
    if interruptions.isEmpty { begin() } else { stateChanged() }
    return true
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
