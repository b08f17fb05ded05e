import BleperaBlueZProtocol
package import BleperaBluetooth
package import BleperaDBus
package import BleperaRadio

/// A report of a central manager; reports are in order.
package enum CentralManagerEvent: Sendable {
  case radio(RadioState)
  /// The scan has started.
  case scanning
  /// bluetoothd has refused the scan; the scan is tried again.
  case scanningFailed(DBusFailure)
  /// A device is new to bluetoothd; carries the data of its first advertisement. Devices known before are reported when
  /// they advertise.
  case appeared(FoundDevice)
  /// A known device has advertised other data, or the same data if the filter repeats; carries all data of the device
  /// that bluetoothd knows.
  case advertised(FoundDevice)
  /// bluetoothd has removed the device.
  case vanished(FoundDevice)
  case connected(FoundDevice)
  case disconnected(FoundDevice)
  /// Services of that device were added or removed.
  case servicesChanged(device: ObjectPath)
  /// The value of a characteristic has arrived: a notification, an indication or the response to another client's read.
  case value(characteristic: ObjectPath, [UInt8])
  /// The connection to the message bus is lost.
  case busLost
}

/// Why an operation of a central failed. The description is a clause.
package enum CentralFailure: Error, Hashable, Sendable {
  /// bluetoothd is not running, or no adapter is present or powered.
  case noRadio
  /// The device is not or no longer connected.
  case notConnected
  /// The device has responded with an ATT error.
  case att(ATTError)
  /// The attribute requires an encrypted link, and pairing did not encrypt it. bluetoothd does not distinguish 0x05,
  /// 0x0C and 0x0F.
  case notPaired
  /// The operation did not complete within that time.
  case timedOut(Duration)
  /// bluetoothd itself has refused the operation.
  case refused(DBusErrorReply)
  /// The message bus or a message has failed.
  case bus(DBusFailure)
}

extension CentralFailure {
  /// Maps bluetoothd's error (`create_gatt_dbus_error` in BlueZ's src/gatt-client.c). An ATT error 0x06 cannot be
  /// distinguished from bluetoothd's own refusal.
  package init(_ failure: DBusFailure) {
    switch failure {
    case .remote(let reply): self.init(reply)
    case .timedOut(let limit): self = .timedOut(limit)
    case .cannotConnect, .disconnected, .cancelled, .refused: self = .bus(failure)
    }
  }

  private init(_ reply: DBusErrorReply) {
    let errors = GATTClientErrors.errors(of: reply)
    switch (reply.bluez, reply.message) {
    // The name alone decides, whatever the text; 0x06 has the same name as bluetoothd's own refusal.
    case (.notAuthorized, _): self = .att(.insufficientAuthorization)
    case (.notSupported, _): self = .refused(reply)
    case (.failed, "Not connected"), (.notConnected, _): self = .notConnected
    case (.notReady, _): self = .noRadio
    case _ where errors.count > 1: self = .notPaired
    default: self = errors.first.map { .att($0) } ?? .refused(reply)
    }
  }
}

extension CentralFailure: CustomStringConvertible {
  package var description: String {
    switch self {
    case .noRadio: "the radio cannot be used"
    case .notConnected: "not connected"
    case .att(let error): "\(error)"
    case .notPaired: "not paired, and the link has to be encrypted"
    case .timedOut(let limit): "nothing came of it within \(limit)"
    case .refused(let reply): "bluetoothd refuses: \(reply)"
    case .bus(let failure): "\(failure)"
    }
  }
}
