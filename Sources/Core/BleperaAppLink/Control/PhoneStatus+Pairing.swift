import BleperaBluetooth
package import BleperaRadio

extension PhoneStatus {
  /// A pairing that waits for the phone's user.
  package struct Pairing: Hashable, Codable, Sendable {
    package var address: String
    /// The role of the other device, `central` or `peripheral`.
    package var role: String
    /// The number to compare, six digits; nil where the user has to type a passkey.
    package var number: String?
    /// The task of the user.
    package var advice: String

    package init(_ question: PairingQuestion) {
      (address, role) = (question.address, question.role)
      (number, advice) = (question.number.map { EventRecord.digits($0) }, question.advice)
    }
  }
}

extension PairingQuestion {
  package var role: String { isCentral ? "central" : "peripheral" }

  /// The number or the passkey that the phone shows.
  package var number: UInt32? {
    switch request {
    case .compare(let number), .show(let number): number
    case .authorize, .type: nil
    }
  }

  /// The task of the user.
  package var advice: String {
    switch request {
    case .compare: "compare the number with the number of the \(role), then 'blepera pair yes' or 'blepera pair no'"
    case .type: "the \(role) shows a passkey of six digits: 'blepera pair 123456' types it, 'blepera pair no' refuses"
    case .show: "type the passkey at the \(role)"
    case .authorize: "accept the pairing"
    }
  }
}
