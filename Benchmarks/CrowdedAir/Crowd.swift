import BleperaAir
import BleperaBluetooth
import BleperaHost

/// Phones and centrals on one air with a clock of its own. Every phone has a central that has subscribed to it, and
/// advertises on; the centrals scan.
struct Crowd {
  /// The events of a run, for comparison with a second run.
  struct Result: Equatable {
    /// A hash of all outputs of the air, in their order.
    var digest: Int
    var advertisementsHeard = 0
    var notifications = 0
  }

  var phones = 50
  var centrals = 20
  var duration = Duration.seconds(3600)
  /// The time from one notification of a phone to the next.
  var pace = Duration.seconds(1)
  var isScanning = true

  func run() -> Result {
    var run = Run(self)
    run.setUp()
    while run.now < duration { run.notify() }
    return run.result
  }
}

private struct Run {
  private static let service = PublishedService(
    uuid: BluetoothUUID(0x180D as UInt16), handle: .exactly(0x100),
    characteristics: [PublishedCharacteristic(index: 0, uuid: BluetoothUUID(0x2A37 as UInt16), flags: .notify)])
  /// The handle of the characteristic's configuration.
  private static let configuration = AttributeHandle(0x103)

  private let crowd: Crowd
  private static let conditions = AirConditions(loss: 0.1, fading: 3)
  private var air = VirtualAir(conditions: conditions, seed: 1)
  private(set) var now = Duration.zero
  private var beat: UInt8 = 60
  private var hasher = Hasher()
  private var heard = 0
  private var notifications = 0

  init(_ crowd: Crowd) { self.crowd = crowd }

  var result: Crowd.Result {
    Crowd.Result(digest: hasher.finalize(), advertisementsHeard: heard, notifications: notifications)
  }

  mutating func setUp() {
    // Among a thousand phones hardly any packet is received whole: all are connected before packets collide.
    var alone = Self.conditions
    alone.collides = false
    send(.conditions(alone))
    for number in 0..<crowd.phones + crowd.centrals {
      let description = AdapterDescription(address: address(number), name: "box \(number)")
      send(.added(AdapterID(number), description))
    }
    for phone in 0..<crowd.phones {
      send(.host(AdapterID(phone), .publish(ApplicationID(phone), [Self.service])))
      advertise(phone)
    }
    for phone in 0..<crowd.phones { send(.linkLayer(central(of: phone), .connect(address(phone)))) }
    wait(.seconds(30))
    for connection in air.connections.keys.sorted() {
      let operation = OperationID(connection.number)
      send(
        .host(
          air.connections[connection]?.central ?? AdapterID(0),
          .perform(operation, connection, .write(Self.configuration, [1, 0], offset: 0, isReliable: false))))
    }
    precondition(air.connections.count == crowd.phones, "every phone has a central")
    // A connection ends the phone's advertisement; a phone's system restarts it.
    for phone in 0..<crowd.phones {
      send(.linkLayer(AdapterID(phone), .withdraw(AdvertisementID(phone))))
      advertise(phone)
    }
    send(.conditions(Self.conditions))
    guard crowd.isScanning else { return }
    for central in 0..<crowd.centrals { send(.linkLayer(AdapterID(crowd.phones + central), .scan(ScanWindow()))) }
  }

  mutating func notify() {
    wait(crowd.pace)
    beat = beat == 100 ? 60 : beat + 1
    for phone in 0..<crowd.phones {
      send(.host(AdapterID(phone), .updateValue(ApplicationObject(ApplicationID(phone), 0), [6, beat], to: nil)))
    }
  }

  private mutating func advertise(_ phone: Int) {
    let data = AdvertisingData([
      .serviceUUIDs(UUIDList.lists(of: [BluetoothUUID(0x180D as UInt16)])[0], complete: true), .flags(.iPhone),
    ])
    let packets = AdvertisingPackets(
      data: data.bytes, scanResponse: ADStructure.completeLocalName("phone \(phone)").bytes,
      interval: .milliseconds(181))
    send(.linkLayer(AdapterID(phone), .advertise(AdvertisementID(phone), packets)))
  }

  private func central(of phone: Int) -> AdapterID { AdapterID(crowd.phones + phone % crowd.centrals) }

  private func address(_ number: Int) -> DeviceAddress { DeviceAddress(bits: 0x00AA_0100_0000 + UInt64(number)) }

  private mutating func wait(_ duration: Duration) {
    let end = now + duration
    // The air's clock advances to each deadline, as in a shell of the air.
    while let deadline = air.nextDeadline, deadline <= end {
      now = max(now, deadline)
      send(.tick)
    }
    now = end
    send(.tick)
  }

  private mutating func send(_ event: AirEvent) {
    for action in air.handle(event, at: now) {
      switch action {
      case .linkLayer(let listener, .received(let report)):
        heard += 1
        // The bytes are always the same and are left out: hashing them would take as long as the reception.
        hasher.combine(listener)
        hasher.combine(report.address)
        hasher.combine(report.rssi)
        continue
      default: hasher.combine(action)
      }
      switch action {
      case .host(_, .valueChanged): notifications += 1
      default: break
      }
    }
  }
}
