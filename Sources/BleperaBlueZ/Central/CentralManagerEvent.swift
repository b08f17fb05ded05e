import BleperaBlueZProtocol
package import BleperaDBus
package import BleperaRadio
package import BleperaBluetooth

/// What a central hears, in the order in which it happens.
package enum CentralManagerEvent: Sendable {
  case radio(RadioState)
  /// It listens from now on.
  case scanning
  /// bluetoothd does not let it listen; it is tried again.
  case scanningFailed(DBusFailure)
  /// A device is new to bluetoothd: with what its first advertisement says. Those that were there before are told of
  /// when they advertise.
  case appeared(FoundDevice)
  /// A known device has advertised something else, or the same where the filter asks for that: with everything that
  /// bluetoothd knows of it.
  case advertised(FoundDevice)
  /// bluetoothd has forgotten it.
  case vanished(FoundDevice)
  case connected(FoundDevice)
  case disconnected(FoundDevice)
  /// The value of a characteristic has come: a notification, an indication, or somebody's read.
  case value(characteristic: ObjectPath, [UInt8])
  /// The message bus is gone, and everything with it.
  case busLost
}

/// Why something that a central asked for came to nothing. The description is a clause.
package enum CentralFailure: Error, Hashable, Sendable {
  /// There is no bluetoothd, no adapter, or it is switched off.
  case noRadio
  /// There is no connection to the device, or there is none any more.
  case notConnected
  /// The device has answered with this.
  case att(ATTError)
  /// The attribute needs a link that is encrypted, and pairing did not make it so. bluetoothd tells 0x05, 0x0C and 0x0F
  /// alike.
  case notPaired
  /// Nothing came of it within that time.
  case timedOut(Duration)
  /// bluetoothd itself refuses.
  case refused(DBusErrorReply)
  /// The message bus, or a message, is at fault.
  case bus(DBusFailure)
}

extension CentralFailure {
  /// What bluetoothd's answer means (`create_gatt_dbus_error` in BlueZ's src/gatt-client.c). An error 0x06 cannot be
  /// told from a refusal of bluetoothd's own.
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
    // Without its cause, whatever the text; 0x06 has the same name as a refusal of bluetoothd's own.
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
