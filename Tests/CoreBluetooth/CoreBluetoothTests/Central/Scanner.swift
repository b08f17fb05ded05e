// swift-format-ignore-file: AlwaysUseLowerCamelCase

import BleperaAppLink
import BleperaBluetooth
import CoreBluetooth

/// A central that writes down its callbacks, on a port whose messages are the test's.
class Scanner: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
  let port: ManualPort
  private(set) var manager: CBCentralManager!
  private var lines: [String] = []
  /// The peripherals that the app retains.
  var peripherals: [CBPeripheral] = []
  var retainsPeripherals = true
  var advertisement: [String: Any] = [:]
  var restored: [String: Any] = [:]
  var channel: CBL2CAPChannel?

  /// - Parameter isOn: whether Bluetooth is reported as on.
  init(_ port: ManualPort = ManualPort(), restores identifier: String? = nil, isOn: Bool = true) {
    self.port = port
    super.init()
    manager = AppPorts.$current.withValue(port) {
      CBCentralManager(
        delegate: self, queue: nil,
        options: identifier.map { [CBCentralManagerOptionRestoreIdentifierKey: $0] })
    }
    guard isOn else { return }
    deliver(.didUpdateState(.poweredOn))
    _ = takeLines()
    _ = port.takeSent()
  }

  static let id = PeripheralID(rawValue: "A9B0F3D2-0C1F-4E0B-8E41-6C5D1B0A0001")
  static let description = PeripheralDescription(id: id, name: "Lamp")

  /// Delivers callbacks for the manager, and runs them.
  func deliver(_ callbacks: CentralCallback..., to manager: ManagerID.Name = .number(0)) {
    for callback in callbacks { port.deliver(.central(manager, callback)) }
    port.runCallbacks()
  }

  func deliver(_ callbacks: PeripheralCallback...) {
    for callback in callbacks { port.deliver(.central(.number(0), .peripheral(Self.id, callback))) }
    port.runCallbacks()
  }

  /// The lines since the last call.
  func takeLines() -> [String] {
    defer { lines = [] }
    return lines
  }

  /// The calls that were sent since the last call.
  func takeCalls() -> [CentralCall] {
    port.takeSent().compactMap { if case .central(_, let call) = $0 { call } else { nil } }
  }

  /// The calls to the peripheral that were sent since the last call.
  func takePeripheralCalls() -> [PeripheralCall] {
    takeCalls().compactMap { if case .peripheral(Self.id, let call) = $0 { call } else { nil } }
  }

  /// Discovers a peripheral and connects to it.
  func connect(mtu: Int = 185) -> CBPeripheral {
    deliver(.didDiscover(Self.description, DiscoveredAdvertisement()))
    let peripheral = peripherals[0]
    manager.connect(peripheral)
    deliver(.didConnect(PeripheralDescription(id: Self.id, name: "Lamp", mtu: mtu, isConnected: true)))
    _ = (takeLines(), port.takeSent())
    return peripheral
  }

  /// Connects, and discovers 180D with 2A37, which has a descriptor 2902, and 2A39.
  func connectAndDiscover() -> CBPeripheral {
    let peripheral = connect()
    deliver(
      .didDiscoverServices([Self.service], error: nil),
      .didDiscoverCharacteristics(Self.characteristics, service: 0x10, error: nil),
      .didDiscoverDescriptors(
        [RemoteDescriptorDescription(handle: 0x13, uuid: BluetoothUUID("2902")!)], characteristic: 0x12, error: nil))
    _ = takeLines()
    return peripheral
  }

  static let service = RemoteServiceDescription(handle: 0x10, uuid: BluetoothUUID("180D")!, isPrimary: true)
  static let characteristics = [
    RemoteCharacteristicDescription(handle: 0x12, uuid: BluetoothUUID("2A37")!, properties: [.read, .notify]),
    RemoteCharacteristicDescription(
      handle: 0x15, uuid: BluetoothUUID("2A39")!, properties: [.write, .writeWithoutResponse]),
  ]

  // MARK: Callbacks

  func centralManagerDidUpdateState(_ central: CBCentralManager) { lines.append("state \(central.state.rawValue)") }

  func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
    lines.append("restore")
    if retainsPeripherals { restored = dict }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    lines.append("discovered \(peripheral.name ?? "-") \(RSSI)")
    advertisement = advertisementData
    guard retainsPeripherals else { return }
    peripheral.delegate = self
    if !peripherals.contains(where: { $0 === peripheral }) { peripherals.append(peripheral) }
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    lines.append("connected")
  }

  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
    lines.append("failed \(code(error))")
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {
    lines.append("disconnected \(code(error))")
  }

  func centralManager(
    _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral
  ) {
    lines.append("event \(event.rawValue)")
  }

  func peripheralDidUpdateName(_ peripheral: CBPeripheral) { lines.append("name \(peripheral.name ?? "-")") }

  func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
    lines.append("modified \(invalidatedServices.map(\.uuid.uuidString))")
  }

  func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
    lines.append("rssi \(RSSI)")
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    lines.append("services \(code(error))")
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?
  ) {
    lines.append("included \(code(error))")
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) {
    lines.append("characteristics \(code(error))")
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    lines.append("descriptors \(code(error))")
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    lines.append("value \(characteristic.value.map { "\(Array($0))" } ?? "-") \(code(error))")
  }

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?) {
    lines.append("descriptor \(descriptor.value ?? "-") \(code(error))")
  }

  func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    lines.append("wrote \(code(error))")
  }

  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?) {
    lines.append("wrote descriptor \(code(error))")
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    lines.append("notifying \(characteristic.isNotifying) \(code(error))")
  }

  func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) { lines.append("ready") }

  func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
    lines.append("channel \(channel?.psm ?? 0) \(code(error))")
    self.channel = channel
  }

  func peripheral(
    _ peripheral: CBPeripheral, didReceive results: CBChannelSoundingProcedureResults?, error: (any Error)?
  ) {
    lines.append("distance \(results?.distance ?? -1) \(code(error))")
  }

  func peripheral(_ peripheral: CBPeripheral, didCompleteChannelSoundingSession error: (any Error)?) {
    lines.append("sounding \(code(error))")
  }

  private func code(_ error: (any Error)?) -> String {
    error.map { "\(($0 as NSError).domain) \(($0 as NSError).code)" } ?? "-"
  }
}
