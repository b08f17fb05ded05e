/// `Flags` of a GattCharacteristic1 or GattDescriptor1: properties and permissions combined (BlueZ
/// doc/org.bluez.GattCharacteristic). `encrypt-read` implies `read`, and so on.
package struct AttributeFlags: OptionSet, Hashable, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }

  package static let broadcast = Self(rawValue: 0x01)
  package static let read = Self(rawValue: 0x02)
  package static let writeWithoutResponse = Self(rawValue: 0x04)
  package static let write = Self(rawValue: 0x08)
  package static let notify = Self(rawValue: 0x10)
  package static let indicate = Self(rawValue: 0x20)
  package static let authenticatedSignedWrites = Self(rawValue: 0x40)
  package static let extendedProperties = Self(rawValue: 0x80)
  package static let reliableWrite = Self(rawValue: 0x100)
  package static let writableAuxiliaries = Self(rawValue: 0x200)
  package static let authorize = Self(rawValue: 0x400)
  package static let encryptRead = Self(rawValue: 0x1000)
  package static let encryptWrite = Self(rawValue: 0x2000)
  package static let encryptSubscribe = Self(rawValue: 0x4000)
  package static let authenticateRead = Self(rawValue: 0x10000)
  package static let authenticateWrite = Self(rawValue: 0x20000)
  package static let authenticateSubscribe = Self(rawValue: 0x40000)

  /// The flags of each name, including implied flags.
  private static let names: [String: Self] = [
    "broadcast": .broadcast, "read": .read, "write-without-response": .writeWithoutResponse, "write": .write,
    "notify": .notify, "indicate": .indicate, "authenticated-signed-writes": .authenticatedSignedWrites,
    "extended-properties": .extendedProperties, "reliable-write": [.reliableWrite, .extendedProperties],
    "writable-auxiliaries": [.writableAuxiliaries, .extendedProperties], "authorize": .authorize,
    "encrypt-read": [.read, .encryptRead], "encrypt-write": [.write, .encryptWrite],
    "encrypt-notify": [.notify, .encryptSubscribe], "encrypt-indicate": [.indicate, .encryptSubscribe],
    "encrypt-authenticated-read": [.read, .authenticateRead],
    "encrypt-authenticated-write": [.write, .authenticateWrite],
    "encrypt-authenticated-notify": [.notify, .authenticateSubscribe],
    "encrypt-authenticated-indicate": [.indicate, .authenticateSubscribe],
    "secure-read": [.read, .authenticateRead], "secure-write": [.write, .authenticateWrite],
    "secure-notify": [.notify, .authenticateSubscribe], "secure-indicate": [.indicate, .authenticateSubscribe],
  ]

  /// Nil without flags or with a flag that bluetoothd does not know.
  package init?(names: [String]) {
    guard !names.isEmpty else { return nil }
    var flags: Self = []
    for name in names {
      guard let flag = Self.names[name] else { return nil }
      flags.formUnion(flag)
    }
    self = flags
  }

  /// The byte of the characteristic declaration (Core Specification, Vol 3, Part G, 3.3.1.1).
  package var properties: UInt8 { UInt8(truncatingIfNeeded: rawValue) }

  package var isSubscribable: Bool { !isDisjoint(with: [.notify, .indicate]) }

  var access: AttributeAccess {
    AttributeAccess(
      reading: contains(.read) ? security(encrypt: .encryptRead, authenticate: .authenticateRead) : nil,
      writing: isDisjoint(with: [.write, .writeWithoutResponse])
        ? nil : security(encrypt: .encryptWrite, authenticate: .authenticateWrite))
  }

  var subscriptionSecurity: LinkSecurity {
    security(encrypt: .encryptSubscribe, authenticate: .authenticateSubscribe)
  }

  private func security(encrypt: Self, authenticate: Self) -> LinkSecurity {
    contains(authenticate) ? .authenticated : contains(encrypt) ? .encrypted : .open
  }

  /// The names that a central's bluetoothd gives the declaration's properties.
  package static func names(ofProperties properties: UInt8, extended: UInt8) -> [String] {
    let table: [(Self, String)] = [
      (.broadcast, "broadcast"), (.read, "read"), (.writeWithoutResponse, "write-without-response"),
      (.write, "write"), (.notify, "notify"), (.indicate, "indicate"),
      (.authenticatedSignedWrites, "authenticated-signed-writes"), (.extendedProperties, "extended-properties"),
    ]
    return table.filter { UInt32(properties) & $0.0.rawValue != 0 }.map(\.1)
      + (extended & 1 != 0 ? ["reliable-write"] : []) + (extended & 2 != 0 ? ["writable-auxiliaries"] : [])
  }
}
