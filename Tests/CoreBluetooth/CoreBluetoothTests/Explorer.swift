// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CoreBluetooth

/// A central that connects to what it discovers, uses all that it finds, and writes down its callbacks.
///
/// @unchecked: the story waits for each callback, so the test and the callbacks never run at the same time.
class Explorer: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
  var lines: [String] = []
  private(set) var manager: CBCentralManager!
  /// The object of each identifier, in the order of their discovery.
  var peripherals: [CBPeripheral] = []
  var options: [String: Any] = [:]
  var channel: CBL2CAPChannel?
  /// The times of disconnections.
  var losses: [CFAbsoluteTime] = []
  /// Whether it connects again after the end of a connection.
  var reconnects = false
  private let services: [CBUUID]?
  private let connects: Bool

  /// - Parameters:
  ///   - services: those that it scans for.
  ///   - connects: whether it stops the scan at the first discovery, and connects.
  init(
    _ services: [CBUUID]? = nil, restores identifier: String? = nil, connects: Bool = true, queue: DispatchQueue? = nil
  ) {
    (self.services, self.connects) = (services, connects)
    super.init()
    manager = CBCentralManager(
      delegate: self, queue: queue, options: identifier.map { [CBCentralManagerOptionRestoreIdentifierKey: $0] })
  }

  func take() -> [String] {
    defer { lines = [] }
    return lines
  }

  func characteristic(_ uuid: String) -> CBCharacteristic {
    let all = peripherals.flatMap { $0.services ?? [] }.flatMap { $0.characteristics ?? [] }
    return all.first { $0.uuid == CBUUID(string: uuid) }!
  }

  func note(_ what: String, _ error: (any Error)? = nil) {
    lines.append(what + (error.map { " \(($0 as NSError).domain) \(($0 as NSError).code)" } ?? ""))
  }

  /// The state of each peripheral, and how many services and how many notifying characteristics its object has.
  var held: [String] {
    peripherals.map { peripheral in
      let services = peripheral.services ?? []
      let notifying = services.flatMap { $0.characteristics ?? [] }.filter(\.isNotifying)
      return "\(peripheral.state.rawValue) \(services.count) \(notifying.count)"
    }
  }

  // MARK: CBCentralManagerDelegate

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    note("state \(central.state.rawValue)")
    if central.state == .poweredOn, peripherals.isEmpty { central.scanForPeripherals(withServices: services) }
  }

  func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
    peripherals = dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral] ?? []
    let scan = dict[CBCentralManagerRestoredStateScanServicesKey] as? [CBUUID]
    for peripheral in peripherals { peripheral.delegate = self }
    note("restore \(held), scan \(scan?.map(\.uuidString) ?? [])")
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    let overflow = advertisementData[CBAdvertisementDataOverflowServiceUUIDsKey] as? [CBUUID]
    note("discovered \(peripheral.name ?? "-")\(overflow.map { " overflow \($0.map(\.uuidString))" } ?? "")")
    if !peripherals.contains(peripheral) { peripherals.append(peripheral) }
    peripheral.delegate = self
    guard connects else { return }
    central.stopScan()
    central.connect(peripheral, options: options)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    note("connected")
    peripheral.discoverServices(nil)
  }

  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
    note("not connected", error)
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {
    note("disconnected", error)
    if reconnects { central.connect(peripheral, options: options) }
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
    isReconnecting: Bool, error: (any Error)?
  ) {
    losses.append(timestamp)
    centralManager(central, didDisconnectPeripheral: peripheral, error: error)
  }

  // MARK: CBPeripheralDelegate

  func peripheralDidUpdateName(_ peripheral: CBPeripheral) { note("name \(peripheral.name ?? "-")") }

  func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
    note("modified \(invalidatedServices.map(\.uuid.uuidString))")
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    note("services \(peripheral.services?.map(\.uuid.uuidString) ?? [])", error)
    for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
    note("\(service.uuid.uuidString) has \(service.characteristics?.map(\.uuid.uuidString) ?? [])", error)
    for characteristic in service.characteristics ?? [] where characteristic.properties.contains(.notify) {
      peripheral.setNotifyValue(true, for: characteristic)
    }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    note("descriptors \(characteristic.descriptors?.map(\.uuid.uuidString) ?? [])", error)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    note("notifying \(characteristic.uuid.uuidString) \(characteristic.isNotifying)", error)
  }

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    note("value \(characteristic.uuid.uuidString) \(characteristic.value.map { [UInt8]($0) } ?? [])", error)
  }

  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    note("written \(characteristic.uuid.uuidString)", error)
  }

  func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
    note("RSSI \(RSSI)", error)
  }

  func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
    note("channel \(channel?.psm ?? 0)", error)
    self.channel = channel
    channel?.inputStream.open()
    channel?.outputStream.open()
  }

  func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) { note("ready") }
}
