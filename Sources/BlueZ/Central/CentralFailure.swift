package import DBus
package import GATT

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
    let prefix = "Operation failed with ATT error: 0x"
    switch (reply.name.rawValue, reply.message) {
    case ("org.bluez.Error.NotPermitted", "Read not permitted"): self = .att(.readNotPermitted)
    case ("org.bluez.Error.NotPermitted", "Write not permitted"): self = .att(.writeNotPermitted)
    case ("org.bluez.Error.NotPermitted", "Not paired"): self = .notPaired
    case ("org.bluez.Error.InvalidArguments", "Invalid offset"): self = .att(.invalidOffset)
    case ("org.bluez.Error.InvalidArguments", "Invalid Length"): self = .att(.invalidAttributeValueLength)
    case ("org.bluez.Error.NotAuthorized", _): self = .att(.insufficientAuthorization)
    case ("org.bluez.Error.Failed", "Not connected"), ("org.bluez.Error.NotConnected", _): self = .notConnected
    case ("org.bluez.Error.NotReady", _): self = .noRadio
    case ("org.bluez.Error.Failed", let text) where text.hasPrefix(prefix):
      guard let code = UInt8(text.dropFirst(prefix.count), radix: 16) else { fallthrough }
      self = .att(ATTError(rawValue: code))
    default: self = .refused(reply)
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
