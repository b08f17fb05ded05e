import BleperaAppLink
import BleperaBluetooth
import BleperaRadio
import BleperaRules
import Testing

@testable import BleperaPhone

@Suite("Managers share the connections of the phone")
struct CentralConnectionTests {
  private static func connect(_ options: ConnectOptions = ConnectOptions()) -> CentralCall {
    .connect(RoleStage.id(), options)
  }
  private static let cancel = CentralCall.cancelPeripheralConnection(RoleStage.id())

  @Test("Each is connected in the order of its connect, and the last one that cancels ends the connection")
  func shared() {
    var stage = RoleStage()
    stage.call(Self.connect(), by: RoleStage.b)
    stage.call(Self.connect())
    #expect(stage.take() == ["connect [\"p1\"]"])
    stage.connect()
    #expect(stage.take() == ["b connected p1", "a connected p1"])
    stage.call(Self.cancel)
    #expect(stage.take() == ["a disconnected p1"])
    // The phone is connected: no packet.
    stage.call(Self.connect())
    stage.call(Self.connect())
    #expect(stage.take() == ["a connected p1", "a connected p1"])
    stage.call(Self.cancel, by: RoleStage.b)
    stage.call(Self.cancel)
    #expect(stage.take() == ["b disconnected p1", "a disconnected p1", "disconnect p1"])
    stage.disconnect(.byPhone)
    #expect(stage.take() == [])
  }

  @Test("On iOS 11 an app may write without response from the next connection event on", arguments: [11, 12])
  func readiness(ios: Int) throws {
    var stage = RoleStage(RuleSet(try #require(IOSVersion(rawValue: ios))))
    stage.call(Self.connect())
    stage.connect()
    #expect(stage.take().last == (ios == 11 ? "a connected p1, cannot write" : "a connected p1"))
    stage.wait(.milliseconds(29))
    #expect(stage.take() == [])
    stage.wait(.milliseconds(1))
    #expect(stage.take() == (ios == 11 ? ["a sent 20"] : []))
    #expect(stage.role.deadline == nil)
  }

  @Test("A wait is canceled without an error, and a peripheral that nobody waits for is left")
  func canceledWait() {
    var stage = RoleStage()
    stage.call(Self.connect())
    stage.call(Self.cancel)
    #expect(stage.take() == ["connect [\"p1\"]", "a disconnected p1", "connect []"])
    stage.connect()
    #expect(stage.take() == ["disconnect p1"])
  }

  @Test("The phone listens in other windows as the screen changes while an app waits, and in none while no app waits")
  func windows() {
    var stage = RoleStage()
    func windows(isScreenOn: Bool) -> [Duration] {
      stage.role.screenChanged(isOn: isScreenOn, at: .zero)
      return stage.role.takeOutputs().compactMap { output in
        if case .connect([RoleStage.address()], let scan) = output { scan.window } else { nil }
      }
    }
    #expect(windows(isScreenOn: false) == [])
    #expect(windows(isScreenOn: true) == [])
    stage.call(Self.connect())
    _ = stage.take()
    #expect(windows(isScreenOn: false) == [.microseconds(12_500)])
    #expect(windows(isScreenOn: false) == [])
    #expect(windows(isScreenOn: true) == [.milliseconds(30)])
    stage.connect()
    _ = stage.take()
    #expect(windows(isScreenOn: false) == [])
  }

  @Test(
    "The end of a connection has its error, and requests under way have no callback",
    arguments: [(DisconnectionCause.timeout, 6), (.byPeripheral, 7), (.keyMissing, 14)])
  func causes(cause: DisconnectionCause, code: Int) {
    var stage = RoleStage()
    stage.explore()
    stage.call(Self.connect(), by: RoleStage.b)
    stage.ask(.readValue(0x12), .readRSSI)
    _ = stage.take()
    stage.disconnect(cause)
    #expect(stage.take() == ["a disconnected p1 \(code)", "b disconnected p1 \(code)"])
    // The answer comes too late.
    stage.answer()
    stage.ask(.readValue(0x12))
    #expect(stage.take() == ["a 0x0012 is [] 3"])
  }

  @Test("Eight connections are all; any number may wait")
  func limit() {
    var stage = RoleStage(peripherals: 9)
    for number in 1...9 { stage.call(.connect(RoleStage.id(number), ConnectOptions())) }
    for number in 1...8 { stage.connect(number) }
    _ = stage.take()
    stage.connect(9)
    #expect(stage.take() == ["a failed p9 11", "disconnect p9", "connect []"])
  }

  @Test("With a start delay the phone begins to connect later")
  func startDelay() {
    var stage = RoleStage()
    var options = ConnectOptions()
    options.startDelay = 5
    stage.call(Self.connect(options))
    stage.wait(.seconds(4))
    #expect(stage.take() == [])
    stage.wait(.seconds(1))
    #expect(stage.take() == ["connect [\"p1\"]"])
  }

  @Test("With automatic reconnection the phone connects again after a loss, and not after a cancellation")
  func autoReconnect() {
    var stage = RoleStage()
    var options = ConnectOptions()
    options.autoReconnects = true
    stage.call(Self.connect(options))
    stage.connect()
    _ = stage.take()
    stage.disconnect(.byPeripheral)
    #expect(stage.take() == ["a disconnected p1 7 reconnecting", "connect [\"p1\"]"])
    // A restorable manager's wait stays with the system.
    stage.role.processEnded(of: RoleStage.a.app, keeping: [RoleStage.a.manager], at: .zero)
    stage.connect()
    #expect(stage.take() == ["a connected p1"])
    stage.call(Self.cancel)
    #expect(stage.take() == ["a disconnected p1", "disconnect p1"])
    stage.disconnect(.byPhone)
    #expect(stage.take() == [])
  }

  @Test(
    "Who registers learns once of each connection and disconnection by any app, and is not connected",
    arguments: [
      ConnectionEventMatching(services: [RoleStage.heartRate], peripherals: []),
      ConnectionEventMatching(services: [], peripherals: [RoleStage.id()]),
      ConnectionEventMatching(services: [RoleStage.heartRate], peripherals: [RoleStage.id()]),
    ])
  func connectionEvents(matching: ConnectionEventMatching) {
    var stage = RoleStage()
    stage.call(.registerForConnectionEvents(matching), by: RoleStage.b)
    for isBonded in [false, true, true] {
      stage.call(Self.connect())
      stage.connect(isBonded: isBonded)
      // The system discovers the services itself to find a requested service.
      #expect(stage.answerAll().filter { $0.contains(" p1") } == ["a connected p1", "b event p1 true"])
      stage.call(Self.cancel)
      stage.disconnect(.byPhone)
      #expect(stage.take() == ["a disconnected p1", "b event p1 false", "disconnect p1"])
    }
    stage.call(.registerForConnectionEvents(nil), by: RoleStage.b)
    stage.call(Self.connect())
    stage.connect()
    stage.disconnect(.byPeripheral)
    #expect(!stage.take().contains { $0.hasPrefix("b") })
  }

  @Test("Power off ends scans and connections without a callback, and nothing begins again by itself")
  func power() {
    var stage = RoleStage(peripherals: 2)
    stage.call(.scanForPeripherals(ScanRequest()))
    stage.call(Self.connect())
    stage.call(.connect(RoleStage.id(2), ConnectOptions()))
    stage.connect()
    _ = stage.take()
    stage.switchPower()
    #expect(stage.take() == [])
    #expect(!stage.role.isInUse(RoleStage.a))
    // The caches are empty, but the phone knows the peripherals.
    #expect(stage.role.retrieve(.retrievePeripherals([RoleStage.id(2)]))?.map(\.id) == [RoleStage.id(2)])
  }

  @Test("The end of its process ends what a manager without restoration identifier uses, unless another one uses it")
  func processEnd() {
    var stage = RoleStage(peripherals: 2)
    for number in 1...2 { stage.call(.connect(RoleStage.id(number), ConnectOptions()), by: RoleStage.b) }
    stage.call(Self.connect())
    for number in 1...2 { stage.connect(number) }
    _ = stage.take()
    stage.role.processEnded(of: RoleStage.b.app, keeping: [], at: .zero)
    #expect(stage.take() == ["disconnect p2"])
    stage.role.processEnded(of: RoleStage.a.app, keeping: [RoleStage.a.manager], at: .zero)
    #expect(stage.take() == [])
  }

  @Test("A peripheral is restored in its present state, and after a reboot only where the system waits for it")
  func restored() {
    var stage = RoleStage(peripherals: 2)
    for number in 1...2 { stage.call(.connect(RoleStage.id(number), ConnectOptions())) }
    for number in 1...2 { stage.connect(number) }
    stage.ask(.discoverServices(nil))
    _ = stage.answerAll()
    func restored() -> [String] {
      stage.role.restoredState(of: RoleStage.a).peripherals.map { "\($0.state) \($0.services.count)" }
    }
    #expect(restored() == [])
    stage.role.processEnded(of: RoleStage.a.app, keeping: [RoleStage.a.manager], at: .zero)
    #expect(Set(restored()) == ["connected 2", "connected 0"])
    stage.disconnect()
    #expect(Set(restored()) == ["disconnected 2", "connected 0"])
    // Before the manager is created the next process ends, too.
    stage.role.processEnded(of: RoleStage.a.app, keeping: [RoleStage.a.manager], at: .zero)
    #expect(Set(restored()) == ["disconnected 2", "connected 0"])
    _ = stage.take()
    stage.switchPower(isCreated: false)
    #expect(stage.take().contains("a disconnected p2 6 reconnecting"))
    #expect(Set(restored()) == ["disconnected 2", "connecting 0"])
    stage.role.rebooted()
    #expect(restored() == ["connecting 0"])
    stage.role.restored(RoleStage.a)
    #expect(restored() == [])
  }

  // MARK: Identifiers

  @Test("A bonded peripheral keeps its identifier, and another one with a new address is another peripheral")
  func identifiers() {
    var stage = RoleStage()
    stage.explore()
    let identity = RadioPeripheral(id: RoleStage.address(7), isBonded: true, mtu: 185, name: "Strap")
    stage.role.changed(identity, formerly: RoleStage.address(), at: .zero)
    #expect(stage.take() == ["a name Strap"])
    stage.disconnect(of: 7)
    #expect(stage.take() == ["a disconnected p1 6"])
    stage.call(Self.connect())
    #expect(stage.role.listening.wanted == [RoleStage.address(7)])
    stage.receive(2)
    stage.call(.scanForPeripherals(ScanRequest()))
    stage.receive(2)
    #expect(stage.take().last == "a discovered p2 - 127")
    let all = stage.role.retrieve(.retrievePeripherals([RoleStage.id(2), RoleStage.id(3), RoleStage.id()]))
    #expect(all?.map(\.id) == [RoleStage.id(2), RoleStage.id()])
  }

  @Test("The name is the advertised one until the Device Name was read, and stays that one")
  func name() {
    var stage = RoleStage()
    stage.call(.scanForPeripherals(ScanRequest(allowsDuplicates: true)))
    stage.receive(1, [.completeLocalName("Advertised")], rssi: -40)
    #expect(stage.take().last == "a discovered p1 Advertised -40")
    stage.call(Self.connect())
    stage.connect()
    stage.role.changed(RadioPeripheral(id: RoleStage.address(), isBonded: false, mtu: 185, name: "Read"), at: .zero)
    stage.disconnect()
    #expect(stage.take().contains("a name Read"))
    stage.receive(1, [.completeLocalName("Advertised")])
    #expect(stage.take().last == "a discovered p1 Read 127")
  }

  @Test("Unbonded peripherals with a resolvable address are forgotten after a day, or as the oldest of 10,000")
  func forgotten() {
    var stage = RoleStage()
    let resolvable = PeripheralID(rawValue: "4 first")
    func receive(_ address: PeripheralID, at seconds: Int) {
      stage.role.received(address, ReceivedAdvertisement(AdvertisingData([])), at: .seconds(seconds))
    }
    receive(resolvable, at: 0)
    receive(RoleStage.address(), at: 86_399)
    #expect(stage.role.known[resolvable.forApps] != nil)
    receive(RoleStage.address(), at: 90_000)
    #expect(stage.role.known[resolvable.forApps] == nil)
    func address(_ number: Int) -> PeripheralID { PeripheralID(rawValue: "4\(number)") }
    for number in 0...10_000 {
      receive(address(number), at: 90_000 + number)
      // A peripheral that an app waits for is kept.
      if number == 1 { stage.call(.connect(address(1).forApps, ConnectOptions())) }
    }
    #expect(stage.role.known.count <= 10_000 && stage.role.known[RoleStage.id()] != nil)
    #expect(stage.role.known[address(0).forApps] == nil && stage.role.known[address(1).forApps] != nil)
  }
}
