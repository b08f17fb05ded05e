/// Who may read and write a value, with the names and bits of `CBAttributePermissions`.
public struct AttributePermissions: NamedOptions, Hashable {
  public let rawValue: UInt16

  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Centrals may read the value.
  public static let readable = Self(rawValue: 0x01)
  /// Centrals may write the value.
  public static let writeable = Self(rawValue: 0x02)
  /// Reading requires an encrypted link.
  public static let readEncryptionRequired = Self(rawValue: 0x04)
  /// Writing requires an encrypted link.
  public static let writeEncryptionRequired = Self(rawValue: 0x08)

  public static let names: [(name: String, option: Self)] = [
    ("readable", .readable),
    ("writeable", .writeable),
    ("readEncryptionRequired", .readEncryptionRequired),
    ("writeEncryptionRequired", .writeEncryptionRequired),
  ]

  /// Whether a central may read at all; a value that needs encryption is readable once the link is encrypted.
  public var allowsReading: Bool { !isDisjoint(with: [.readable, .readEncryptionRequired]) }
  /// Whether a central may write at all; a value that needs encryption is writeable once the link is encrypted.
  public var allowsWriting: Bool { !isDisjoint(with: [.writeable, .writeEncryptionRequired]) }
}
