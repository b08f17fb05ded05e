import BleperaTesting
import CoreBluetooth
import Synchronization
import Testing

/// Core Bluetooth's objects know the story's phone by the launch that they are created in, so the stories run one after
/// the other: some of these apps create objects elsewhere.
@Suite("An app written against Core Bluetooth", .traced, .serialized)
struct StoryTests {
  private static let command = BluetoothUUID("2A56")!
  private static let state = BluetoothUUID("2A57")!

  /// Launches a recorder on a phone.
  private static func start(
    _ air: Air, queue: DispatchQueue? = nil, _ make: (@MainActor @Sendable () -> Recorder)? = nil
  ) -> (phone: Phone, app: App, launches: Launches<Recorder>) {
    let phone = Phone(on: air)
    let launches = Launches<Recorder>()
    let app = phone.launch("org.example.recorder") { launches.keep(make?() ?? Recorder(queue: queue)) }
    return (phone, app, launches)
  }

  @Test("publishes and advertises", arguments: ["main", "serial", "global"])
  func publishes(_ name: String) async {
    let queue: DispatchQueue? =
      switch name {
      case "main": nil
      case "serial": DispatchQueue(label: "app")
      default: .global()
      }
    let air = Air()
    let (_, _, launches) = Self.start(air, queue: queue)
    let central = Central(on: air)
    #expect(launches.last.lines == ["state 5", "added 1815 -1", "advertising -1"])
    #expect(launches.last.manager.isAdvertising)
    #expect(await central.discovers(.localName("Recorder"), within: .seconds(3)))
  }

  @Test("answers reads and writes, with errors and offsets")
  func requests() async throws {
    let air = Air()
    let (phone, _, launches) = Self.start(air)
    let central = Central(on: air)
    try await central.connect(to: phone)
    #expect(try await central.read(Self.command) == [1, 2, 3])
    try await central.write([9, 8], to: Self.command)
    #expect(try await central.read(Self.command) == [9, 8])
    await #expect(throws: StoryFailure.self) { try await central.write([0xFF], to: Self.command) }
    let recorder = launches.last
    #expect(recorder.requests[0].characteristic === recorder.command)
    // A value longer than a packet is read and written in pieces, which arrive as one array.
    let long = (0..<400).map { UInt8(truncatingIfNeeded: $0) }
    recorder.lines = []
    try await central.write(long, to: Self.command)
    #expect(recorder.lines.first?.split(separator: " ").count ?? 0 > 2)
    #expect(try await central.read(Self.command) == long)
    #expect(recorder.lines.contains { $0.hasPrefix("read ") && $0 != "read 0" })
  }

  @Test("may update from its queue while a callback is about to come to that queue", .timeLimit(.minutes(5)))
  func updateOutsideCallbacks() async throws {
    let air = Air()
    let queue = DispatchQueue(label: "app")
    let (phone, _, launches) = Self.start(air, queue: queue)
    let central = Central(on: air)
    try await central.connect(to: phone)
    let recorder = launches.last
    let results = Mutex<[Bool]>([])
    air.after(.milliseconds(1)) {
      let isAsking = DispatchSemaphore(value: 0)
      queue.async {
        isAsking.signal()
        let result = recorder.manager.updateValue(Data([7]), for: recorder.state, onSubscribedCentrals: nil)
        results.withLock { $0.append(result) }
      }
      isAsking.wait()
    }
    #expect(try await central.read(Self.command) == [1, 2, 3])
    #expect(results.withLock { $0 } == [true])
  }

  @Test("knows its subscribers, the same object for a central each time")
  func subscribers() async throws {
    let air = Air()
    let (phone, _, launches) = Self.start(air)
    let central = Central(on: air)
    try await central.connect(to: phone)
    try await central.subscribe(to: Self.state)
    try await central.write([1], to: Self.command)
    let recorder = launches.last
    #expect(recorder.state.subscribedCentrals?.count == 1)
    #expect(recorder.requests[0].central === recorder.centrals[0])
    #expect(recorder.centrals[0].maximumUpdateValueLength > 20)
    #expect(recorder.manager.updateValue(Data([7]), for: recorder.state, onSubscribedCentrals: nil))
    #expect(try await central.receives(from: Self.state, within: .seconds(1)) == [7])
    #expect(recorder.manager.updateValue(Data([8]), for: recorder.state, onSubscribedCentrals: recorder.centrals))
    #expect(try await central.receives(from: Self.state, within: .seconds(1)) == [8])
    await central.disconnect()
    await air.advance(by: .seconds(1))
    #expect(recorder.lines.last == "unsubscribed 2A57")
    #expect(recorder.state.subscribedCentrals == nil)
  }

  @Test("fills the transmit queue in a tight loop, and loses nothing")
  func tightLoop() async throws {
    let air = Air()
    let (phone, _, launches) = Self.start(air)
    let central = Central(on: air)
    try await central.connect(to: phone)
    try await central.subscribe(to: Self.state)
    let recorder = launches.last
    var next: UInt8 = 0
    var refusals = 0
    let send = {
      while next < 100, recorder.manager.updateValue(Data([next]), for: recorder.state, onSubscribedCentrals: nil) {
        next += 1
      }
      if next < 100 { refusals += 1 }
    }
    recorder.whenReady = send
    send()
    #expect(next < 50 && refusals == 1)
    var received: [UInt8] = []
    while received.count < 100 {
      received += try #require(try await central.receives(from: Self.state, within: .seconds(5)))
    }
    #expect(received == Array(0..<100))
    #expect(refusals > 1 && recorder.lines.contains("ready"))
  }

  @Test("is ready once for two subscribers, when the slower one has room (bluetooth_low_energy pull request 133)")
  func readiness() async throws {
    let air = Air()
    let (phone, _, launches) = Self.start(air)
    let centrals = [Central(on: air, named: "fast"), Central(on: air, named: "slow")]
    for central in centrals {
      try await central.connect(to: phone)
      try await central.subscribe(to: Self.state)
    }
    let recorder = launches.last
    recorder.lines = []
    air.link(centrals[1], phone).stall()
    var count: UInt8 = 0
    while count < 50, recorder.manager.updateValue(Data([count]), for: recorder.state, onSubscribedCentrals: nil) {
      count += 1
    }
    #expect(count < 50)
    await air.advance(by: .seconds(3))
    #expect(recorder.lines == [])
    air.link(centrals[1], phone).resume()
    await air.advance(by: .seconds(10))
    #expect(recorder.lines == ["ready"])
    // An app that begins to wait only now would wait forever; it may update.
    #expect(recorder.manager.updateValue(Data([count]), for: recorder.state, onSubscribedCentrals: nil))
    await air.advance(by: .seconds(3))
    #expect(recorder.lines == ["ready"])
    for central in centrals {
      for number in 0...count {
        #expect(try await central.receives(from: Self.state, within: .seconds(1)) == [number], "\(central.name)")
      }
    }
  }

  @Test("keeps its subscriber when it stops advertising and moves to the background (IOS-nRF-Connect issue 84)")
  func quietSubscription() async throws {
    let air = Air()
    let (phone, app, launches) = Self.start(air)
    let central = Central(on: air)
    try await central.connect(to: phone)
    try await central.subscribe(to: Self.state)
    let recorder = launches.last
    recorder.lines = []
    func update(_ value: UInt8) async throws {
      #expect(recorder.manager.updateValue(Data([value]), for: recorder.state, onSubscribedCentrals: nil))
      #expect(try await central.receives(from: Self.state, within: .seconds(1)) == [value])
    }
    try await update(1)
    recorder.manager.stopAdvertising()
    try await update(2)
    phone.moveToBackground()
    try await update(3)
    await air.advance(by: .seconds(60))
    #expect(app.state == .suspended)
    try await central.write([4], to: Self.command)
    try await update(5)
    #expect(recorder.lines == ["write 0:1"])
    #expect(recorder.state.subscribedCentrals?.count == 1)
  }

  @Test("is killed, relaunched by a write, and restored with its subscribers")
  func restoration() async throws {
    let air = Air()
    let (phone, app, launches) = Self.start(air)
    let central = Central(on: air)
    try await central.connect(to: phone)
    try await central.subscribe(to: Self.state)
    let former = launches.last
    phone.moveToBackground()
    await air.advance(by: .seconds(60))
    #expect(app.state == .suspended)
    phone.terminate(.memoryPressure)
    await air.advance(by: .seconds(3600))
    try await central.write([4], to: Self.command)
    let recorder = launches.last
    #expect(launches.count == 2 && recorder !== former)
    #expect(recorder.lines == ["restore 1 Recorder", "state 5", "write 0:1"])
    #expect(recorder.manager.isAdvertising)
    #expect(recorder.state.subscribedCentrals?.map(\.identifier) == former.centrals.map(\.identifier))
    #expect(recorder.state.descriptors?.first?.value as? String == "State")
    #expect(recorder.requests[0].characteristic === recorder.command)
    #expect(recorder.manager.updateValue(Data([5]), for: recorder.state, onSubscribedCentrals: nil))
    #expect(try await central.receives(from: Self.state, within: .seconds(1)) == [5])
    // What a former launch still does has no effect.
    #expect(!former.manager.updateValue(Data([6]), for: former.state, onSubscribedCentrals: nil))
  }

  @Test("has managers of two restore identifiers, and both are restored")
  func twoManagers() async throws {
    let air = Air()
    let phone = Phone(on: air)
    let launches = Launches<[Recorder]>()
    let identifiers = Launches<[String]>()
    phone.launch {
      _ = identifiers.keep(ProcessInfo.processInfo.bluetoothPeripherals ?? ["user"])
      return launches.keep([Recorder(restores: "doors"), Recorder(restores: "lights")])
    }
    #expect(launches.last.allSatisfy { $0.lines.contains("added 1815 -1") })
    let central = Central(on: air)
    try await central.connect(to: phone)
    phone.moveToBackground()
    phone.terminate(.memoryPressure)
    try await central.write([4], to: Self.command)
    #expect(launches.count == 2)
    #expect(identifiers.last == ["doors", "lights"])
    for recorder in launches.last { #expect(recorder.lines.prefix(2) == ["restore 1 Recorder", "state 5"]) }
    #expect(launches.last.flatMap(\.requests).count == 1)
  }

  @Test("is told why a service is not published, and that it advertises already")
  func refusals() async throws {
    let air = Air()
    let (_, _, launches) = Self.start(air)
    let recorder = launches.last
    recorder.lines = []
    recorder.manager.add(CBMutableService(type: CBUUID(string: "180F"), primary: true))
    await air.advance(by: .seconds(1))
    #expect(recorder.lines == ["added 180F 8"])
    recorder.lines = []
    recorder.manager.startAdvertising(nil)
    await air.advance(by: .seconds(1))
    #expect(recorder.lines == ["advertising 9"])
    recorder.manager.stopAdvertising()
    #expect(!recorder.manager.isAdvertising)
  }

  @Test("publishes the 128-bit form of a service of the system")
  func longForms() async throws {
    let air = Air()
    let (_, _, launches) = Self.start(air)
    let recorder = launches.last
    for short in ["1800", "1801", "180A", "1812"] {
      recorder.lines = []
      let long = "0000\(short)-0000-1000-8000-00805F9B34FB"
      recorder.manager.add(CBMutableService(type: CBUUID(string: long), primary: true))
      await air.advance(by: .seconds(1))
      #expect(recorder.lines.first == "added \(long) -1")
    }
  }

  @Test("calls before Bluetooth is on have no effect")
  func misuse() async throws {
    let air = Air()
    let phone = Phone(on: air)
    let launches = Launches<Recorder>()
    phone.launch {
      let recorder = launches.keep(Recorder())
      #expect(recorder.manager.state == .unknown)
      recorder.manager.startAdvertising(["kCBAdvDataLocalName": "Early"])
      return recorder
    }
    #expect(launches.last.lines == ["state 5", "added 1815 -1", "advertising -1"])
    phone.switchBluetooth(on: false)
    await air.advance(by: .seconds(1))
    #expect(launches.last.manager.state == .poweredOff)
    #expect(!launches.last.manager.updateValue(Data(), for: launches.last.state, onSubscribedCentrals: nil))
  }

  @Test("publishes anew after a reset, with the same objects")
  func reset() async throws {
    let air = Air()
    let (phone, _, launches) = Self.start(air)
    let recorder = launches.last
    recorder.lines = []
    phone.resetBluetooth()
    await air.advance(by: .seconds(5))
    #expect(recorder.lines == ["state 1", "state 5", "added 1815 -1", "advertising -1"])
    recorder.manager.remove(recorder.services[0])
    recorder.manager.add(recorder.services[0])
    await air.advance(by: .seconds(1))
    #expect(recorder.lines.suffix(2) == ["added 1815 -1", "advertising 9"])
  }

  @Test("may create another manager after one was deallocated")
  func recreated() async throws {
    let air = Air()
    let (_, _, launches) = Self.start(air)
    let recorder = launches.last
    let central = Central(on: air)
    recorder.manager = nil
    await air.advance(by: .seconds(1))
    #expect(await !central.discovers(.localName("Recorder"), within: .seconds(3)))
    recorder.lines = []
    recorder.manager = CBPeripheralManager(
      delegate: recorder, queue: nil, options: [CBPeripheralManagerOptionRestoreIdentifierKey: "recorder"])
    await air.advance(by: .seconds(1))
    #expect(recorder.lines == ["state 5", "added 1815 -1", "advertising -1"])
    #expect(await central.discovers(.localName("Recorder"), within: .seconds(3)))
  }

  @Test("need not implement the optional methods of its delegate: requests are refused")
  func defaults() async throws {
    let air = Air()
    let phone = Phone(on: air)
    phone.launch { Minimal() }
    let central = Central(on: air)
    try await central.connect(to: phone)
    await #expect(throws: StoryFailure.self) { _ = try await central.read(Self.command) }
    await #expect(throws: StoryFailure.self) { try await central.write([1], to: Self.command) }
  }

  @Test("what a callback dispatches to its queue happens before time passes")
  func dispatched() async throws {
    let air = Air()
    let (phone, _, launches) = Self.start(air) { Later() }
    let central = Central(on: air)
    try await central.connect(to: phone)
    try await central.subscribe(to: Self.state)
    let before = air.now
    try await central.write([4], to: Self.command)
    #expect(air.now - before < .seconds(1))
    #expect(try await central.receives(from: Self.state, within: .seconds(1)) == [4])
    #expect(launches.last.requests.count == 1)
  }
}

/// Implements what is required, and publishes.
private final class Minimal: NSObject, CBPeripheralManagerDelegate {
  private var manager: CBPeripheralManager?

  override init() {
    super.init()
    manager = CBPeripheralManager(delegate: self, queue: nil)
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    let service = CBMutableService(type: Recorder.service, primary: true)
    service.characteristics = [
      CBMutableCharacteristic(
        type: Recorder.command, properties: [.read, .write], value: nil, permissions: [.readable, .writeable])
    ]
    peripheral.add(service)
    peripheral.startAdvertising(nil)
  }
}

/// Responds and updates in what it dispatches to the main queue.
private final class Later: Recorder, @unchecked Sendable {
  override func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    self.requests = requests
    DispatchQueue.main.async { [self] in
      manager.respond(to: self.requests[0], withResult: .success)
      manager.updateValue(self.requests[0].value ?? Data(), for: state, onSubscribedCentrals: nil)
    }
  }
}
