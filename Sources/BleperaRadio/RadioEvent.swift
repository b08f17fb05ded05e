package import BleperaBluetooth

/// What happens on a phone's radio.
package enum RadioEvent: Sendable {
  case state(RadioState)
  /// The adapter does not let itself be powered on; it is tried again.
  case poweringFailed(adapter: String, RadioFailure)
  /// The service that begins at that handle can be found.
  case published(AttributeHandle)
  /// `count` is how often in a row, from 1; it is tried again.
  case publishingFailed(AttributeHandle, RadioFailure, count: Int)
  /// All packets of the advertisement asked for last are on the air.
  case advertising
  /// `count` is how often in a row, from 1; it is tried again.
  case advertisingFailed(RadioFailure, count: Int)
  /// The advertisement is off the air and comes back by itself.
  case advertisingLost
  /// Nothing is on the air, as asked.
  case advertisingStopped
  case connected(RadioCentral)
  case disconnected(RadioCentral)
  /// The central and the phone have exchanged keys.
  case bonded(RadioCentral)
  /// To be answered with `PhoneRadio.respond`.
  case read(AttributeRequest)
  case write(AttributeRequest, value: [UInt8])
  /// The handle is that of the characteristic's value.
  case subscribed(AttributeHandle, RadioCentral)
  case unsubscribed(AttributeHandle, RadioCentral)
  /// A central has confirmed an indication; the radio may not know which.
  case confirmed(AttributeHandle)
  /// There is room for updates again, after one was turned away.
  case readyToUpdate
  case pairingRefused(RadioCentral)
  /// To be entered at the central: six digits.
  case passkey(RadioCentral, UInt32)
  /// The radio cannot answer pairing requests.
  case pairingUnavailable(RadioFailure)
  /// The radio has ended for good; a sentence.
  case ended(String)
}

/// A central as a phone's radio knows it.
package struct RadioCentral: Hashable, Sendable {
  /// The identity address where it is known, else that of the connection: `00:11:22:33:44:55`.
  package let id: CentralID
  package let isBonded: Bool
  /// The ATT_MTU of the link, in bytes; 23 while it is not known.
  package let mtu: Int

  package init(id: CentralID, isBonded: Bool = false, mtu: Int = 23) {
    self.id = id
    self.isBonded = isBonded
    self.mtu = mtu
  }

  /// The bytes that one notification carries at most.
  package var maximumUpdateValueLength: Int { mtu - 3 }
}

/// A read or a write that waits for its response.
package struct AttributeRequest: Hashable, Sendable {
  /// Numbered by the radio.
  package let id: RequestID
  /// That of a characteristic's value or of a descriptor.
  package let handle: AttributeHandle
  package let central: RadioCentral
  package let offset: Int
  /// False for a write that nobody waits for; an error then reaches nobody.
  package let expectsResponse: Bool

  package init(id: RequestID, handle: AttributeHandle, central: RadioCentral, offset: Int, expectsResponse: Bool) {
    self.id = id
    self.handle = handle
    self.central = central
    self.offset = offset
    self.expectsResponse = expectsResponse
  }
}

/// A service and the handles that it is published with.
package struct RadioService: Hashable, Sendable {
  package let definition: ServiceDefinition
  package let handles: ServiceHandles

  package init(definition: ServiceDefinition, handles: ServiceHandles) {
    self.definition = definition
    self.handles = handles
  }
}

/// What prevents the radio from being used, or nothing.
package enum RadioState: Hashable, Sendable {
  /// The service of the operating system that runs the radio is not there.
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

/// Why the radio did not do something; a phrase that can follow a colon.
package struct RadioFailure: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String
  /// Whether trying again at once cannot help.
  package let isFinal: Bool

  package init(_ description: String, isFinal: Bool = false) {
    self.description = description
    self.isFinal = isFinal
  }
}
