// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// The callbacks of a peripheral, on the queue of its manager. All methods have bodies here, because optional methods
/// need Objective-C: a method that only a subclass of the conforming class adds is not called.
public protocol CBPeripheralDelegate: NSObjectProtocol {
  /// The name has changed.
  ///
  /// - Parameter peripheral: The peripheral.
  func peripheralDidUpdateName(_ peripheral: CBPeripheral)

  /// The peripheral has changed its services. All but the invalidated services stay valid; the app discovers new ones.
  ///
  /// - Parameters:
  ///   - peripheral: The peripheral.
  ///   - invalidatedServices: The services that the app has discovered and that are no longer valid; empty if the
  ///     peripheral has added a service.
  func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService])

  /// Not called; deprecated on iOS.
  ///
  /// - Parameters:
  ///   - peripheral: The peripheral.
  ///   - error: Why it failed; nil on success.
  func peripheralDidUpdateRSSI(_ peripheral: CBPeripheral, error: (any Error)?)

  /// The signal strength was read.
  ///
  /// - Parameters:
  ///   - peripheral: The peripheral.
  ///   - RSSI: The signal strength in dBm.
  ///   - error: Why it failed; nil on success.
  func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?)

  /// Services were discovered.
  ///
  /// - Parameters:
  ///   - peripheral: The peripheral.
  ///   - error: Why it failed; nil on success.
  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?)

  /// Included services were discovered.
  ///
  /// - Parameters:
  ///   - peripheral: The peripheral.
  ///   - service: The service.
  ///   - error: Why it failed; nil on success.
  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?)

  /// Characteristics were discovered.
  ///
  /// - Parameters:
  ///   - peripheral: The peripheral.
  ///   - service: The service.
  ///   - error: Why it failed; nil on success.
  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?)

  /// A value was read, or was received as a notification or indication.
  ///
  /// - Parameters:
  ///   - peripheral: The peripheral.
  ///   - characteristic: The characteristic.
  ///   - error: Why it failed; nil on success.
  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?)

  /// A value was written.
  ///
  /// - Parameters:
  ///   - peripheral: The peripheral.
  ///   - characteristic: The characteristic.
  ///   - error: Why it failed; nil on success.
  func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?)

  /// A subscription has begun or ended.
  ///
  /// - Parameters:
  ///   - peripheral: The peripheral.
  ///   - characteristic: The characteristic.
  ///   - error: Why it failed; nil on success.
  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?)

  /// Descriptors were discovered.
  ///
  /// - Parameters:
  ///   - peripheral: The peripheral.
  ///   - characteristic: The characteristic.
  ///   - error: Why it failed; nil on success.
  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?)

  /// A descriptor was read.
  ///
  /// - Parameters:
  ///   - peripheral: The peripheral.
  ///   - descriptor: The descriptor.
  ///   - error: Why it failed; nil on success.
  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?)

  /// A descriptor was written.
  ///
  /// - Parameters:
  ///   - peripheral: The peripheral.
  ///   - descriptor: The descriptor.
  ///   - error: Why it failed; nil on success.
  func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?)

  /// A write without response can be sent again, after ``CBPeripheral/canSendWriteWithoutResponse`` was false.
  ///
  /// - Parameter peripheral: The peripheral.
  func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral)

  /// A channel was opened.
  ///
  /// - Parameters:
  ///   - peripheral: The peripheral.
  ///   - channel: The channel.
  ///   - error: Why it failed; nil on success.
  func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?)

  /// A procedure of a channel sounding session has ended. Not called: no session begins.
  ///
  /// - Parameters:
  ///   - peripheral: The peripheral.
  ///   - results: The measurement; nil after an error.
  ///   - error: Why it failed; nil on success.
  func peripheral(
    _ peripheral: CBPeripheral, didReceive results: CBChannelSoundingProcedureResults?, error: (any Error)?)

  /// A channel sounding session has ended.
  ///
  /// - Parameters:
  ///   - peripheral: The peripheral.
  ///   - error: Why it failed; nil after a cancellation.
  func peripheral(_ peripheral: CBPeripheral, didCompleteChannelSoundingSession error: (any Error)?)
}

extension CBPeripheralDelegate {
  /// Does nothing.
  public func peripheralDidUpdateName(_ peripheral: CBPeripheral) {}

  /// Does nothing.
  public func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {}

  /// Does nothing.
  public func peripheralDidUpdateRSSI(_ peripheral: CBPeripheral, error: (any Error)?) {}

  /// Does nothing.
  public func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {}

  /// Does nothing.
  public func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {}

  /// Does nothing.
  public func peripheral(
    _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?
  ) {}

  /// Does nothing.
  public func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) {}

  /// Does nothing.
  public func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {}

  /// Does nothing.
  public func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {}

  /// Does nothing.
  public func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) {}

  /// Does nothing.
  public func peripheral(
    _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
  ) {}

  /// Does nothing.
  public func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?
  ) {}

  /// Does nothing.
  public func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?
  ) {}

  /// Does nothing.
  public func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {}

  /// Does nothing.
  public func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {}

  /// Does nothing.
  public func peripheral(
    _ peripheral: CBPeripheral, didReceive results: CBChannelSoundingProcedureResults?, error: (any Error)?
  ) {}

  /// Does nothing.
  public func peripheral(_ peripheral: CBPeripheral, didCompleteChannelSoundingSession error: (any Error)?) {}
}
