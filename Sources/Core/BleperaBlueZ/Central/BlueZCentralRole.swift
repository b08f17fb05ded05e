import BleperaBluetooth
import BleperaDBus
import BleperaRadio

/// The peripherals of the phone's central role: awaited peripherals, attempts to connect, and connections.
struct BlueZCentralRole {
  /// connecting -> pausing; a removed attempt has ended.
  private enum Attempt: Equatable {
    case connecting(Int)
    case pausing
  }

  /// A connection that an app uses.
  private struct Link {
    var peripheral: RadioPeripheral
    /// Whether the phone has ended the connection: bluetoothd takes 2 s.
    var isEnding = false
    var services = Services.unknown([])
    /// The characteristics whose values are reported.
    var notifying: Set<ObjectPath> = []
  }

  private enum Services {
    /// bluetoothd has not discovered the services; carries the operations that wait for them.
    case unknown([Operation])
    case known([FoundService])
  }

  struct Operation: Hashable {
    let id: PeripheralOperationID
    let procedure: GATTProcedure
  }

  /// Nil until the first scan or connection: bluetoothd's advertisements are not followed before.
  var manager: CentralManager?
  /// Whether advertisements are reported.
  private(set) var isScanning = false
  /// The peripherals that the phone waits for.
  private(set) var waiting: Set<PeripheralID> = []
  private var attempts: [ObjectPath: Attempt] = [:]
  private var lastAttempt = 0
  private var links: [ObjectPath: Link] = [:]
  /// The devices that this radio has made trusted.
  private(set) var trusted: Set<ObjectPath> = []

  /// The devices with a connection, in order.
  var linked: [ObjectPath] { links.keys.sorted() }
  /// The devices with an attempt.
  var attempted: [ObjectPath] { Array(attempts.keys) }

  func isLinked(_ device: ObjectPath) -> Bool { links[device] != nil }

  /// Whether this radio makes, or has made, the connection to the device.
  func isOutgoing(_ device: ObjectPath, isCentral: Bool) -> Bool {
    attempts[device] != nil || links[device] != nil && !isCentral
  }

  func device(of peripheral: PeripheralID) -> ObjectPath? { links.first { $0.value.peripheral.id == peripheral }?.key }

  func peripheral(at device: ObjectPath) -> RadioPeripheral? { links[device]?.peripheral }

  mutating func scan(_ isScanning: Bool) { self.isScanning = isScanning }

  // MARK: Attempts

  /// - Returns: the peripherals that are not waited for any more.
  mutating func wait(for peripherals: Set<PeripheralID>) -> Set<PeripheralID> {
    defer { waiting = peripherals }
    return waiting.subtracting(peripherals)
  }

  func isWanted(_ device: FoundDevice) -> Bool { waiting.contains(device.peripheral) && links[device.path] == nil }

  /// - Returns: the number of the attempt; nil where there is one.
  mutating func beginAttempt(_ device: FoundDevice) -> Int? {
    guard attempts[device.path] == nil else { return nil }
    lastAttempt += 1
    attempts[device.path] = .connecting(lastAttempt)
    // bluetoothd forgets a device that is neither bonded nor trusted 30 s after each disconnection.
    if !device.isTrusted { trusted.insert(device.path) }
    return lastAttempt
  }

  func isConnecting(_ device: ObjectPath, attempt: Int) -> Bool { attempts[device] == .connecting(attempt) }

  mutating func pauseAttempt(_ device: ObjectPath) { attempts[device] = .pausing }

  /// - Returns: whether there was an attempt.
  mutating func endAttempt(_ device: ObjectPath) -> Bool { attempts.removeValue(forKey: device) != nil }

  // MARK: Connections

  /// - Returns: nil where the phone does not wait for the device.
  mutating func link(_ device: FoundDevice) -> RadioPeripheral? {
    guard links[device.path] == nil, waiting.remove(device.peripheral) != nil else { return nil }
    let peripheral = RadioPeripheral(
      id: device.peripheral, isBonded: device.hasBond, mtu: ATTMTU.range.lowerBound)
    links[device.path] = Link(peripheral: peripheral)
    attempts[device.path] = nil
    return peripheral
  }

  mutating func endLink(_ device: ObjectPath) { links[device]?.isEnding = true }

  func isEnding(_ device: ObjectPath) -> Bool { links[device]?.isEnding == true }

  /// - Returns: the event, and the characteristics that bluetoothd would subscribe to again at the next connection.
  mutating func unlink(_ device: ObjectPath, _ cause: DisconnectionCause) -> (RadioEvent, Set<ObjectPath>)? {
    guard let link = links.removeValue(forKey: device) else { return nil }
    return (.peripheralDisconnected(link.peripheral.id, link.isEnding ? .byPhone : cause), link.notifying)
  }

  /// Follows bluetoothd's device; the name is the Device Name once the services are known.
  ///
  /// - Returns: nil if the peripheral is as before.
  mutating func update(_ device: FoundDevice) -> RadioEvent? {
    guard let link = links[device.path], case .known(let services) = link.services else { return nil }
    let former = link.peripheral
    let mtu = services.lazy.flatMap(\.characteristics).compactMap(\.mtu).first
    let peripheral = RadioPeripheral(
      id: device.peripheral, isBonded: device.hasBond, mtu: mtu ?? former.mtu,
      name: device.advertised.name ?? former.name)
    guard peripheral != former else { return nil }
    links[device.path]?.peripheral = peripheral
    let isMoved = peripheral.id != former.id || peripheral.isBonded != former.isBonded
    return isMoved ? .peripheralBonded(former.id, peripheral) : .peripheralChanged(peripheral)
  }

  // MARK: Services

  /// Nil until bluetoothd has discovered them.
  func services(of device: ObjectPath) -> [FoundService]? {
    if case .known(let services)? = links[device]?.services { services } else { nil }
  }

  /// - Returns: the operations that have waited for the services.
  mutating func setServices(of device: ObjectPath, _ services: [FoundService]) -> [Operation] {
    defer { links[device]?.services = .known(services) }
    if case .unknown(let operations)? = links[device]?.services { return operations }
    return []
  }

  /// - Returns: whether the operation waits for the services.
  mutating func wait(_ operation: Operation, at device: ObjectPath) -> Bool {
    guard case .unknown(let operations)? = links[device]?.services else { return false }
    links[device]?.services = .unknown(operations + [operation])
    return true
  }

  // MARK: Values

  mutating func setNotifying(_ isOn: Bool, _ characteristic: ObjectPath, at device: ObjectPath) {
    if isOn {
      links[device]?.notifying.insert(characteristic)
    } else {
      links[device]?.notifying.remove(characteristic)
    }
  }

  /// The peripheral whose value of the characteristic is reported; nil for none.
  func peripheral(notifying characteristic: ObjectPath) -> RadioPeripheral? {
    guard let device = characteristic.parent?.parent, let link = links[device] else { return nil }
    return link.notifying.contains(characteristic) ? link.peripheral : nil
  }
}

extension FoundDevice {
  var peripheral: PeripheralID { PeripheralID(rawValue: address) }
}
