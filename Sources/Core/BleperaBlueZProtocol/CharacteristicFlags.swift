package import BleperaBluetooth

/// Core Bluetooth's properties and permissions as bluetoothd's `Flags`, which combine both.
package enum CharacteristicFlags {
  /// A flag and the condition under which a characteristic has it.
  private struct Row: Sendable {
    let flag: String
    let applies: @Sendable (CharacteristicProperties, AttributePermissions) -> Bool
  }

  private static let rows: [Row] = [
    Row(flag: "read") { properties, _ in properties.contains(.read) },
    Row(flag: "write-without-response") { properties, _ in properties.contains(.writeWithoutResponse) },
    Row(flag: "write") { properties, _ in properties.contains(.write) },
    Row(flag: "notify") { properties, _ in
      !properties.isDisjoint(with: [.notify, .notifyEncryptionRequired])
    },
    Row(flag: "indicate") { properties, _ in
      !properties.isDisjoint(with: [.indicate, .indicateEncryptionRequired])
    },
    Row(flag: "authenticated-signed-writes") { properties, _ in properties.contains(.authenticatedSignedWrites) },
    Row(flag: "reliable-write") { properties, _ in properties.contains(.extendedProperties) },
    Row(flag: "encrypt-read") { properties, permissions in
      properties.contains(.read) && permissions.contains(.readEncryptionRequired)
    },
    Row(flag: "encrypt-write") { properties, permissions in
      !properties.isDisjoint(with: .writable) && permissions.contains(.writeEncryptionRequired)
    },
    Row(flag: "encrypt-notify") { properties, _ in properties.contains(.notifyEncryptionRequired) },
    Row(flag: "encrypt-indicate") { properties, _ in properties.contains(.indicateEncryptionRequired) },
  ]

  /// Never empty for a characteristic that Core Bluetooth would publish; bluetoothd requires flags.
  package static func flags(of characteristic: CharacteristicDefinition) -> [String] {
    rows.filter { $0.applies(characteristic.properties, characteristic.permissions) }.map(\.flag)
  }

  /// A descriptor without permissions has the flag `read`, because bluetoothd requires flags; the system refuses the
  /// reads.
  package static func flags(of descriptor: DescriptorDefinition) -> [String] {
    let table: [(flag: String, permission: AttributePermissions)] = [
      ("read", .readable), ("write", .writeable), ("encrypt-read", .readEncryptionRequired),
      ("encrypt-write", .writeEncryptionRequired),
    ]
    let flags = table.filter { descriptor.permissions.contains($0.permission) }.map(\.flag)
    return flags.isEmpty ? ["read"] : flags
  }
}

extension CharacteristicProperties {
  /// Creates properties from a remote characteristic's `Flags`: the bits of the declaration. Flags of the extended
  /// properties have no bit here.
  package init(flags: [String]) {
    let table: [(flag: String, property: Self)] = [
      ("broadcast", .broadcast), ("read", .read), ("write-without-response", .writeWithoutResponse), ("write", .write),
      ("notify", .notify), ("indicate", .indicate), ("authenticated-signed-writes", .authenticatedSignedWrites),
      ("extended-properties", .extendedProperties),
    ]
    self = table.reduce(into: []) { properties, row in
      if flags.contains(row.flag) { properties.formUnion(row.property) }
    }
  }
}
