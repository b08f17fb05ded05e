import BleperaBluetooth
package import BleperaPropertyLists
package import BleperaRules

extension MeasuredPhone {
  /// Every dictionary and key of a phone file.
  package static let schema: [SchemaSection] =
    [.phoneFile]
    + VisibleValue.all.compactMap { value in
      guard case .fields(let parts) = value.shape else { return nil }
      return SchemaSection(value.name, parts)
    }

  /// The beginning of the comment above a value.
  static let mark = "measured: "
  /// The text of a value that the phone does not have.
  static let nothing = "none"
}

extension SchemaSection {
  static let phoneFile = Self("", [.phone, .iosVersion, .deviceName] + VisibleValue.all.map { SchemaKey($0) })

  init(_ path: String, _ parts: [RuleShape.Field]) { self.init(path, parts.map { SchemaKey($0) }) }
}

extension SchemaKey {
  static let phone = Self("Phone", .string, required: true, "the model, such as iPhone18,2, or other words")
  static let iosVersion = Self(
    "iOS", .integer, "the version whose rules hold for everything else, unless --ios names another; default: 26")
  static let deviceName = Self("DeviceName", .string, "the Device Name, \(DeviceName.form)")

  init(_ value: VisibleValue) { self.init(value.name, SchemaType(value.shape), value.shape.description) }

  init(_ part: RuleShape.Field) { self.init(part.name, SchemaType(part.shape), part.shape.description) }
}

extension SchemaType {
  fileprivate init(_ shape: RuleShape) {
    self =
      switch shape {
      case .milliseconds: .number
      case .number: .integer
      case .optionalNumber: .integerOrNone
      case .word: .string
      case .bytes: .bytes
      case .items: .values
      case .handles, .fields: .dictionary
      }
  }
}
