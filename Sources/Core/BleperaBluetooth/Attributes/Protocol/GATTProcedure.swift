/// A procedure of a GATT client (Core Specification, Vol 3, Part G, 4.3 to 4.9), from the first request to the last
/// response. Procedures over one link run one after another.
package enum GATTProcedure: Hashable, Sendable {
  /// Reads from the offset to the end of the value, in as many requests as needed.
  case read(AttributeHandle, offset: Int = 0)
  /// Reads the first value of that type and, as bluetoothd does, the values after it.
  case readByType(BluetoothUUID)
  /// Uses one request if the value fits at offset 0, otherwise prepared writes; a reliable write is always prepared.
  case write(AttributeHandle, [UInt8], offset: Int = 0, isReliable: Bool = false)
  /// A write without response, which completes when the link has carried it.
  case command(AttributeHandle, [UInt8])
  /// Prepares these pieces in order, and executes or cancels them.
  case prepared([AttributeWrite], isExecuted: Bool = true)
  /// Discovers all primary services; known services are discovered again if Service Changed was received. The client
  /// also subscribes to Service Changed and reads the Device Name; in the answer, Generic Attribute has its
  /// characteristics and the descriptors of Service Changed, and Generic Access its characteristics.
  case services
  /// Replaces `services` by the answer of an earlier connection: nothing is discovered, and the answer is the same.
  case knownServices([RemoteService])
  /// The services that are included in a service of these handles, with `isPrimary` false because the client does not
  /// know it.
  case includedServices(ClosedRange<AttributeHandle>)
  case characteristics(ClosedRange<AttributeHandle>)
  /// The descriptors in a range of handles.
  case descriptors(ClosedRange<AttributeHandle>)
}

/// The answer to a GATT procedure, to a pairing, to the opening of a channel, and to a reading of the signal strength.
package enum ProcedureAnswer: Hashable, Sendable {
  /// The answer to a write, to a command and to a pairing.
  case done
  /// The value of a read, or the number of an opened channel.
  case value([UInt8])
  case services([RemoteService])
  case characteristics([RemoteCharacteristic])
  case descriptors([RemoteDescriptor])
  /// In dBm.
  case rssi(Int)

  /// Empty for an answer without a value.
  package var bytes: [UInt8] { if case .value(let bytes) = self { bytes } else { [] } }
}
