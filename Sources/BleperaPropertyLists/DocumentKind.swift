/// What a property list describes.
package enum DocumentKind: Hashable, Sendable {
  case profile
  case scenario

  /// The kind by the keys of the root; nil where it has those of neither.
  package init?(_ root: PropertyListNode) {
    guard case .dictionary(let dictionary) = root.value else { return nil }
    if dictionary["BLEPeripheral"] != nil {
      self = .profile
    } else if dictionary["Steps"] != nil || dictionary["Phones"] != nil {
      self = .scenario
    } else {
      return nil
    }
  }
}
