import BleperaAir
import BleperaBluetooth
import BleperaHost
import BleperaHostRadio
import BleperaLoop
import BleperaRadio
import BleperaRules
import ControllerTesting
import Synchronization

/// A phone's radio and centrals on an air whose time passes by `wait` alone.
final class PhoneStage: Sendable {
  static let phone = DeviceAddress(bits: 0x00AA_0100_0000)
  static let first = CentralID(rawValue: "00:AA:01:00:00:01")
  static let second = CentralID(rawValue: "00:AA:01:00:00:02")
  /// The handle of the characteristic's value in `service()`, and of its configuration.
  static let value: AttributeHandle = 0x102
  static let configuration: AttributeHandle = 0x103

  let loop = VirtualLoop()
  let air: SharedAir
  let radio: HostRadio
  /// Nil for a phone on the air itself.
  let controller: ControllerStage?
  let centrals: [VirtualCentral]
  private let events: Log
  private let results: Log
  private let display: Display

  init(
    pairing: PairingMode = .justWorks, mtu: Int = 185, conditions: AirConditions = AirConditions(interval: .zero),
    rotation: Duration? = nil, identity: PhoneIdentity? = nil, on layer: LinkLayerKind = .air
  ) {
    let (events, results, shown) = (Log(), Log(), Display())
    air = SharedAir(loop: loop, conditions: conditions, seed: 1)
    (radio, controller, centrals) = loop.perform { [air, loop] in
      air.assumeIsolated { host in
        var description = AdapterDescription(address: host.nextAddress, addressRotation: rotation, name: "phone")
        if let identity { description.take(identity) }
        let controller =
          layer == .air
          ? nil
          : ControllerStage(
            loop: loop, air: air, phone: PhoneHost(description),
            identity: identity ?? PhoneIdentity(address: "\(Self.phone)", key: PhoneIdentity(seed: 1).key),
            isLegacy: layer == .legacyController)
        let adapter = controller.map { $0.adapter as any HostedAdapter } ?? air.hosted(host.addAdapter(description))
        let radio = HostRadio(adapter: adapter, identity: identity, pairing: pairing) {
          if case .passkey(_, let passkey) = $0 { shown.passkey.withLock { $0 = passkey } }
          events.add(Self.text($0))
        }
        let centrals = (1...2).map { number in
          let adapter = host.addAdapter(named: "central \(number)", mtu: mtu)
          return VirtualCentral(air: air, adapter: adapter, shownPasskey: { shown.passkey.withLock { $0 } }) { event in
            if case .value(_, _, let value) = event { results.add("\(number) receives \(value)") }
          }
        }
        for central in centrals {
          host.run(.host(central.adapter, .capability(.keyboardOnly)))
          central.assumeIsolated { $0.start() }
        }
        return (radio, controller, centrals)
      }
    }
    (self.events, self.results, display) = (events, results, shown)
    // The controller has answered everything.
    phone { $0.start() }
    wait(.milliseconds(5))
  }

  /// The number of the phone's services.
  var serviceCount: Int? { loop.perform { radio.adapter.withHost { $0.database.serviceUUIDs.count } } }

  var shownPasskey: UInt32? { display.passkey.withLock { $0 } }

  func wait(_ duration: Duration) { loop.advance(by: duration) }

  @discardableResult
  func phone<Value: Sendable>(_ body: @Sendable (isolated HostRadio) -> Value) -> Value {
    loop.perform { radio.assumeIsolated(body) }
  }

  /// The events that the radio has reported since the last call.
  func takeEvents() -> [String] { events.take() }
  /// The results that the centrals have received since the last call.
  func takeResults() -> [String] { results.take() }

  // MARK: Centrals

  func run(_ event: AirEvent) { loop.perform { air.assumeIsolated { $0.run(event) } } }

  /// Begins an operation of a central, whose result is logged.
  func perform(_ number: Int, _ operation: GATTProcedure) {
    let adapter = centrals[number - 1].adapter
    operate(number) { [air] id in
      guard let link = air.assumeIsolated({ $0.air.connections.values.first { $0.central == adapter } }) else {
        return .tick
      }
      return .host(adapter, .perform(id, link.id, operation))
    }
  }

  func pair(_ number: Int) {
    let adapter = centrals[number - 1].adapter
    operate(number) { [air] id in
      guard let link = air.assumeIsolated({ $0.air.connections.values.first { $0.central == adapter } }) else {
        return .tick
      }
      return .host(adapter, .pair(link.id, id))
    }
  }

  private func operate(_ number: Int, _ event: @Sendable (OperationID) -> AirEvent) {
    let (adapter, results) = (centrals[number - 1].adapter, results)
    loop.perform {
      air.assumeIsolated { host in
        host.operate(for: adapter, event) { result in
          switch result {
          case .success(let answer): results.add("\(number) has \(answer.bytes)")
          case .failure(let failure): results.add("\(number) fails with \(failure)")
          }
        }
      }
    }
  }

  /// The MTU of a link as it is reported where the link begins: on the air the MTU is exchanged before the report, if
  /// packets need no time.
  var firstMTU: Int { controller == nil ? 185 : 23 }

  /// The address under which the phone advertises.
  var address: DeviceAddress { loop.perform { radio.adapter.state?.address } ?? Self.phone }

  func connect(_ number: Int) {
    let address = address
    loop.perform { centrals[number - 1].assumeIsolated { $0.connect(to: address) } }
    wait(.seconds(1))
  }

  func disconnect(_ number: Int) {
    let address = address
    loop.perform { centrals[number - 1].assumeIsolated { $0.disconnect(from: address) } }
    wait(.milliseconds(10))
  }

  func subscribe(_ number: Int, _ value: UInt8 = 1) {
    perform(number, .write(Self.configuration, [value, 0]))
    wait(.milliseconds(10))
    _ = takeResults()
  }

  /// Publishes `service()`, advertises, and connects that many centrals; nothing is left to be taken.
  func begin(_ properties: CharacteristicProperties, connecting count: Int = 1) {
    phone { $0.publish([Self.service(properties)]) }
    phone { $0.advertise(Self.advertisement("phone")) }
    wait(.milliseconds(10))
    for number in 0..<count { connect(number + 1) }
    _ = (takeEvents(), takeResults())
  }

  static func advertisement(_ name: String) -> RadioAdvertisement {
    RadioAdvertisement(
      advertisingData: AdvertisingData([.flags(.iPhone), .completeLocalName(name)]),
      scanResponse: AdvertisingData([.txPowerLevel(12)]), interval: AdvertisingInterval(clamping: 152.5))
  }

  static func service(
    _ properties: CharacteristicProperties = [.read, .notify],
    permissions: AttributePermissions = [.readable, .writeable],
    uuid: UInt16 = 0x180D, including included: [UInt16] = [], at start: UInt16 = 0x100
  ) -> RadioService {
    let definition = ServiceDefinition(
      uuid: BluetoothUUID(uuid), includedServices: included.map { BluetoothUUID($0) },
      characteristics: [
        CharacteristicDefinition(
          uuid: BluetoothUUID(0x2A37 as UInt16), properties: properties, permissions: permissions)
      ])
    var allocator = HandleAllocator(range: AttributeHandle(rawValue: start)...0x3FF)
    guard let handles = try? allocator.allocate(for: definition) else { preconditionFailure("there is room") }
    return RadioService(definition: definition, handles: handles)
  }

  static func text(_ event: RadioEvent) -> String {
    switch event {
    case .received, .peripheralConnected, .peripheralDisconnected, .peripheralChanged, .peripheralBonded, .completed,
      .valueReceived, .servicesChanged:
      centralText(event)
    case .state(.poweredOn(let adapter)): "on \(adapter)"
    case .state(.poweredOff(let adapter)): "off \(adapter)"
    case .state(.noDaemon): "no daemon"
    case .state(.noAdapter(_, let reason)): "no adapter" + (reason.map { ": \($0)" } ?? "")
    case .poweringFailed: "powering failed"
    case .published(let handle): "published \(handle)"
    case .publishingFailed(let handle, let failure, let count): "\(handle) failed \(count): \(failure)"
    case .moved(let handle, let handles): "\(handle) moved to \(handles.start)"
    case .advertising: "advertising"
    case .advertisingFailed: "advertising failed"
    case .advertisingLost: "advertising lost"
    case .advertisingStopped: "advertising stopped"
    case .connected(let central): "\(text(central)) connected, \(central.mtu)"
    case .disconnected(let central): "\(text(central)) disconnected, \(central.mtu)"
    case .bonded(let central): "\(text(central)) bonded, \(central.isBonded)"
    case .read(let request):
      "#\(request.id.rawValue) \(text(request.central)) reads \(request.handle) from \(request.offset)"
    case .write(let request, let writes):
      "#\(request.id.rawValue) \(text(request.central)) writes "
        + writes.map { "\($0.handle) \($0.value)" + ($0.offset == 0 ? "" : " from \($0.offset)") }
        .joined(separator: ", ")
        + (request.expectsResponse ? "" : " without response")
    case .subscribed(let handle, let central): "\(text(central)) subscribed to \(handle)"
    case .unsubscribed(let handle, let central): "\(text(central)) unsubscribed from \(handle)"
    case .confirmed(let handle): "confirmed \(handle)"
    case .channelOpened(let psm, let central, _): "\(text(central)) opened \(psm)"
    case .pairingRefused(let central, let reason): "\(text(central)) refused: \(reason)"
    case .pairingQuestion(let question):
      "\(question.isCentral ? "central" : "peripheral") \(question.address.suffix(1)) asks to \(verb(question.request))"
    case .passkey(let central, _): "passkey for \(text(central))"
    case .pairingUnavailable: "pairing unavailable"
    case .keysUnknown(let central): "\(text(central)) has keys that are unknown"
    case .interrupted(let reason): "interrupted: \(reason)"
    case .ended(let reason): "ended: \(reason)"
    }
  }

  private static func verb(_ request: PairingRequest) -> String {
    switch request {
    case .authorize: "authorize"
    case .show: "show"
    case .type: "type"
    case .compare: "compare"
    }
  }

  private static func centralText(_ event: RadioEvent) -> String {
    switch event {
    case .received(let id, let received):
      "\(text(id)) received, \(received.rssi ?? 127), \(received.scanResponse?.bytes.count ?? 0)"
    case .peripheralConnected(let peripheral): "\(text(peripheral)) connected"
    case .peripheralDisconnected(let id, let cause): "\(text(id)) disconnected, \(cause)"
    case .peripheralChanged(let peripheral): "\(text(peripheral)) changed"
    case .peripheralBonded(let id, let peripheral): "\(text(id)) bonded as \(text(peripheral))"
    case .completed(let id, .success(let answer)): "#\(id.rawValue) \(text(answer))"
    case .completed(let id, .failure(let failure)): "#\(id.rawValue) fails: \(failure)"
    case .valueReceived(let id, let handle, let value): "\(text(id)) \(handle) is \(value)"
    case .servicesChanged(let id, let ranges): "\(text(id)) changed \(ranges.map { "\($0)" }.joined(separator: " "))"
    default: ""
    }
  }

  /// The names of devices over controllers, whose addresses are private, by their addresses.
  static let names = Mutex<[String: String]>([:])

  private static func name(_ address: String) -> String {
    names.withLock { $0[address] } ?? String(address.suffix(1))
  }

  private static func text(_ id: PeripheralID) -> String { "p\(name(id.rawValue))" }

  private static func text(_ peripheral: RadioPeripheral) -> String {
    "\(text(peripheral.id))\(peripheral.isBonded ? " bonded" : "") \(peripheral.mtu) \(peripheral.name ?? "-")"
  }

  private static func text(_ answer: ProcedureAnswer) -> String {
    switch answer {
    case .done: "done"
    case .services(let services): services.map { "\($0.uuid) \($0.range)" }.joined(separator: ", ")
    case .characteristics(let found): found.map { "\($0.uuid) \($0.value)" }.joined(separator: ", ")
    case .descriptors(let found): found.map { "\($0.uuid) \($0.handle)" }.joined(separator: ", ")
    case .value(let value): "\(value.count > 20 ? "\(value.count) bytes" : "\(value)")"
    case .rssi(let rssi): "\(rssi)"
    }
  }

  private static func text(_ central: RadioCentral) -> String { name(central.id.rawValue) }
}

/// Lines in the order in which they came.
final class Log: Sendable {
  private let lines = Mutex<[String]>([])

  func add(_ line: String) { lines.withLock { $0.append(line) } }

  func take() -> [String] {
    lines.withLock { lines in
      defer { lines = [] }
      return lines
    }
  }
}

/// What the phone shows.
private final class Display: Sendable {
  let passkey = Mutex<UInt32?>(nil)
}

extension PhoneHost {
  /// The host of a phone as an adapter of the air would have one, whose private addresses change every 15 minutes.
  init(_ description: AdapterDescription) {
    self.init(.newest, name: description.name, mtu: description.mtu)
    stack = description.stack
    addressRotation = description.addressRotation ?? .seconds(900)
  }
}
