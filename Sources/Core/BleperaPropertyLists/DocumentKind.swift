/// The kind of document that a property list contains.
package enum DocumentKind: Hashable, Sendable, CustomStringConvertible {
  case profile
  case scenario
  /// A device that is no phone.
  case accessory
  /// The measured values of a phone.
  case phone

  /// The kind by the keys of the root; nil where the root has the keys of no kind.
  package init?(_ root: PropertyListNode) {
    guard case .dictionary(let dictionary) = root.value else { return nil }
    if dictionary["BLEPeripheral"] != nil || dictionary["BLECentral"] != nil {
      self = .profile
    } else if dictionary["Steps"] != nil || dictionary["Phones"] != nil || dictionary["Accessories"] != nil {
      self = .scenario
    } else if dictionary["Advertisement"] != nil, dictionary["Name"] != nil {
      self = .accessory
    } else if dictionary["Phone"] != nil {
      self = .phone
    } else {
      return nil
    }
  }

  /// The kind of a file; nil also where its structure is invalid.
  package init?(of bytes: [UInt8]) {
    var faults = FaultList()
    guard let root = PropertyList.read(bytes, faults: &faults).root else { return nil }
    self.init(root)
  }

  /// The kind with its article, for a message.
  package var description: String {
    switch self {
    case .profile: "a profile"
    case .scenario: "a scenario"
    case .accessory: "an accessory"
    case .phone: "a phone file"
    }
  }
}
