extension PhoneStatus {
  /// A device with which the phone shares keys, or that still has keys of the phone.
  package struct Bond: Hashable, Codable, Sendable {
    /// The identity address if the device has one, otherwise the address at the pairing.
    package var address: String
    package var name: String?
    /// The role of the device, `central` or `peripheral`; nil where the role is unknown.
    package var role: String?
    package var isConnected: Bool
    /// The problem of the bond that the phone has noticed.
    package var problem: BondProblem?
    /// The problem and its cure in one line.
    package var advice: String?

    package init(address: String, name: String?, role: String?, isConnected: Bool, problem: BondProblem?) {
      (self.address, self.name, self.role, self.isConnected) = (address, name, role, isConnected)
      (self.problem, advice) = (problem, problem?.advice(for: address))
    }
  }
}

/// The keys that one side of a bond lacks.
package enum BondProblem: String, Hashable, Codable, CaseIterable, Sendable {
  /// The peripheral has lost its keys, and the phone has not.
  case peripheralHasNoKeys
  /// The phone has forgotten the central, and the central has not forgotten the phone.
  case phoneHasNoKeys
  /// The peripheral has paired with Secure Connections, and has given no identity key.
  case peripheralHasNoIdentity

  package func advice(for address: String) -> String {
    switch self {
    case .peripheralHasNoKeys:
      "the peripheral has lost its keys and the phone has not; 'blepera bonds forget \(address)' lets them pair again"
    case .peripheralHasNoIdentity:
      "the peripheral gave no identity key at the pairing; 'blepera bonds forget \(address)' lets them pair again"
    case .phoneHasNoKeys:
      "the phone has no keys of the central, which still uses its own; remove the phone at the central and pair again"
    }
  }
}
