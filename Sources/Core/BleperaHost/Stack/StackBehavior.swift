package import BleperaBluetooth

/// Differences between the Bluetooth stacks above adapters. The default is the specification's and an iPhone's: Generic
/// Access of a Generic Phone at 0001 to 0005, and Service Changed alone at 0006 to 0009 (iOS 14.2, bluez issue 67; iOS
/// 26.5.1, measured).
package struct StackBehavior: Hashable, Sendable {
  /// How a stack acts as a central.
  package enum Client: Hashable, CaseIterable, Sendable {
    /// Discovers all services of each device to which it connects.
    case discovering
    /// Sends only the requests that its user asks for, like bluetoothd.
    case bluetoothd
    /// Exchanges the MTU, and discovers the parts that it is asked for. Ends a connection without a key on the other
    /// side.
    case phone
  }

  /// The maximum length of a value in a Write Request, in bytes.
  package var longestWrite = AttributeValue.maximumLength
  /// The maximum length of a value in a long write, in bytes.
  package var longestLongWrite = AttributeValue.maximumLength
  /// Whether a notification has all bytes that the ATT_MTU leaves, and a Write Command is passed on with as many as it
  /// has, as by an iPhone; bluetoothd cuts the one after 512 bytes, and drops the other beyond `longestWrite`.
  package var fillsPackets = true
  /// Whether the stack itself responds to a Write Request if the value can also be written without response.
  package var respondsForApplications = false
  /// Whether the pieces of a prepared write are joined and passed to the application one attribute after the other. An
  /// iPhone passes all pieces together, as they arrived.
  package var joinsPreparedWrites = false
  /// Whether an attribute that permits neither reading nor writing permits both.
  package var ignoresEmptyPermissions = false
  /// The error where an attribute requires encryption and the two share no key (Core Specification, Vol 3, Part C,
  /// 10.3.1); where they share one it is Insufficient Encryption.
  package var missingKeyError = ATTError.insufficientAuthentication
  /// The timeout for an application's response.
  package var requestTimeout = ProcedureTimeout.application.phone
  /// The error after that timeout; nil if the connection ends instead (Core Specification, Vol 3, Part F, 3.3.3).
  package var timeoutError: ATTError?
  /// The value of the PnP ID in Device Information, seven bytes; nil for a stack without Device Information.
  package var pnpID: [UInt8]?
  /// The Appearance in Generic Access (Assigned Numbers, 2.6).
  package var appearance: UInt16 = 0x0040
  /// Whether Generic Access has Central Address Resolution.
  package var hasAddressResolution = false
  package var client = Client.discovering
  /// The ATT_MTU that the stack offers over a link without data length, in bytes; nil for what it offers over any link.
  /// As a central the stack then exchanges the ATT_MTU after its controller has exchanged the data length.
  package var shortPacketMTU: Int?
  /// Whether the stack pairs as a central without a pairing agent.
  package var pairsUnattended = true
  /// The data that the stack sends first over a new connection, on the channel 003A; nil for none.
  package var greeting: [UInt8]?
  /// The passkey that it shows in every pairing; nil for another one in each.
  package var passkey: UInt32?
  /// The time from a connection until the stack, as a peripheral, discovers primary services; nil for never.
  package var peripheralDiscovery: Duration?
  /// Whether Generic Attribute has Client Supported Features and Database Hash.
  package var hasCaching = false
  /// Whether Generic Attribute with `hasCaching` also has Server Supported Features.
  package var hasServerFeatures = true

  package var bonding = AccessoryBonding()

  package init() {}
}
