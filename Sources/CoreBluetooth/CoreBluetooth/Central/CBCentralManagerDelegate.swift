// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CoreFoundation

/// The callbacks of a central manager, on the queue of the manager.
///
/// Only ``centralManagerDidUpdateState(_:)`` is required. The other methods have bodies here, because optional methods
/// need Objective-C: a method that only a subclass of the conforming class adds is not called.
public protocol CBCentralManagerDelegate: NSObjectProtocol {
  /// Bluetooth has been switched, or is known for the first time. When it is switched off, all peripherals are
  /// disconnected without another callback.
  ///
  /// - Parameter central: The manager.
  func centralManagerDidUpdateState(_ central: CBCentralManager)

  /// The system has launched the app again, and hands over what it has preserved. Called before
  /// ``centralManagerDidUpdateState(_:)``.
  ///
  /// - Parameters:
  ///   - central: The manager.
  ///   - dict: The peripherals, which only the dictionary retains, and the scan; a key without content is absent.
  func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any])

  /// A peripheral was discovered.
  ///
  /// - Parameters:
  ///   - central: The manager.
  ///   - peripheral: The peripheral, which the app has to retain.
  ///   - advertisementData: The peripheral's advertisement; before iOS 16.4 with the scan response, which later is a
  ///     discovery of its own with `CBCentralManagerScanOptionAllowDuplicatesKey`, and none without it.
  ///   - RSSI: The signal strength in dBm; 127 if unknown.
  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber)

  /// A peripheral was connected.
  ///
  /// - Parameters:
  ///   - central: The manager.
  ///   - peripheral: The peripheral.
  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral)

  /// A peripheral could not be connected.
  ///
  /// - Parameters:
  ///   - central: The manager.
  ///   - peripheral: The peripheral.
  ///   - error: Why it failed.
  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?)

  /// A peripheral was disconnected. Not called for a delegate that has the method with a `timestamp`.
  ///
  /// - Parameters:
  ///   - central: The manager.
  ///   - peripheral: The peripheral.
  ///   - error: Why; nil where the app disconnected.
  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?)

  /// A peripheral was disconnected.
  ///
  /// - Parameters:
  ///   - central: The manager.
  ///   - peripheral: The peripheral.
  ///   - timestamp: The end of the connection, by the phone's clock: virtual time in a story.
  ///   - isReconnecting: Whether the system connects again, as `CBConnectPeripheralOptionEnableAutoReconnect` asks.
  ///   - error: Why; nil where the app disconnected.
  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
    isReconnecting: Bool, error: (any Error)?)

  /// A peripheral was connected or disconnected by any app.
  ///
  /// - Parameters:
  ///   - central: The manager.
  ///   - event: Which of the two.
  ///   - peripheral: The peripheral.
  func centralManager(
    _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral)

  /// Whether a peripheral receives the notifications of the phone has changed. Not called here.
  ///
  /// - Parameters:
  ///   - central: The manager.
  ///   - peripheral: The peripheral.
  func centralManager(_ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral)
}

extension CBCentralManagerDelegate {
  /// Logs that the state is lost.
  public func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
    Misuse.log(
      "API MISUSE: \(central) has provided a restore identifier but the delegate doesn't implement the "
        + "centralManager:willRestoreState: method")
  }

  /// Does nothing.
  public func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {}

  /// Does nothing.
  public func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {}

  /// Does nothing.
  public func centralManager(
    _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
  ) {}

  /// Does nothing.
  public func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {}

  /// Calls ``centralManager(_:didDisconnectPeripheral:error:)``.
  public func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
    isReconnecting: Bool, error: (any Error)?
  ) { centralManager(central, didDisconnectPeripheral: peripheral, error: error) }

  /// Does nothing.
  public func centralManager(
    _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral
  ) {}

  /// Does nothing.
  public func centralManager(_ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral) {}
}
