/// Faults of the machine that a phone runs on. To apps Bluetooth is off meanwhile, and everything that they have
/// published and advertise is registered again afterwards; centrals are disconnected, and subscribe again.
extension Phone {
  /// Stops bluetoothd, as `systemctl stop bluetooth` does. No effect if it does not run.
  public func stopBluetoothd() { apply(.stopDaemon, "bluetoothd stops") }

  /// Starts bluetoothd, and Bluetooth is on. No effect if it runs.
  ///
  /// - Throws: `StoryFailure.noBus` after `loseBus`.
  public func startBluetoothd() throws(StoryFailure) {
    guard apply(.startDaemon, "bluetoothd starts") else { throw .noBus }
  }

  /// Stops bluetoothd now and starts it after that time.
  ///
  /// - Throws: `StoryFailure.noBus` after `loseBus`.
  public func restartBluetoothd(after time: Duration = .seconds(1)) throws(StoryFailure) {
    guard air.virtualBackend(for: Self.feature)?.hasBus(at: address) ?? true else { throw .noBus }
    stopBluetoothd()
    // If the bus is lost meanwhile, bluetoothd stays stopped.
    air.schedule(after: time) { [weak self] _ in try? self?.startBluetoothd() }
  }

  /// Ends the message bus, and bluetoothd with it, for good: `blepera` ends then and has to be started again; here the
  /// phone stays, without a radio.
  public func loseBus() { apply(.loseBus, "the message bus ends") }

  /// Removes the Bluetooth adapter. No effect if it is removed.
  public func unplugAdapter() { apply(.unplugAdapter, "the adapter is removed") }

  /// Puts the adapter back: it knows its bonds, and is on. No effect if it is there.
  public func plugAdapter() { apply(.plugAdapter, "the adapter is put back") }

  private static let feature = "the machine of a phone"

  @discardableResult
  private func apply(_ fault: VirtualBackend.MachineFault, _ text: String) -> Bool {
    air.note(name, text)
    return air.virtualBackend(for: Self.feature)?.apply(fault, at: address) ?? true
  }
}
