package import BleperaBluetooth
package import BleperaLoop

/// An event of a phone's radio.
package enum RadioEvent: Sendable {
  case state(RadioState)
  /// The adapter cannot be powered on; the radio retries.
  case poweringFailed(adapter: String, RadioFailure)
  /// The service that begins at that handle can be discovered.
  case published(AttributeHandle)
  /// `count` is the number of consecutive failures, from 1; the radio retries until the service is removed.
  case publishingFailed(AttributeHandle, RadioFailure, count: Int)
  /// The service that was to begin at that handle gets these handles, because others may have the requested ones.
  case moved(AttributeHandle, to: ServiceHandles)
  /// All packets of the last requested advertisement are on the air.
  case advertising
  /// `count` is the number of consecutive failures, from 1; the radio retries.
  case advertisingFailed(RadioFailure, count: Int)
  /// The advertisement is off the air; the radio restores it automatically.
  case advertisingLost
  /// Nothing is on the air, as requested.
  case advertisingStopped
  case connected(RadioCentral)
  case disconnected(RadioCentral)
  /// The central and the phone have exchanged keys.
  case bonded(RadioCentral)
  /// Requires a response with `PhoneRadio.respond`.
  case read(AttributeRequest)
  /// A write, or all pieces of a prepared write in the order of their arrival; never empty. The pieces succeed or fail
  /// together, with one response. The request has the handle and the offset of the first piece.
  case write(AttributeRequest, [AttributeWrite])
  /// A central has subscribed; the handle belongs to the characteristic's value.
  case subscribed(AttributeHandle, RadioCentral)
  case unsubscribed(AttributeHandle, RadioCentral)
  /// A central has confirmed an indication; the radio may not know which central.
  case confirmed(AttributeHandle)
  /// A central has opened an L2CAP channel, whose data the phone reads and writes.
  case channelOpened(L2CAPPSM, RadioCentral, any ByteStream)
  /// An advertising event that the scan has received.
  case received(PeripheralID, ReceivedAdvertisement)
  /// The phone has connected to a peripheral.
  case peripheralConnected(RadioPeripheral)
  /// The operations that were not completed have no answer.
  case peripheralDisconnected(PeripheralID, DisconnectionCause)
  /// The MTU is exchanged, or the name read.
  case peripheralChanged(RadioPeripheral)
  /// The central encrypts with a key that the phone does not have.
  case keysUnknown(RadioCentral)
  /// The peripheral and the phone have exchanged keys; the first identifier is the one used until now.
  case peripheralBonded(PeripheralID, RadioPeripheral)
  case completed(PeripheralOperationID, Result<ProcedureAnswer, ProcedureFailure>)
  /// A notification or an indication.
  case valueReceived(PeripheralID, AttributeHandle, [UInt8])
  /// The peripheral's services in these handles have changed: Service Changed.
  case servicesChanged(PeripheralID, [ClosedRange<AttributeHandle>])
  case pairingRefused(RadioCentral, PairingRefusal)
  /// The central's user must enter this passkey of six digits.
  case passkey(RadioCentral, UInt32)
  /// The phone's user has to answer with `PhoneRadio.answerPairing`, or, for `show`, to type the passkey at the
  /// peripheral.
  case pairingQuestion(PairingQuestion)
  /// The radio cannot respond to pairing requests.
  case pairingUnavailable(RadioFailure)
  /// A service of the machine that the radio needs has ended, and the radio waits for it; the reason is a sentence.
  case interrupted(String)
  /// The radio has stopped permanently; the reason is a sentence.
  case ended(String)
}

/// A central as a phone's radio knows it.
package struct RadioCentral: Hashable, Sendable {
  /// The identity address where it is known, otherwise the address of the connection: `00:11:22:33:44:55`.
  package let id: CentralID
  package let isBonded: Bool
  /// The ATT_MTU of the link, in bytes; 23 while it is not known.
  package let mtu: Int
  /// The length of the longest update that the central receives whole, in bytes; nil while the ATT_MTU is not known.
  package let longestUpdate: Int?

  /// - Parameters:
  ///   - mtu: nil while it is not known.
  ///   - limit: the longest update that the radio carries, whatever the ATT_MTU, in bytes.
  package init(id: CentralID, isBonded: Bool = false, mtu: Int? = nil, limit: Int = .max) {
    self.id = id
    self.isBonded = isBonded
    self.mtu = mtu ?? 23
    longestUpdate = mtu.map { min($0 - 3, limit) }
  }

  /// `CBCentral.maximumUpdateValueLength`.
  package var maximumUpdateValueLength: Int { longestUpdate ?? mtu - 3 }
}

/// The number of a read or a write, assigned by the radio; the phone numbers the requests of its apps (`RequestID`).
package struct RadioRequestID: RawRepresentable, Hashable, Sendable {
  package let rawValue: Int
  package init(rawValue: Int) { self.rawValue = rawValue }
}

/// A read or a write that waits for its response.
package struct AttributeRequest: Hashable, Sendable {
  package let id: RadioRequestID
  /// The handle of a characteristic's value or of a descriptor.
  package let handle: AttributeHandle
  package let central: RadioCentral
  package let offset: Int
  /// False for a write to which no response can be sent; an error is then not sent either.
  package let expectsResponse: Bool

  package init(id: RadioRequestID, handle: AttributeHandle, central: RadioCentral, offset: Int, expectsResponse: Bool) {
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

/// Whether the radio can be used, and if not, why.
package enum RadioState: Hashable, Sendable {
  /// The system service that runs the radio is not running; `crash` names the known crashes that may have ended it.
  case noDaemon(crash: String? = nil)
  /// There is no adapter, or not the requested one; the reason is a sentence, for an adapter that has vanished.
  case noAdapter(wanted: String?, reason: String? = nil)
  case poweredOff(adapter: String)
  case poweredOn(adapter: String)

  package var isOn: Bool { if case .poweredOn = self { true } else { false } }

  /// The adapter, powered or not; nil where there is none.
  package var adapter: String? {
    switch self {
    case .noDaemon, .noAdapter: nil
    case .poweredOff(let adapter), .poweredOn(let adapter): adapter
    }
  }
}

/// Why an operation of the radio failed; a phrase that can follow a colon.
package struct RadioFailure: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String
  /// Whether an immediate retry cannot help.
  package let isFinal: Bool

  /// All numbers of L2CAP channels are in use.
  package static let noFreePSM = RadioFailure("all numbers from 128 to 255 are in use", isFinal: true)

  package init(_ description: String, isFinal: Bool = false) {
    self.description = description
    self.isFinal = isFinal
  }
}
