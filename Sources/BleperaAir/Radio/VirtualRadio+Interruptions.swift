import BleperaBluetooth
import BleperaRadio

/// What can come between the phone and the air. Meanwhile nothing is on the air, nobody is connected, and what was
/// published and advertised comes back with the radio.
extension VirtualRadio {
  package enum Interruption: Hashable, Sendable {
    /// The service of the operating system that runs the radio has ended.
    case noDaemon
    /// The adapter was unplugged.
    case noAdapter
  }

  package var isUsable: Bool { interruptions.isEmpty && !hasEnded }

  /// Without effect where it is interrupted in that way already.
  package func interrupt(_ interruption: Interruption) {
    guard !hasEnded, !interruptions.contains(interruption) else { return }
    switch interruption {
    case .noDaemon: interruptions.insert(interruption)
    case .noAdapter:
      guard let description = snapshot.adapters[adapter]?.description else { return }
      removed = description
      interruptions.insert(interruption)
    }
    if takeOffAir() { tell(.advertisingLost) }
    for id in links.keys.sorted() { lose(id) }
    _ = subscriptions.forget(0x0000...0xFFFF)
    switch interruption {
    case .noDaemon: run(.set(adapter, .powered(false)))
    case .noAdapter: run(.removed(adapter))
    }
    isOn = false
    stateChanged()
    lookForRoom()
  }

  /// The radio is back, powered on, and knows the centrals that it is bonded to. Without effect where it was not
  /// interrupted in that way.
  ///
  /// - Returns: false where the radio has ended for good.
  @discardableResult
  package func resume(_ interruption: Interruption) -> Bool {
    guard !hasEnded else { return false }
    guard interruptions.remove(interruption) != nil else { return true }
    switch interruption {
    case .noDaemon: run(.set(adapter, .powered(true)))
    case .noAdapter:
      guard let description = removed else { return true }
      removed = nil
      run(.added(adapter, description))
      if !interruptions.isEmpty { run(.set(adapter, .powered(false))) }
    }
    if interruptions.isEmpty { begin() } else { stateChanged() }
    return true
  }

  /// The radio ends for good.
  ///
  /// - Parameter reason: a sentence.
  package func end(_ reason: String) {
    guard !hasEnded else { return }
    interrupt(.noDaemon)
    hasEnded = true
    tell(.ended(reason))
  }

  /// - Returns: whether there was an advertisement on the air.
  @discardableResult
  func takeOffAir() -> Bool {
    let wasAdvertising = endAdvertising()
    for index in publications.indices {
      guard let id = publications[index].application else { continue }
      publications[index].application = nil
      applications[id] = nil
      air.assumeIsolated { $0.unpublish(id) }
    }
    return wasAdvertising
  }
}
