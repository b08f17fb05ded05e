package import BleperaBluetooth

/// How a phone responds to pairing requests of centrals.
package enum PairingMode: String, CaseIterable, Sendable {
  /// Accepts pairing without confirmation, as devices without display and keyboard do.
  case justWorks = "just-works"
  /// Refuses every request.
  case refuse
  /// Shows a passkey that is to be entered at the central.
  case passkey
  /// Shows a number that the phone's user compares with the number of the other device.
  case compare

  /// Why the phone refuses a request of a central that is connected to it; nil if it accepts, or asks the user, which
  /// is in the mode `compare` alone.
  package func refusal(of request: PairingRequest) -> PairingRefusal? {
    switch request {
    case _ where self == .refuse: .mode
    case .authorize: self == .passkey ? .noKeys : self == .compare ? .noNumber : nil
    case .compare: self == .passkey ? .comparison : nil
    case .type: self == .compare ? nil : .typing
    case .show: nil
    }
  }
}

/// Why a phone has refused to pair.
package enum PairingRefusal: Hashable, Sendable, CaseIterable, CustomStringConvertible {
  case mode
  case noKeys
  case noNumber
  case comparison
  case typing
  /// The request is not for the phone: other devices and services of the machine use the same radio.
  case otherDevice
  case otherService

  package var description: String {
    switch self {
    case .mode: "the phone refuses every pairing"
    case .noKeys: "the central cannot type the passkey that the phone shows"
    case .noNumber: "the central cannot compare the number that the phone shows"
    case .comparison: "the central wants a passkey compared, and the phone only shows one"
    case .typing: "the passkey would have to be typed here"
    case .otherDevice: "it is not connected to the phone's adapter"
    case .otherService: "it asks for a service of the machine, not of the phone"
    }
  }
}

/// A question about a pairing to the phone's user.
package struct PairingQuestion: Hashable, Sendable {
  /// The address by which the radio knows the other device: `00:11:22:33:44:55`.
  package let address: String
  /// Whether the other device is the central of the link.
  package let isCentral: Bool
  package let request: PairingRequest

  package init(address: String, isCentral: Bool, _ request: PairingRequest) {
    (self.address, self.isCentral, self.request) = (address, isCentral, request)
  }

  /// Whether a response is one to this question.
  package func accepts(_ response: PairingResponse) -> Bool {
    switch (request, response) {
    case (.type, .passkey), (.type, .no), (.compare, .yes), (.compare, .no): true
    case (.type, .yes), (.compare, .passkey), (.authorize, _), (.show, _): false
    }
  }
}
