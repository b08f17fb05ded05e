// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// The callbacks of a peripheral manager, on the queue of the manager.
///
/// Only ``peripheralManagerDidUpdateState(_:)`` is required. The other methods have bodies here, because optional
/// methods need Objective-C: a method that only a subclass of the conforming class adds is not called.
public protocol CBPeripheralManagerDelegate: NSObjectProtocol {
  /// Bluetooth has been switched, or is known for the first time.
  ///
  /// - Parameter peripheral: The manager whose state has changed.
  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager)

  /// The system has launched the app again, and hands over what it has preserved. Called before
  /// ``peripheralManagerDidUpdateState(_:)``.
  ///
  /// - Parameters:
  ///   - peripheral: The manager that is restored.
  ///   - dict: The published services and the advertisement, which are active: adding them again publishes them twice.
  func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any])

  /// The response to ``CBPeripheralManager/startAdvertising(_:)``.
  ///
  /// - Parameters:
  ///   - peripheral: The manager that advertises.
  ///   - error: Why it does not, such as ``CBError/alreadyAdvertising``; nil on success.
  func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?)

  /// The response to ``CBPeripheralManager/add(_:)``.
  ///
  /// - Parameters:
  ///   - peripheral: The manager that publishes the service.
  ///   - service: The service.
  ///   - error: Why the service is not published, such as ``CBError/uuidNotAllowed``; nil on success.
  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?)

  /// A central has subscribed to a characteristic.
  ///
  /// - Parameters:
  ///   - peripheral: The manager that has published the characteristic.
  ///   - central: The central.
  ///   - characteristic: The characteristic.
  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic)

  /// A central has unsubscribed from a characteristic, or has disconnected.
  ///
  /// - Parameters:
  ///   - peripheral: The manager that has published the characteristic.
  ///   - central: The central.
  ///   - characteristic: The characteristic.
  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic)

  /// A central reads a value that is not cached. Requires one ``CBPeripheralManager/respond(to:withResult:)``.
  ///
  /// - Parameters:
  ///   - peripheral: The manager that has published the characteristic.
  ///   - request: The read, whose value is to be set.
  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest)

  /// A central writes. Requires one ``CBPeripheralManager/respond(to:withResult:)``, with the first request.
  ///
  /// - Parameters:
  ///   - peripheral: The manager that has published the characteristics.
  ///   - requests: Writes that succeed or fail together.
  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest])

  /// The transmit queue has room again, after ``CBPeripheralManager/updateValue(_:for:onSubscribedCentrals:)`` has
  /// returned false.
  ///
  /// - Parameter peripheral: The manager.
  func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager)

  /// The response to ``CBPeripheralManager/publishL2CAPChannel(withEncryption:)``.
  ///
  /// - Parameters:
  ///   - peripheral: The manager.
  ///   - PSM: The number of the channel.
  ///   - error: ``CBError/operationNotSupported``.
  func peripheralManager(_ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?)

  /// The response to ``CBPeripheralManager/unpublishL2CAPChannel(_:)``.
  ///
  /// - Parameters:
  ///   - peripheral: The manager.
  ///   - PSM: The number of the channel.
  ///   - error: ``CBError/operationNotSupported``.
  func peripheralManager(
    _ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?)

  /// A central has opened a channel.
  ///
  /// - Parameters:
  ///   - peripheral: The manager.
  ///   - channel: The channel.
  ///   - error: Why the channel could not be opened.
  func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?)
}

extension CBPeripheralManagerDelegate {
  /// Logs that the state is lost.
  public func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {
    Misuse.log(
      "API MISUSE: \(peripheral) has provided a restore identifier but the delegate doesn't implement the "
        + "peripheralManager:willRestoreState: method")
  }

  /// Does nothing.
  public func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {}

  /// Does nothing.
  public func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {}

  /// Does nothing.
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) {}

  /// Does nothing.
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
  ) {}

  /// Refuses the read.
  public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    peripheral.respond(to: request, withResult: .requestNotSupported)
  }

  /// Refuses the writes.
  public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    if let first = requests.first { peripheral.respond(to: first, withResult: .requestNotSupported) }
  }

  /// Does nothing.
  public func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {}

  /// Does nothing.
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
  ) {}

  /// Does nothing.
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
  ) {}

  /// Does nothing.
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?
  ) {}
}
