import BleperaAppLink
import BleperaBluetooth
import BleperaProfileApp
import Testing

@testable import BleperaProfile

@Suite("The central role of a profile")
struct CentralTests {
  private typealias Action = ProfileMachine.Action
  private typealias Event = ProfileMachine.Event

  private static let service = Fixture.uuid(0xFE00)
  private static let scan = ScanRequest(services: [service])
  private static let lock = PeripheralID(rawValue: "A")
  private static let other = PeripheralID(rawValue: "B")
  private static let manager = ManagerID.Name.restorable("key")

  /// Subscribes to FE01 and reads it, writes FE02, and writes FE02 for values of FE01.
  private static func central(_ change: (inout Profile.Central) -> Void = { _ in }) -> Profile.Central {
    var state = Profile.Central.Use(service: service, characteristic: Fixture.uuid(0xFE01))
    (state.subscribes, state.reads) = (true, true)
    state.reactions = [
      Responses.Row(
        WritePattern(bytes: [1, nil], fields: ["id": WritePattern.Field(offset: 1, count: 1)]),
        steps: [
          Responses.Step(
            characteristic: Fixture.uuid(0xFE02), value: ValueTemplate(parts: [.bytes([0x81]), .field("id")])),
          Responses.Step(after: .seconds(2), characteristic: Fixture.uuid(0xFE02), value: ValueTemplate([0x82])),
        ])
    ]
    var command = Profile.Central.Use(service: service, characteristic: Fixture.uuid(0xFE02))
    (command.value, command.withResponse) = ([7], false)
    var central = Profile.Central(
      restoreIdentifier: "key", scan: scan, connection: Profile.Central.Connection(),
      characteristics: [state, command])
    change(&central)
    return central
  }

  private static func trace(_ change: (inout Profile.Central) -> Void = { _ in }) -> Trace {
    var profile = Profile()
    profile.central = central(change)
    return Trace(machine: ProfileMachine(profile: profile, name: "test", seed: 1))
  }

  private static func call(_ call: CentralCall) -> Action { .send(.central(manager, call)) }

  private static func call(_ call: PeripheralCall, _ id: PeripheralID = lock) -> Action {
    self.call(.peripheral(id, call))
  }

  private static func callback(_ callback: CentralCallback) -> Event { .received(.central(manager, callback)) }

  private static func callback(_ callback: PeripheralCallback, _ id: PeripheralID = lock) -> Event {
    self.callback(.peripheral(id, callback))
  }

  private static func on(_ state: ManagerState = .poweredOn) -> Event { callback(.didUpdateState(state)) }

  private static func discovered(
    _ id: PeripheralID = lock, name: String? = nil, services: [BluetoothUUID] = [service],
    overflow: [BluetoothUUID] = [],
    isConnectable: Bool = true
  ) -> Event {
    var advertisement = DiscoveredAdvertisement()
    advertisement.localName = name
    advertisement.serviceUUIDs = services
    advertisement.overflowServiceUUIDs = overflow
    advertisement.isConnectable = isConnectable
    return callback(.didDiscover(PeripheralDescription(id: id, name: nil), advertisement))
  }

  private static func connected(_ id: PeripheralID = lock) -> Event {
    callback(.didConnect(PeripheralDescription(id: id, name: nil, mtu: 23, isConnected: true)))
  }

  private static func lost(_ id: PeripheralID = lock, isReconnecting: Bool = false) -> Event {
    callback(
      .didDisconnectPeripheral(id, timestamp: .now, isReconnecting: isReconnecting, error: .code(.connectionTimeout)))
  }

  private static func connect(_ id: PeripheralID = lock) -> Action { call(.connect(id, ConnectOptions())) }

  private static func handle(_ value: UInt16) -> AttributeHandle { AttributeHandle(rawValue: value) }

  private static func services(_ first: UInt16 = 10) -> Event {
    callback(
      .didDiscoverServices(
        [RemoteServiceDescription(handle: handle(first), uuid: service, isPrimary: true)], error: nil))
  }

  private static func characteristic(_ uuid: UInt16, _ value: UInt16, isNotifying: Bool = false)
    -> RemoteCharacteristicDescription
  {
    RemoteCharacteristicDescription(
      handle: handle(value), uuid: Fixture.uuid(uuid), properties: [.read, .notify], isNotifying: isNotifying)
  }

  private static func characteristics(_ first: UInt16 = 10) -> Event {
    callback(
      .didDiscoverCharacteristics(
        [characteristic(0xFE02, first + 4), characteristic(0xFE01, first + 2)], service: handle(first), error: nil))
  }

  private static let discoverServices = call(.discoverServices([service]))

  private static func discoverCharacteristics(_ first: UInt16 = 10) -> Action {
    call(.discoverCharacteristics([Fixture.uuid(0xFE01), Fixture.uuid(0xFE02)], service: handle(first)))
  }

  private static func uses(_ first: UInt16 = 10) -> [Action] {
    [
      call(.setNotifyValue(true, characteristic: handle(first + 2))), call(.readValue(handle(first + 2))),
      call(.writeValue(handle(first + 4), value: [7], withResponse: false)),
    ]
  }

  /// The steps from the start to the first peripheral that is used.
  private static let opening: [Trace.Step] = [
    (0, on(), [call(.scanForPeripherals(scan))]), (1, discovered(), [connect(), call(.stopScan)]),
    (1, connected(), [discoverServices]), (1, services(), [discoverCharacteristics()]), (1, characteristics(), uses()),
  ]

  @Test("The app creates its manager, scans, connects to the first peripheral and uses it in the profile's order")
  func opening() {
    var trace = Self.trace()
    let identity = AppIdentity(bundleIdentifier: "test", name: "test", backgroundModes: [])
    let create = AppMessage.create(ManagerID(.central, Self.manager))
    trace.run([(0, .launched, [.send(.hello(version: appLinkVersion, app: identity)), .send(create)])])
    trace.run([(0, .poweredOn, [])])
    #expect(!trace.machine.isServing)
    trace.run(Self.opening + [(2, Self.discovered(Self.other), [])])
    #expect(trace.machine.isServing)
  }

  @Test("An app without restore identifier has a numbered manager, and ignores another one's callbacks")
  func number() {
    var trace = Self.trace { $0.restoreIdentifier = nil }
    trace.run([
      (0, Self.on(), []),
      (
        0, .received(.central(.number(0), .didUpdateState(.poweredOn))),
        [.send(.central(.number(0), .scanForPeripherals(Self.scan)))]
      ),
    ])
  }

  @Test("A peripheral is chosen by name and service, which may be an overflow bit")
  func choice() {
    var trace = Self.trace {
      $0.connection?.name = "Lock"
      $0.connection?.service = Self.service
    }
    trace.run([
      (0, Self.on(), [Self.call(.scanForPeripherals(Self.scan))]), (0, Self.discovered(name: "Door"), []),
      (0, Self.discovered(name: "Lock", services: []), []),
      (0, Self.discovered(name: "Lock", isConnectable: false), []),
      (
        0, Self.discovered(name: "Lock", services: [], overflow: [Self.service]),
        [Self.connect(), Self.call(.stopScan)]
      ),
    ])
  }

  @Test("An app connects to all peripherals, each once, and one that only scans to none")
  func all() {
    var trace = Self.trace { $0.connection?.isToAll = true }
    trace.run([
      (0, Self.on(), [Self.call(.scanForPeripherals(Self.scan))]), (0, Self.discovered(), [Self.connect()]),
      (0, Self.discovered(), []), (0, Self.discovered(Self.other), [Self.connect(Self.other)]),
      (0, Self.connected(Self.other), [Self.call(.discoverServices([Self.service]), Self.other)]),
    ])
    var scanner = Self.trace { ($0.connection, $0.characteristics) = (nil, []) }
    scanner.run([(0, Self.on(), [Self.call(.scanForPeripherals(Self.scan))]), (0, Self.discovered(), [])])
  }

  @Test("A lost peripheral is connected again and discovered again; the system's own reconnection needs no call")
  func loss() {
    var trace = Self.trace()
    trace.run(
      Self.opening + [
        (2, Self.lost(), [Self.connect()]), (3, Self.connected(), [Self.discoverServices]),
        (3, Self.services(20), [Self.discoverCharacteristics(20)]), (3, Self.characteristics(20), Self.uses(20)),
        (4, Self.lost(isReconnecting: true), []), (5, Self.connected(), [Self.discoverServices]),
      ])
    var scanner = Self.trace { $0.connection?.reconnects = false }
    scanner.run(
      Self.opening + [
        (2, Self.lost(), [Self.call(.scanForPeripherals(Self.scan))]),
        (3, Self.discovered(), [Self.connect(), Self.call(.stopScan)]),
        (4, Self.callback(.didFailToConnect(Self.lock, error: nil)), [Self.call(.scanForPeripherals(Self.scan))]),
      ])
  }

  @Test("Values are responded to, also later, until the peripheral is lost")
  func values() {
    func value(_ value: [UInt8], _ handle: UInt16 = 12) -> Event {
      Self.callback(.didUpdateValue(Self.handle(handle), value: value, error: nil))
    }
    func write(_ value: [UInt8]) -> Action {
      Self.call(.writeValue(Self.handle(14), value: value, withResponse: false))
    }
    var trace = Self.trace()
    trace.run(
      Self.opening + [
        (2, value([0, 5]), []), (2, value([1, 5], 99), []),
        (3, value([1, 5]), [write([0x81, 5]), .schedule(.writes, at: .seconds(5))]),
        (4, value([1, 6]), [write([0x81, 6])]),
        (5, .due(.writes), [write([0x82]), .schedule(.writes, at: .seconds(6))]),
        (5, Self.lost(), [.unschedule(.writes), Self.connect()]),
        (
          6, Self.callback(.didUpdateValue(Self.handle(12), value: [1, 5], error: .code(.notConnected))), []
        ),
      ])
  }

  @Test("Modified services are discovered and used again")
  func modified() {
    var trace = Self.trace()
    trace.run(
      Self.opening + [
        (2, Self.callback(.didModifyServices([Self.handle(10)])), [Self.discoverServices]),
        (2, Self.services(30), [Self.discoverCharacteristics(30)]), (2, Self.characteristics(30), Self.uses(30)),
      ])
  }

  @Test("After Bluetooth was off the app connects again, after a reset it scans")
  func power() {
    var trace = Self.trace()
    trace.run(
      Self.opening + [
        (2, Self.on(.poweredOff), []), (3, Self.on(), [Self.connect()]), (3, Self.connected(), [Self.discoverServices]),
        (4, Self.on(.resetting), []), (5, Self.on(), [Self.call(.scanForPeripherals(Self.scan))]),
      ])
  }

  private static func restored(
    isConnected: Bool = true, isNotifying: Bool = true, scan: ScanRequest? = nil,
    _ characteristics: [RemoteCharacteristicDescription]? = nil
  ) -> Event {
    let found = characteristics ?? [characteristic(0xFE01, 12, isNotifying: isNotifying), characteristic(0xFE02, 14)]
    return callback(
      .willRestoreState(
        RestoredCentralState(
          scan: scan,
          peripherals: [
            RestoredPeripheral(
              peripheral: PeripheralDescription(id: lock, name: nil, mtu: 23, isConnected: isConnected),
              state: isConnected ? .connected : .connecting,
              services: !isConnected
                ? []
                : [
                  .init(
                    service: RemoteServiceDescription(handle: handle(10), uuid: service, isPrimary: true),
                    characteristics: found.map { .init(characteristic: $0, descriptors: []) })
                ])
          ])))
  }

  @Test("A restored connection is used as it is, a restored wait and a restored scan continue")
  func restoration() {
    var trace = Self.trace()
    trace.run([
      (0, Self.restored(), []), (0, Self.on(), []),
      (
        0, Self.callback(.didUpdateValue(Self.handle(12), value: [1, 9], error: nil)),
        [
          Self.call(.writeValue(Self.handle(14), value: [0x81, 9], withResponse: false)),
          .schedule(.writes, at: .seconds(2)),
        ]
      ),
    ])
    var waiting = Self.trace()
    waiting.run([
      (0, Self.restored(isConnected: false), []), (0, Self.on(), []), (0, Self.connected(), [Self.discoverServices]),
    ])
    var scanning = Self.trace()
    let state = RestoredCentralState(scan: Self.scan, peripherals: [])
    scanning.run([(0, Self.callback(.willRestoreState(state)), []), (0, Self.on(), [])])
    var both = Self.trace()
    both.run([(0, Self.restored(scan: Self.scan), []), (0, Self.on(), [Self.call(.stopScan)])])
  }

  @Test("A discovery that was cut off by the termination is continued")
  func cutOff() {
    var trace = Self.trace()
    trace.run([
      (0, Self.restored([Self.characteristic(0xFE01, 12, isNotifying: true)]), []),
      (0, Self.on(), [Self.discoverServices]),
      (
        0, Self.services(),
        [Self.call(.discoverCharacteristics([Fixture.uuid(0xFE02)], service: Self.handle(10)))]
      ),
      (0, Self.characteristics(), [Self.uses()[2]]),
    ])
    var unsubscribed = Self.trace()
    unsubscribed.run([
      (0, Self.restored(isNotifying: false), []), (0, Self.on(), [Self.discoverServices]),
      (0, Self.services(), Array(Self.uses().prefix(2))),
    ])
  }

  @Test("What a suspended app receives is handled when it runs again")
  func suspension() {
    var trace = Self.trace()
    trace.run(
      Self.opening + [
        (2, .didChangeState(.suspended), []), (3, Self.lost(), []), (4, .didChangeState(.background), [Self.connect()]),
      ])
  }

  @Test("On a new link the app begins again")
  func newLink() {
    var trace = Self.trace()
    trace.run(Self.opening)
    let actions = trace.machine.handle(.launched, at: .seconds(2))
    #expect(actions.last == .send(.create(ManagerID(.central, Self.manager))))
    trace.run([(2, Self.on(), [Self.call(.scanForPeripherals(Self.scan))])])
  }

  @Test("With any sequence of callbacks the app calls only while Bluetooth is on, and connects to no peripheral twice")
  func robustness() {
    var numbers = SplitMix64(seed: 3)
    for isToAll in [false, true] {
      var trace = Self.trace { $0.connection?.isToAll = isToAll }
      var (isOn, isDue) = (false, false)
      var asked: Set<PeripheralID> = []
      for step in 0..<4_000 {
        let id = Bool.random(using: &numbers) ? Self.lock : Self.other
        let first = UInt16.random(in: 0..<3, using: &numbers) * 10
        let value = [UInt8.random(in: 0...1, using: &numbers), 1]
        let event: Event =
          switch Int.random(in: 0..<14, using: &numbers) {
          case 0: Self.on([ManagerState.poweredOn, .poweredOff, .resetting].randomElement(using: &numbers) ?? .unknown)
          case 1: Self.restored(isConnected: Bool.random(using: &numbers), scan: Self.scan)
          case 2: .launched
          case 3: Self.on()
          case 4: Self.lost(id, isReconnecting: Bool.random(using: &numbers))
          case 5: Self.callback(.didFailToConnect(id, error: nil))
          case 6: Self.callback(.didModifyServices([Self.handle(first)]), id)
          case 7: Self.services(first)
          case 8: Self.characteristics(first)
          case 9: Self.callback(.didUpdateValue(Self.handle(first + 2), value: value, error: nil), id)
          case 10: .due(.writes)
          case 11: Self.discovered(id)
          default: Self.connected(id)
          }
        let isOfPeripheral =
          if case .received(.central(_, let callback)) = event {
            switch callback {
            case .didUpdateState, .willRestoreState: false
            default: true
            }
          } else {
            false
          }
        if event == .due(.writes), !isDue { continue }
        if isOfPeripheral, !isOn { continue }
        switch event {
        case .due(.writes): isDue = false
        case .launched: (isOn, asked) = (false, [])
        case .received(.central(_, .didUpdateState(let state))):
          isOn = state == .poweredOn
          if !isOn { asked = [] }
        case .received(.central(_, .willRestoreState)): asked = [Self.lock]
        case .received(.central(_, .didFailToConnect(let id, _))): asked.remove(id)
        case .received(.central(_, .didDisconnectPeripheral(let id, _, isReconnecting: false, _))): asked.remove(id)
        default: break
        }
        for action in trace.handle(event, at: .milliseconds(100 * step)) {
          switch action {
          case .schedule:
            #expect(!isDue)
            isDue = true
          case .unschedule: isDue = false
          case .send(.hello), .send(.create): #expect(event == .launched)
          case .send(.central(_, .connect(let id, _))): #expect(isOn && asked.insert(id).inserted)
          case .send: #expect(isOn)
          }
        }
      }
    }
  }
}
