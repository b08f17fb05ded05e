/// Faults of the machine that a phone runs on. Meanwhile Bluetooth is off for apps, and centrals are disconnected.
/// Afterwards services and advertisements are registered again, and centrals must subscribe again.
extension Phone {
  /// Stops bluetoothd, as `systemctl stop bluetooth` does. No effect if it does not run.
  public func stopBluetoothd() { apply(.stopDaemon, "bluetoothd stops") }

  /// Starts bluetoothd, which turns Bluetooth on. No effect if it runs.
  ///
  /// - Throws: `StoryFailure.noBus` after `loseBus`.
  public func startBluetoothd() throws(StoryFailure) {
    guard apply(.startDaemon, "bluetoothd starts") else { throw .noBus }
  }

  /// Stops bluetoothd now and restarts it after that time.
  ///
  /// - Throws: `StoryFailure.noBus` after `loseBus`.
  public func restartBluetoothd(after time: Duration = .seconds(1)) throws(StoryFailure) {
    guard air.virtualBackend(for: Self.feature)?.hasBus(at: identityAddress) ?? true else { throw .noBus }
    stopBluetoothd()
    // If the bus is lost meanwhile, bluetoothd stays stopped.
    air.schedule(after: time) { [weak self] _ in try? self?.startBluetoothd() }
  }

  /// Ends the message bus and bluetoothd permanently. `blepera` would end and have to be restarted; a story's phone
  /// remains, without a radio.
  public func loseBus() { apply(.loseBus, "the message bus ends") }

  /// Removes the Bluetooth adapter. No effect if already removed.
  public func unplugAdapter() { apply(.unplugAdapter, "the adapter is removed") }

  /// Puts the adapter back, powered on and with its bonds. No effect if present.
  public func plugAdapter() { apply(.plugAdapter, "the adapter is put back") }

  private static let feature = "the machine of a phone"

  @discardableResult
  private func apply(_ fault: VirtualBackend.MachineFault, _ text: String) -> Bool {
    air.note(name, text)
    return air.virtualBackend(for: Self.feature)?.apply(fault, at: identityAddress) ?? true
  }
}
