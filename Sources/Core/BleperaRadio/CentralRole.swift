package import BleperaBluetooth

/// A peripheral to which the radio is connected.
package struct RadioPeripheral: Hashable, Sendable {
  /// The identity address where it is known, else that of the connection.
  package let id: PeripheralID
  package let isBonded: Bool
  /// The ATT_MTU of the link, in bytes; 23 until it is exchanged.
  package let mtu: Int
  /// The Device Name; nil until it is read, and of a peripheral without one.
  package let name: String?

  package init(id: PeripheralID, isBonded: Bool, mtu: Int, name: String? = nil) {
    self.id = id
    self.isBonded = isBonded
    self.mtu = mtu
    self.name = name
  }
}

/// What a phone asks of a peripheral: one operation at a time goes over a link, in the order of the calls.
package enum PeripheralOperation: Hashable, Sendable {
  /// All primary services, which are discovered again if Service Changed was received. The radio also subscribes to that
  /// and reads the Device Name; Generic Attribute has its characteristics and the descriptors of Service Changed in the
  /// answer, and Generic Access its characteristics.
  case services
  /// In place of `services`, with the answer of an earlier connection: nothing is discovered, and the answer is the same.
  case knownServices([RemoteService])
  /// Those that are included in a service of these handles, with `isPrimary` false because the radio does not know it.
  case includedServices(ClosedRange<AttributeHandle>)
  case characteristics(ClosedRange<AttributeHandle>)
  /// Those in a range of handles.
  case descriptors(ClosedRange<AttributeHandle>)
  /// The whole value, in as many requests as needed.
  case read(AttributeHandle)
  /// A Write Request, or prepared writes for a value longer than the ATT_MTU less 3.
  case write(AttributeHandle, [UInt8])
  /// A Write Command; completes when the link has carried it.
  case command(AttributeHandle, [UInt8])
  case rssi
}

/// The number of an operation, assigned by the phone.
package struct PeripheralOperationID: RawRepresentable, Hashable, Sendable {
  package let rawValue: Int
  package init(rawValue: Int) { self.rawValue = rawValue }
}

package enum PeripheralAnswer: Hashable, Sendable {
  /// To a write and to a command.
  case done
  case services([RemoteService])
  case characteristics([RemoteCharacteristic])
  case descriptors([RemoteDescriptor])
  case value([UInt8])
  /// In dBm.
  case rssi(Int)
}

package enum PeripheralFailure: Error, Hashable, Sendable {
  case att(ATTError)
  /// Pairing was required and has failed.
  case notPaired
  /// There is no connection, or it has ended.
  case notConnected
  /// The peripheral has not opened the L2CAP channel.
  case channelRefused
}
