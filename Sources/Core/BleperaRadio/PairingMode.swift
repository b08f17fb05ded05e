package import BleperaBluetooth

/// How a phone responds to pairing requests of centrals.
package enum PairingMode: String, CaseIterable, Sendable {
  /// Accepts pairing without confirmation, as devices without display and keyboard do.
  case justWorks = "just-works"
  /// Refuses every request.
  case refuse
  /// Shows a passkey that is to be entered at the central.
  case passkey

  /// Why the phone refuses a request of a central that is connected to it; nil if it accepts. Nobody is present to
  /// type or to compare.
  package func refusal(of request: PairingRequest) -> PairingRefusal? {
    switch request {
    case _ where self == .refuse: .mode
    case .authorize: self == .passkey ? .noKeys : nil
    case .compare: self == .passkey ? .comparison : nil
    case .type: .typing
    case .show: nil
    }
  }
}

/// Why a phone has refused to pair.
package enum PairingRefusal: Hashable, Sendable, CaseIterable, CustomStringConvertible {
  case mode
  case noKeys
  case comparison
  case typing
  /// The request is not for the phone: other devices and services of the machine use the same radio.
  case otherDevice
  case otherService

  package var description: String {
    switch self {
    case .mode: "the phone refuses every pairing"
    case .noKeys: "the central cannot type the passkey that the phone shows"
    case .comparison: "the central wants a passkey compared, and the phone only shows one"
    case .typing: "the passkey would have to be typed here"
    case .otherDevice: "it is not connected to the phone's adapter"
    case .otherService: "it asks for a service of the machine, not of the phone"
    }
  }
}
