import BleperaAppLink
import BleperaBluetooth
import BleperaRadio
import BleperaRules

@testable import BleperaPhone

/// The central role, with two managers of two apps in the foreground; the test is the radio.
struct RoleStage {
  static let a = CentralUser(app: AppID(rawValue: 1), manager: ManagerID(.central, .restorable("a")))
  static let b = CentralUser(app: AppID(rawValue: 2), manager: ManagerID(.central, .number(0)))
  /// The address of a peripheral for the radio, whose last digit is the number.
  static func address(_ number: Int = 1) -> PeripheralID { PeripheralID(rawValue: "C0:00:00:00:00:0\(number)") }
  static func id(_ number: Int = 1) -> PeripheralID { address(number).forApps }

  /// Service Changed, heart rate with a value that notifies and a control point that indicates, battery, and those that
  /// apps do not see.
  static let services = [
    RemoteService(
      range: 0x01...0x05, uuid: BluetoothUUID(0x1801 as UInt16), isPrimary: true,
      characteristics: [
        RemoteCharacteristic(declaration: 0x02, value: 0x03, uuid: BluetoothUUID(0x2A05 as UInt16), properties: 0x20)
      ]),
    RemoteService(range: 0x10...0x17, uuid: heartRate, isPrimary: true),
    RemoteService(range: 0x20...0x22, uuid: BluetoothUUID(0x180F as UInt16), isPrimary: true),
    RemoteService(range: 0x30...0x33, uuid: BluetoothUUID(0x1812 as UInt16), isPrimary: true),
  ]
  static let heartRate = BluetoothUUID(0x180D as UInt16)
  private static let characteristics = [
    RemoteCharacteristic(declaration: 0x11, value: 0x12, uuid: BluetoothUUID(0x2A37 as UInt16), properties: 0x12),
    RemoteCharacteristic(declaration: 0x14, value: 0x15, uuid: BluetoothUUID(0x2A39 as UInt16), properties: 0x2C),
  ]

  var role: CentralRole
  private var now = Duration.zero
  private var timestamp: Timestamp { Timestamp(sinceEpoch: now) }
  private var performed: [(number: PeripheralOperationID, answer: ProcedureAnswer)] = []
  private var names: [PeripheralID: String] = [:]
  private var lines: [String] = []

  init(_ rules: RuleSet = .newest, peripherals count: Int = 1) {
    role = CentralRole(rules)
    for user in [Self.a, Self.b] {
      role.add(user)
      role.appChanged(user.app, AppPresence(isForeground: true), at: now)
    }
    role.powerChanged(isOn: true, isCreated: { _ in true }, at: now, timestamp: Timestamp(sinceEpoch: now))
    for number in 1...count { receive(number) }
    _ = take()
  }

  // MARK: The radio

  mutating func receive(_ number: Int = 1, _ structures: [ADStructure] = [], rssi: Int? = nil) {
    names[Self.id(number)] = "p\(number)"
    let received = ReceivedAdvertisement(AdvertisingData(structures), rssi: rssi)
    role.received(Self.address(number), received, at: now)
  }

  mutating func connect(_ number: Int = 1, isBonded: Bool = false, name: String? = nil) {
    role.connected(RadioPeripheral(id: Self.address(number), isBonded: isBonded, mtu: 185, name: name), at: now)
  }

  mutating func disconnect(_ cause: DisconnectionCause = .timeout, of number: Int = 1) {
    role.disconnected(Self.address(number), cause, at: now, timestamp: timestamp)
  }

  /// Answers the oldest operation, as a peripheral with these services does unless there is a failure.
  mutating func answer(_ failure: ProcedureFailure? = nil) {
    handleOutputs()
    let (number, answer) = performed.removeFirst()
    role.completed(number, failure.map { .failure($0) } ?? .success(answer))
  }

  static let rssi = ProcedureAnswer.rssi(-50)

  /// The answer of a peripheral with these services.
  static func answer(to procedure: GATTProcedure) -> ProcedureAnswer {
    switch procedure {
    case .services, .knownServices: .services(services)
    case .includedServices: .services([])
    case .characteristics: .characteristics(characteristics)
    case .descriptors(let range):
      .descriptors([
        RemoteDescriptor(handle: range.lowerBound, uuid: DescriptorDefinition.clientCharacteristicConfiguration)
      ])
    case .read, .readByType: .value([60])
    case .write, .command, .prepared: .done
    }
  }

  /// Answers what is performed, and what follows from it.
  mutating func answerAll() -> [String] {
    var lines = take()
    while !performed.isEmpty {
      answer()
      lines += take()
    }
    return lines
  }

  mutating func wait(_ duration: Duration) {
    now += duration
    if let deadline = role.deadline, deadline <= now { role.passDeadline(at: now) }
  }

  /// Bluetooth is off, and on again.
  mutating func switchPower(isCreated: Bool = true) {
    for isOn in [false, true] {
      role.powerChanged(isOn: isOn, isCreated: { _ in isCreated }, at: now, timestamp: Timestamp(sinceEpoch: now))
    }
    handleOutputs()
    performed = []
  }

  // MARK: Apps

  mutating func call(_ call: CentralCall, by user: CentralUser = a) {
    role.call(call, by: user, at: now, timestamp: timestamp)
  }

  mutating func ask(_ calls: PeripheralCall..., by user: CentralUser = a) {
    for call in calls { self.call(.peripheral(Self.id(), call), by: user) }
  }

  /// The first manager is connected and has discovered everything but descriptors.
  mutating func explore(isBonded: Bool = false) {
    call(.connect(Self.id(), ConnectOptions()))
    connect(isBonded: isBonded)
    ask(.discoverServices(nil), .discoverCharacteristics(nil, service: 0x10))
    _ = answerAll()
  }

  // MARK: Outputs

  /// The actions of the role since the last call.
  mutating func take() -> [String] {
    handleOutputs()
    defer { lines = [] }
    return lines
  }

  private mutating func handleOutputs() {
    lines += role.takeOutputs().compactMap { output in
      switch output {
      case .scan(let scan):
        return scan.map { "scan \($0.window / .milliseconds(1)) of \($0.interval / .milliseconds(1))" } ?? "scan off"
      case .connect(let peripherals, _): return "connect \(peripherals.map { name($0.forApps) }.sorted())"
      case .disconnect(let peripheral): return "disconnect \(name(peripheral.forApps))"
      case .readRSSI(let number, _):
        performed.append((number, Self.rssi))
        return "rssi"
      case .perform(let procedure, let number, _):
        performed.append((number, Self.answer(to: procedure)))
        return switch procedure {
        case .knownServices: "known services"
        case .characteristics(let range): "characteristics of \(range)"
        case .descriptors(let range): "descriptors of \(range)"
        case .read(let handle, _): "read(\(handle))"
        case .write(let handle, let value, _, _): "write(\(handle), \(value))"
        default: "\(procedure)"
        }
      case .openChannel(let psm, _, _): return "open \(psm)"
      case .deliver(let user, let callback, _, _): return "\(user == Self.a ? "a" : "b") \(text(callback))"
      case .dropped(let user, _, let handle, _, let reason):
        return "\(user == Self.a ? "a" : "b") drops \(handle): \(reason)"
      case .powerChanged, .discovered, .received, .connected, .disconnected, .changed: return nil
      }
    }
  }

  private func name(_ id: PeripheralID) -> String { names[id] ?? id.rawValue }

  private func text(_ callback: CentralCallback) -> String {
    func error(_ error: CentralError?) -> String {
      switch error {
      case .code(let code): " \(code.rawValue)"
      case .att(let code): " ATT \(code.rawValue)"
      case nil: ""
      }
    }
    switch callback {
    case .didDiscover(let peripheral, let advertisement):
      return "discovered \(name(peripheral.id)) \(peripheral.name ?? "-") \(advertisement.rssi)"
    case .didConnect(let peripheral):
      return "connected \(name(peripheral.id))\(peripheral.canSendWriteWithoutResponse ? "" : ", cannot write")"
    case .didFailToConnect(let id, let cause): return "failed \(name(id))\(error(cause))"
    case .didDisconnectPeripheral(let id, _, let isReconnecting, let cause):
      return "disconnected \(name(id))\(error(cause))\(isReconnecting ? " reconnecting" : "")"
    case .connectionEventDidOccur(let peripheral, let isConnected): return "event \(name(peripheral.id)) \(isConnected)"
    case .peripheral(_, .didUpdate(let peripheral)): return "name \(peripheral.name ?? "-")"
    case .peripheral(_, .didModifyServices(let handles)): return "modified \(handles)"
    case .peripheral(_, .didDiscoverServices(let services, let cause)):
      return "services \(services.map(\.uuid))\(error(cause))"
    case .peripheral(_, .didDiscoverCharacteristics(let found, _, let cause)):
      return "characteristics \(found.map { $0.value ?? [] })\(error(cause))"
    case .peripheral(_, .didUpdateValue(let handle, let value, let cause)):
      return "\(handle) is \(value)\(error(cause))"
    case .peripheral(_, .didWriteValue(let handle, let cause)): return "\(handle) written\(error(cause))"
    case .peripheral(_, .didUpdateNotificationState(let handle, let isNotifying, let cause)):
      return "\(handle) notifying \(isNotifying)\(error(cause))"
    case .peripheral(_, .didReadRSSI(let rssi, let cause)): return "RSSI \(rssi)\(error(cause))"
    case .peripheral(_, .didSendWritesWithoutResponse(let count, let isSilent)):
      return "sent \(count)\(isSilent ? " silently" : "")"
    default: return "\(callback)"
    }
  }
}

extension CentralRole {
  /// Removes and returns what the role does.
  mutating func takeOutputs() -> [CentralOutput] {
    var taken: [CentralOutput] = []
    while let output = outputs.next() { taken.append(output) }
    return taken
  }
}
