// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// The state of a connection to a peripheral.
public enum CBPeripheralState: Int, Hashable, Sendable {
  /// There is no connection.
  case disconnected = 0
  /// The connection is being made.
  case connecting = 1
  /// There is a connection.
  case connected = 2
  /// The connection is being ended.
  case disconnecting = 3
}

/// Whether a write is acknowledged.
public enum CBCharacteristicWriteType: Int, Hashable, Sendable {
  /// The peripheral responds.
  case withResponse = 0
  /// The peripheral does not respond.
  case withoutResponse = 1
}

/// A peripheral that a central manager has discovered. blepera's central managers discover none; the type lets files with
/// both roles compile.
open class CBPeripheral: CBPeer {
  /// Receives the callbacks.
  open weak var delegate: (any CBPeripheralDelegate)?
  /// The name of the peripheral.
  open var name: String? { nil }
  /// The signal strength; deprecated on iOS.
  open var rssi: NSNumber? { nil }
  /// Whether the peripheral is connected.
  open var state: CBPeripheralState { .disconnected }
  /// The services that were discovered.
  open var services: [CBService]? { nil }
  /// Whether a write without response can be sent.
  open var canSendWriteWithoutResponse: Bool { false }
  /// Whether the peripheral may receive the notifications of the phone.
  open var ancsAuthorized: Bool { false }

  /// Has no effect.
  open func readRSSI() {}

  /// Has no effect.
  ///
  /// - Parameter serviceUUIDs: The services to discover; nil for all.
  open func discoverServices(_ serviceUUIDs: [CBUUID]?) {}

  /// Has no effect.
  ///
  /// - Parameters:
  ///   - includedServiceUUIDs: The services to discover; nil for all.
  ///   - service: The service that includes them.
  open func discoverIncludedServices(_ includedServiceUUIDs: [CBUUID]?, for service: CBService) {}

  /// Has no effect.
  ///
  /// - Parameters:
  ///   - characteristicUUIDs: The characteristics to discover; nil for all.
  ///   - service: Their service.
  open func discoverCharacteristics(_ characteristicUUIDs: [CBUUID]?, for service: CBService) {}

  /// Has no effect.
  ///
  /// - Parameter characteristic: The characteristic of the descriptors.
  open func discoverDescriptors(for characteristic: CBCharacteristic) {}

  /// Has no effect.
  ///
  /// - Parameter characteristic: The characteristic to read.
  open func readValue(for characteristic: CBCharacteristic) {}

  /// Has no effect.
  ///
  /// - Parameter descriptor: The descriptor to read.
  open func readValue(for descriptor: CBDescriptor) {}

  /// Has no effect.
  ///
  /// - Parameters:
  ///   - data: The value.
  ///   - characteristic: The characteristic to write.
  ///   - type: Whether the write is acknowledged.
  open func writeValue(_ data: Data, for characteristic: CBCharacteristic, type: CBCharacteristicWriteType) {}

  /// Has no effect.
  ///
  /// - Parameters:
  ///   - data: The value.
  ///   - descriptor: The descriptor to write.
  open func writeValue(_ data: Data, for descriptor: CBDescriptor) {}

  /// Has no effect.
  ///
  /// - Parameters:
  ///   - enabled: Whether to subscribe.
  ///   - characteristic: The characteristic.
  open func setNotifyValue(_ enabled: Bool, for characteristic: CBCharacteristic) {}

  /// The largest number of bytes that one write carries: those of the smallest ATT_MTU.
  ///
  /// - Parameter type: Whether the write is acknowledged.
  open func maximumWriteValueLength(for type: CBCharacteristicWriteType) -> Int { 20 }

  /// Has no effect.
  ///
  /// - Parameter PSM: The number of the channel.
  open func openL2CAPChannel(_ PSM: CBL2CAPPSM) {}
}
