import EventLoop
import SimulatedRadio

/// What becomes of the machine that a phone runs on. To apps Bluetooth is off meanwhile, and everything they have
/// published and advertise is registered again when it is back; centrals are disconnected, and subscribe again.
extension Phone {
  /// bluetoothd ends, as `systemctl stop bluetooth` has it. Without effect where there is none.
  public func stopBluetoothd() {
    air.note(name, "bluetoothd stops")
    change { $0.stopDaemon() }
  }

  /// bluetoothd is back, and Bluetooth is on. Without effect where it runs.
  ///
  /// - Throws: `StoryFailure.noBus` after `loseBus`.
  public func startBluetoothd() throws(StoryFailure) {
    air.note(name, "bluetoothd starts")
    guard withRadio(otherwise: true, { $0.startDaemon() }) else { throw .noBus }
  }

  /// bluetoothd ends now and is back after that time.
  ///
  /// - Throws: `StoryFailure.noBus` after `loseBus`.
  public func restartBluetoothd(after time: Duration = .seconds(1)) throws(StoryFailure) {
    guard withRadio(otherwise: true, { $0.hasBus }) else { throw .noBus }
    stopBluetoothd()
    // Where the bus has gone meanwhile it does not come.
    air.later(after: time) { [weak self] _ in try? self?.startBluetoothd() }
  }

  /// The message bus ends, and bluetoothd with it. There is no way back: `blepera` ends then, and is to be started
  /// anew; here the phone stays, without a radio.
  public func loseBus() {
    air.note(name, "the message bus ends")
    change { $0.loseBus() }
  }

  /// The Bluetooth adapter is pulled out. Without effect where it is out.
  public func unplugAdapter() {
    air.note(name, "the adapter is pulled out")
    change { $0.unplug() }
  }

  /// The adapter is put back, knows whom it is paired with, and is on. Without effect where it is in.
  public func plugAdapter() {
    air.note(name, "the adapter is put back")
    change { $0.plug() }
  }

  private func change(_ body: @escaping @Sendable (isolated SimulatedRadio) -> Void) { withRadio(otherwise: (), body) }

  /// Does something with the simulated radio, on the loop.
  private func withRadio<Value: Sendable>(
    otherwise other: Value, _ body: @escaping @Sendable (isolated SimulatedRadio) -> Value
  ) -> Value {
    let what = "what becomes of bluetoothd"
    guard let adapter = air.virtual(for: what)?.adapter(at: address) else { return other }
    return air.withSimulatedAir(what, otherwise: other) { radio in
      guard let phone = radio.phone(at: adapter) else {
        preconditionFailure("a phone has a radio from its beginning to its end")
      }
      return phone.assumeIsolated { body($0) }
    }
  }
}
