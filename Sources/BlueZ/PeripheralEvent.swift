package import DBus

/// What happens on the radio, as the system hears it.
package enum PeripheralEvent: Sendable {
  case radio(RadioState)
  /// The adapter does not let itself be powered on; it is tried again.
  case poweringFailed(adapter: String, DBusFailure)
  case published(application: Int)
  /// `count` is how often in a row, from 1; it is tried again.
  case publishingFailed(application: Int, DBusFailure, count: Int)
  case unpublished(application: Int)
  case advertising(advertisement: Int)
  case advertisingFailed(advertisement: Int, DBusFailure, count: Int)
  /// The air has lost it; it comes back by itself.
  case advertisingLost(advertisement: Int)
  case advertisingStopped(advertisement: Int)
  case connected(RemoteDevice)
  case disconnected(RemoteDevice)
  case paired(RemoteDevice)
  /// To be answered with `Peripheral.answer`.
  case read(AttributeRequest)
  case write(AttributeRequest, value: [UInt8])
  case subscribed(AttributeAddress, RemoteDevice)
  case unsubscribed(AttributeAddress, RemoteDevice)
  /// A central has confirmed an indication; bluetoothd does not say which.
  case confirmed(AttributeAddress)
  case pairingRefused(RemoteDevice)
  /// To be entered at the central: six digits.
  case passkey(RemoteDevice, UInt32)
  case agentFailed(DBusFailure)
  /// The message bus is gone, and everything with it.
  case busLost
}

/// An attribute of one of our applications.
package struct AttributeAddress: Hashable, Sendable {
  package let application: Int
  package let attribute: AttributeID

  package init(application: Int, attribute: AttributeID) {
    self.application = application
    self.attribute = attribute
  }
}

/// A read or a write that bluetoothd waits for.
package struct AttributeRequest: Hashable, Sendable {
  package let id: Int
  package let address: AttributeAddress
  package let device: RemoteDevice
  /// The ATT_MTU of the link, in bytes.
  package let mtu: Int
  package let offset: Int
  /// False for a write that bluetoothd has acknowledged itself; an error then reaches nobody.
  package let expectsAnswer: Bool

  package init(id: Int, address: AttributeAddress, device: RemoteDevice, mtu: Int, offset: Int, expectsAnswer: Bool) {
    self.id = id
    self.address = address
    self.device = device
    self.mtu = mtu
    self.offset = offset
    self.expectsAnswer = expectsAnswer
  }
}

/// What keeps the radio from being used, or nothing.
package enum RadioState: Hashable, Sendable {
  case noDaemon
  /// There is no adapter, or not the one that was asked for.
  case noAdapter(wanted: String?)
  case poweredOff(adapter: String)
  case poweredOn(adapter: String)

  package var isOn: Bool { if case .poweredOn = self { true } else { false } }

  /// The adapter that is there, powered or not.
  package var adapter: String? {
    switch self {
    case .noDaemon, .noAdapter: nil
    case .poweredOff(let adapter), .poweredOn(let adapter): adapter
    }
  }
}
