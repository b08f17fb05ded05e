import BlueZ
import DBus
import VirtualBlueZ

/// What becomes of the radio itself, with the events that `Peripheral` has for it.
extension SimulatedRadio {
  package var isUsable: Bool { hasDaemon && unplugged == nil }

  /// bluetoothd ends as it does when it is stopped: advertisements are released, the adapter is powered down, so that
  /// connections end, and what was published is forgotten.
  package func stopDaemon() {
    guard hasDaemon else { return }
    for number in advertised.keys.sorted() { run(.released(.advertisement(number))) }
    hasDaemon = false
    run(.set(adapter, .powered(false)))
    isOn = false
    forget()
    radioChanged()
  }

  /// bluetoothd is back, and the adapter on; false where there is no bus that it could be on.
  package func startDaemon() -> Bool {
    guard hasBus else { return false }
    guard !hasDaemon else { return true }
    hasDaemon = true
    run(.set(adapter, .powered(true)))
    begin()
    return true
  }

  /// The message bus ends for good, and bluetoothd with it.
  package func loseBus() {
    guard hasBus else { return }
    stopDaemon()
    hasBus = false
    tell(.busLost)
  }

  /// The adapter is pulled out.
  package func unplug() {
    guard unplugged == nil, let description = air.assumeIsolated({ $0.air.adapters[adapter]?.description }) else {
      return
    }
    run(.removed(adapter))
    unplugged = description
    isOn = false
    forget()
    radioChanged()
  }

  /// It is put back, and is on.
  package func plug() {
    guard let description = unplugged else { return }
    unplugged = nil
    run(.added(adapter, description))
    if hasDaemon { begin() } else { run(.set(adapter, .powered(false))) }
  }

  /// What bluetoothd had of us is gone, and so is everybody who was connected.
  private func forget() {
    session += 1
    air.assumeIsolated { [advertised, published] air in
      for (_, entry) in advertised.sorted(by: { $0.key < $1.key }) { air.withdraw(entry.id) }
      for (_, entry) in published.sorted(by: { $0.key < $1.key }) { air.unpublish(entry.id) }
    }
    (advertised, published, objects) = ([:], [:], [:])
    for id in links.values.sorted() { lose(id) }
  }
}
