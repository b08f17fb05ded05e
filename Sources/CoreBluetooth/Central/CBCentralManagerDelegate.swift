// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CoreFoundation

/// What a central manager reports to the app. Here only the state is reported, the phone's.
public protocol CBCentralManagerDelegate: NSObjectProtocol {
  /// Bluetooth has been switched, or is known for the first time.
  ///
  /// - Parameter central: The manager.
  func centralManagerDidUpdateState(_ central: CBCentralManager)

  /// The system has launched the app again.
  ///
  /// - Parameters:
  ///   - central: The manager.
  ///   - dict: What the system has preserved.
  func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any])

  /// A peripheral was discovered.
  ///
  /// - Parameters:
  ///   - central: The manager.
  ///   - peripheral: The peripheral.
  ///   - advertisementData: What it advertises.
  ///   - RSSI: The signal strength in dBm.
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
  ///   - error: Why it failed; nil on success.
  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?)

  /// A peripheral was disconnected.
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
  ///   - timestamp: When.
  ///   - isReconnecting: Whether the system connects again.
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

  /// Whether a peripheral receives the notifications of the phone has changed.
  ///
  /// - Parameters:
  ///   - central: The manager.
  ///   - peripheral: The peripheral.
  func centralManager(_ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral)
}

extension CBCentralManagerDelegate {
  /// Does nothing.
  public func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {}

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

  /// Does nothing.
  public func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
    isReconnecting: Bool, error: (any Error)?
  ) {}

  /// Does nothing.
  public func centralManager(
    _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral
  ) {}

  /// Does nothing.
  public func centralManager(_ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral) {}
}
