import BleperaBluetooth
import Testing

@testable import BleperaAir
@testable import BleperaHost

/// Adapters on an air with a clock of its own.
struct Stage {
  static let phone = AdapterID(0)
  static let central = AdapterID(1)
  static let second = AdapterID(2)

  /// A scan that never changes its channel, so that it misses no event.
  static let always = ScanWindow(interval: .seconds(1_000_000), window: .seconds(1_000_000))

  var air: VirtualAir
  private(set) var now = Duration.zero
  private var lastOperation = 0
  /// Whether adapters advertise again after a connection, as they did before.
  var resumes = true
  private var sent: [AdvertisementID: (adapter: AdapterID, event: AirEvent)] = [:]
  /// Everything that has not been taken.
  private(set) var actions: [AirAction] = []

  init(
    stack: StackBehavior = .bluetoothd, conditions: AirConditions = AirConditions(interval: .zero),
    seed: UInt64 = 1, adapters: Int = 3, mtu: Int = 517
  ) {
    air = VirtualAir(conditions: conditions, seed: seed)
    for number in 0..<adapters {
      let address = Self.address(AdapterID(number))
      let description = AdapterDescription(address: address, name: "box \(number)", mtu: mtu, stack: stack)
      send(.added(AdapterID(number), description))
    }
  }

  /// The reports of both hosts at the end of a connection; the cause is the central's.
  static func ends(of connection: ConnectionID, _ cause: DisconnectionCause) -> [AirAction] {
    let other: DisconnectionCause =
      switch cause {
      case .byPhone: .byPeripheral
      case .byPeripheral: .byPhone
      case .timeout, .keyMissing, .identityMissing, .bondForgotten, .encryptionTimeout: cause
      }
    return [.host(phone, .disconnected(connection, other)), .host(central, .disconnected(connection, cause))]
  }

  static func address(_ adapter: AdapterID) -> DeviceAddress {
    DeviceAddress(bits: 0x00AA_0100_0000 + UInt64(adapter.number))
  }

  mutating func send(_ event: AirEvent) {
    let new = air.handle(event, at: now)
    actions += new
    guard resumes else { return }
    switch event {
    case .linkLayer(let adapter, .advertise(let id, _, _, _)): sent[id] = (adapter, event)
    case .linkLayer(_, .withdraw(let id)): sent[id] = nil
    case .linkLayer(let adapter, .power(false)), .removed(let adapter):
      sent = sent.filter { $0.value.adapter != adapter }
    default: break
    }
    for action in new {
      switch action {
      case .host(let adapter, .disconnected), .linkLayer(let adapter, .link(_, .ended)): resume(adapter)
      default: break
      }
    }
  }

  /// Advertises again, as hosts do when a central has left.
  private mutating func resume(_ adapter: AdapterID) {
    guard air.advertised(by: adapter).isEmpty else { return }
    for (id, other) in sent.sorted(by: { $0.key < $1.key }) where other.adapter == adapter {
      actions += air.handle(other.event, at: now).filter { $0 != .linkLayer(adapter, .advertising(id)) }
    }
  }

  /// Lets time pass as a shell does, which handles everything at its time.
  mutating func wait(_ duration: Duration) {
    let end = now + duration
    while let deadline = air.nextDeadline, deadline <= end {
      now = max(now, deadline)
      send(.tick)
    }
    stop(for: end - now)
  }

  /// Lets time pass during which nothing is handled, as in a process that is stopped.
  mutating func stop(for duration: Duration) {
    now += duration
    send(.tick)
  }

  /// The actions since the last call.
  mutating func take() -> [AirAction] {
    defer { actions = [] }
    return actions
  }

  mutating func advertise(_ number: Int = 1, on adapter: AdapterID = phone, name: String = "phone") {
    let data = AdvertisingData([
      .serviceUUIDs(UUIDList.lists(of: [BluetoothUUID(0x180D as UInt16)])[0], complete: true),
      .flags([.generalDiscoverable, .brEdrNotSupported]),
    ])
    let packets = AdvertisingPackets(
      data: data.bytes, scanResponse: ADStructure.completeLocalName(name).bytes, interval: .milliseconds(1280))
    send(.linkLayer(adapter, .advertise(AdvertisementID(number), packets)))
  }

  /// Connects to the phone; nothing is left to be taken.
  mutating func connect(_ central: AdapterID = central, to adapter: AdapterID = phone) throws -> ConnectionID {
    send(.linkLayer(central, .connect(Self.address(adapter))))
    // A packet may be lost.
    repeat { wait(.seconds(3)) } while air.connection(between: central, and: adapter) == nil && now < .seconds(60)
    let connection = try #require(air.connection(between: central, and: adapter))
    _ = take()
    return connection.id
  }

  /// A phone that is connected to a peripheral outside the air, and its connection.
  ///
  /// - Parameter client: how the phone acts as a central.
  static func connected(
    to host: AdapterID, as client: StackBehavior.Client = .phone, capability: PairingCapability? = nil
  ) throws -> (Stage, ConnectionID) {
    var stack = StackBehavior()
    stack.client = client
    var stage = Stage(stack: stack)
    if let capability { stage.send(.host(phone, .capability(capability))) }
    stage.send(.added(host, .controller(address: address(host), name: "host")))
    stage.advertise(on: host)
    let connection = try stage.connect(phone, to: host)
    return (stage, connection)
  }

  /// A connection as one of its hosts has it.
  func link(_ connection: ConnectionID, of adapter: AdapterID) -> HostLink? {
    air.hosts[adapter]?.links[connection]
  }

  /// One operation; what it came to, and what the peripheral's applications were asked meanwhile.
  mutating func begin(_ operation: GATTProcedure, over connection: ConnectionID) -> OperationID {
    lastOperation += 1
    let central = air.connections[connection]?.central ?? Stage.central
    send(.host(central, .perform(OperationID(lastOperation), connection, operation)))
    return OperationID(lastOperation)
  }

  mutating func result(of operation: GATTProcedure, over connection: ConnectionID) -> Result<[UInt8], ProcedureFailure>?
  {
    let id = begin(operation, over: connection)
    return take().result(of: id)
  }
}

extension StackBehavior {
  /// The behavior of bluetoothd 5.66.
  static var bluetoothd: StackBehavior {
    var stack = StackBehavior()
    (stack.longestWrite, stack.longestLongWrite, stack.fillsPackets) = (510, 508, false)
    (stack.respondsForApplications, stack.ignoresEmptyPermissions) = (true, true)
    (stack.joinsPreparedWrites, stack.hasAddressResolution, stack.hasCaching) = (true, true, true)
    stack.pnpID = [0x02, 0x6B, 0x1D, 0x46, 0x02, 0x42, 0x05]
    (stack.requestTimeout, stack.timeoutError) = (.seconds(5), .unlikelyError)
    return stack
  }
}

extension [AirAction] {
  func result(of operation: OperationID) -> Result<[UInt8], ProcedureFailure>? {
    for case .host(_, .completed(operation, let result)) in self { return result.map(\.bytes) }
    return nil
  }

  var reads: [(id: AttributeRequestID, object: ApplicationObject, options: AttributeRequestOptions)] {
    compactMap { action in
      guard case .host(_, .read(let id, let object, let options)) = action else { return nil }
      return (id, object, options)
    }
  }

  var writes: [(id: AttributeRequestID?, value: [UInt8], options: AttributeRequestOptions)] {
    compactMap { action in
      guard case .host(_, .write(let id, _, let value, let options)) = action else { return nil }
      return (id, value, options)
    }
  }

  var preparedWrites: [(id: AttributeRequestID, pieces: [ObjectWrite])] {
    compactMap { action in
      guard case .host(_, .preparedWrite(let id, let pieces, _)) = action else { return nil }
      return (id, pieces)
    }
  }

  func reports(to adapter: AdapterID) -> [AdvertisementReport] {
    compactMap { action in
      guard case .linkLayer(adapter, .received(let report)) = action else { return nil }
      return report
    }
  }

  /// The address with which a central has begun to connect.
  var wanted: DeviceAddress? {
    for case .linkLayer(_, .connected(_, let opening)) in self where opening.isCentral { return opening.wanted }
    return nil
  }

  var values: [[UInt8]] {
    compactMap { action in
      guard case .host(_, .valueChanged(_, _, let value)) = action else { return nil }
      return value
    }
  }
}
