// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CoreBluetooth

/// Subscribes to the phrases of an iPad, and logs each callback.
///
/// The system may terminate the app at any time: the next phrase launches it again, with its connection. After a force quit
/// the user has to open it. The background mode of the app is `bluetooth-central`.
public final class Listener: NSObject {
  public static var serviceUUID: CBUUID { CBUUID(string: "3C0E5D10-9B3E-4F4B-8A53-1D2F6C7A8B90") }
  /// Notifies of phrases over an encrypted link.
  public static var phraseUUID: CBUUID { CBUUID(string: "3C0E5D11-9B3E-4F4B-8A53-1D2F6C7A8B90") }

  private let name: String
  private let log: (String) -> Void
  private var manager: CBCentralManager!
  /// The iPad; a peripheral that the app does not retain is disconnected.
  private var tablet: CBPeripheral?

  /// - Parameters:
  ///   - name: The name of the iPad. Peripherals with other names are ignored.
  ///   - log: Receives the name of each callback, with what it reports.
  public init(name: String = "iPad", log: @escaping (String) -> Void) {
    (self.name, self.log) = (name, log)
    super.init()
    manager = CBCentralManager(
      delegate: self, queue: nil, options: [CBCentralManagerOptionRestoreIdentifierKey: "listener"])
  }

  private func keep(_ peripheral: CBPeripheral) {
    guard peripheral.name == name else { return }
    tablet = peripheral
    peripheral.delegate = self
  }
}

extension Listener: CBCentralManagerDelegate {
  public func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
    for peripheral in dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral] ?? [] { keep(peripheral) }
    log("willRestoreState \(tablet?.name ?? "nothing")")
  }

  public func centralManagerDidUpdateState(_ central: CBCentralManager) {
    log("didUpdateState \(central.state.rawValue)")
    guard central.state == .poweredOn else { return }
    guard let tablet else { return central.scanForPeripherals(withServices: [Self.serviceUUID]) }
    if tablet.state != .connected { central.connect(tablet) }
  }

  public func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    log("didDiscover \(peripheral.name ?? "nameless")")
    keep(peripheral)
    guard let tablet else { return }
    central.stopScan()
    central.connect(tablet)
  }

  public func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    log("didConnect")
    peripheral.discoverServices([Self.serviceUUID])
  }

  public func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {
    log("didDisconnect")
    central.connect(peripheral)
  }
}

extension Listener: CBPeripheralDelegate {
  public func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    log("didDiscoverServices \(peripheral.services?.count ?? 0)")
    for service in peripheral.services ?? [] { peripheral.discoverCharacteristics([Self.phraseUUID], for: service) }
  }

  public func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) {
    log("didDiscoverCharacteristics \(service.characteristics?.count ?? 0)")
    for characteristic in service.characteristics ?? [] { peripheral.setNotifyValue(true, for: characteristic) }
  }

  public func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    log("didUpdateNotificationState \(characteristic.isNotifying)")
  }

  public func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    log("didUpdateValue \(String(decoding: characteristic.value ?? Data(), as: UTF8.self))")
  }
}
