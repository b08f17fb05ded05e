import GATT

/// Who may read and write an attribute; nil for nobody.
struct AttributeAccess: Hashable, Sendable {
  var reading: LinkSecurity?
  var writing: LinkSecurity?

  static let readable = AttributeAccess(reading: .open)

  /// Nothing is permitted, which bluetoothd takes for no rule at all and lets everything through (`check_permissions`,
  /// measured with a characteristic that has only `notify`).
  var isUnrestricted: Bool { reading == nil && writing == nil }

  func refusal(ofReadingOver link: LinkSecurity) -> ATTError? {
    if isUnrestricted { return nil }
    guard let reading else { return .readNotPermitted }
    return link >= reading ? nil : reading.refusal
  }

  func refusal(ofWritingOver link: LinkSecurity) -> ATTError? {
    if isUnrestricted { return nil }
    guard let writing else { return .writeNotPermitted }
    return link >= writing ? nil : writing.refusal
  }
}
