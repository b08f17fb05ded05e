import BleperaBluetooth
import BleperaTesting
import CoreBluetooth
import Synchronization
import Testing

/// The order for each manager: `willRestoreState` with what was in use when the app ended, in the state that it has
/// now; `didUpdateState`; then what has happened meanwhile, in its order.
extension StoryTests {
  @Suite("An app that is relaunched, or opened while the system keeps its state, receives") struct Relaunch {
    private static let disconnected = "disconnected CBErrorDomain 7"

    /// Terminates an app in the background that has found and subscribed to the strap.
    private static func terminated(
      _ phone: Phone, on air: Air, backgroundModes: [String] = ["bluetooth-central"],
      _ make: @escaping @MainActor @Sendable () -> Explorer = {
        Explorer([CBUUID(string: "180D")], restores: "explorer")
      }
    ) async -> (app: App, launches: Launches<Explorer>) {
      let (app, launches) = await StoryTests.connected(phone, on: air, backgroundModes: backgroundModes, make)
      phone.moveToBackground()
      await air.advance(by: .seconds(60))
      phone.terminate(.memoryPressure)
      await air.advance(by: .seconds(3600))
      #expect(app.state == .notRunning)
      return (app, launches)
    }

    @Test("the loss of its connection, connects again, and is connected three days later")
    func loss() async throws {
      let air = Air()
      let strap = StoryTests.strap(on: air)
      // Three days pass faster where the phone itself sends nothing.
      let phone = Phone(on: air, backgroundAppleItems: [])
      let identifiers = Launches<[String]>()
      let (app, launches) = await Self.terminated(phone, on: air) {
        _ = identifiers.keep(ProcessInfo.processInfo.bluetoothCentrals ?? ["user"])
        let explorer = Explorer([CBUUID(string: "180D")], restores: "explorer")
        explorer.reconnects = true
        return explorer
      }
      air.link(phone, strap).loss = 1
      await air.advance(by: .seconds(60))
      #expect(app.launches == 2)
      #expect(identifiers.all == [["user"], ["explorer"]])
      #expect(launches.last.take() == [#"restore ["0 1 1"], scan []"#, "state 5", "disconnected CBErrorDomain 6"])
      #expect(launches.last.held == ["1 0 0"])
      strap.switchPower(on: false)
      air.link(phone, strap).loss = nil
      await air.advance(by: .seconds(3 * 86_400))
      strap.switchPower(on: true)
      await air.advance(by: .seconds(60))
      #expect(app.launches == 2)
      let lines = launches.last.take()
      #expect(lines.first == "connected", "\(lines)")
    }

    @Test("values and the loss that follows them, when its user opens it after the system has given up")
    func openedByHand() async throws {
      let air = Air()
      let strap = StoryTests.strap(on: air)
      let phone = Phone(on: air)
      let (app, launches) = await Self.terminated(phone, on: air)
      app.crash(at: .everyLaunch)
      for value: UInt8 in [7, 8] {
        strap.set(StoryTests.measurement, to: [value])
        await air.advance(by: .seconds(60))
      }
      strap.switchPower(on: false)
      await air.advance(by: .seconds(3600))
      #expect(launches.count == 1)
      app.crash(at: nil)
      phone.launch(app)
      await air.advance(by: .seconds(1))
      #expect(
        launches.last.take() == [
          #"restore ["0 1 1"], scan []"#, "state 5", "value 2A37 [7]", "value 2A37 [8]", Self.disconnected,
        ])
    }

    @Test("a value and the loss that follows it, where both come before it has created its managers")
    func lossBeforeLaunch() async throws {
      let air = Air()
      let strap = StoryTests.strap(on: air)
      let phone = Phone(on: air)
      let (app, launches) = await Self.terminated(phone, on: air)
      // The system launches it again after 1 s.
      app.crash(at: .everyLaunch)
      strap.set(StoryTests.measurement, to: [7])
      await air.advance(by: .milliseconds(500))
      strap.switchPower(on: false)
      await air.advance(by: .milliseconds(100))
      #expect(app.launches == 2 && launches.count == 1)
      app.crash(at: nil)
      await air.advance(by: .seconds(5))
      #expect(app.launches == 3)
      #expect(
        launches.last.take() == [#"restore ["0 1 1"], scan []"#, "state 5", "value 2A37 [7]", Self.disconnected])
    }

    @Test("each of its peripherals, of which one was lost, and the loss")
    func twoPeripherals() async throws {
      let air = Air()
      let straps = ["Left", "Right"].map { StoryTests.strap(on: air, named: $0) }
      let phone = Phone(on: air)
      let launches = Launches<Couple>()
      let app = phone.launch { launches.keep(Couple()) }
      await air.advance(by: .seconds(5))
      #expect(launches.last.held == ["2 1 1", "2 1 1"], "\(launches.last.lines)")
      phone.moveToBackground()
      await air.advance(by: .seconds(60))
      phone.terminate(.memoryPressure)
      await air.advance(by: .seconds(3600))
      straps[1].switchPower(on: false)
      await air.advance(by: .seconds(5))
      #expect(app.launches == 2)
      #expect(launches.last.take() == ["restore Left 2 1 1, Right 0 1 1", "state 5", "\(Self.disconnected) Right"])
      straps[0].set(StoryTests.measurement, to: [9])
      await air.advance(by: .seconds(1))
      #expect(app.launches == 2)
      #expect(launches.last.take() == ["value 2A37 [9]"])
    }

    @Test(
      "its connected peripheral from retrievePeripherals, and the value, where willRestoreState is empty",
      arguments: ["main", "serial"])
    func retrieval(_ name: String) async throws {
      let queue = name == "main" ? nil : DispatchQueue(label: "app")
      let air = Air()
      let strap = StoryTests.strap(on: air)
      let known = Known()
      let (app, launches) = await Self.terminated(Phone(on: air), on: air) { Retriever(known, queue: queue) }
      strap.set(StoryTests.measurement, to: [7])
      await air.advance(by: .seconds(1))
      #expect(app.launches == 2)
      #expect(launches.last.take() == ["restore", "state 5", #"retrieved ["2 1 1"]"#, "value 2A37 [7]"])
      await air.advance(by: .seconds(60))
      strap.set(StoryTests.measurement, to: [8])
      await air.advance(by: .seconds(1))
      #expect(launches.last.take() == ["value 2A37 [8]"])
    }

    @Test("the state of each manager before the app is active", arguments: [false, true])
    func activation(hasBothRoles: Bool) async throws {
      let air = Air()
      let strap = StoryTests.strap(on: air)
      let phone = Phone(on: air)
      let launches = Launches<Opened>()
      let app = phone.launch { launches.keep(Opened(hasBothRoles: hasBothRoles)) }
      await air.advance(by: .seconds(5))
      phone.moveToBackground()
      await air.advance(by: .seconds(60))
      phone.terminate(.memoryPressure)
      await air.advance(by: .seconds(3600))
      #expect(app.launches == 1)
      phone.launch(app)
      await air.advance(by: .seconds(1))
      let peripheral = hasBothRoles ? ["restore 1 Recorder", "state 5"] : []
      #expect(launches.last.beforeActive == [[#"restore ["2 1 1"], scan []"#, "state 5"] + peripheral])
      withExtendedLifetime(strap) {}
    }

    // Authors of apps have reported this of iOS 26 (react-native-ble-manager issue 1386, Meshtastic-Apple issue 1402).
    @Test(
      "a peripheral that is still connecting, which it can use once Bluetooth is on; nothing after a force quit",
      arguments: [false, true])
    func connecting(isForceQuit: Bool) async throws {
      let air = Air()
      let strap = StoryTests.strap(on: air)
      let phone = Phone(on: air)
      let (app, launches) = await StoryTests.connected(phone, on: air) { Hasty() }
      strap.switchPower(on: false)
      await air.advance(by: .seconds(5))
      #expect(launches.last.take() == [Self.disconnected])
      phone.moveToBackground()
      await air.advance(by: .seconds(60))
      if isForceQuit { phone.forceQuit() } else { phone.terminate(.memoryPressure) }
      await air.advance(by: .seconds(3600))
      phone.launch(app)
      await air.advance(by: .seconds(1))
      #expect(
        launches.last.take() == (isForceQuit ? [] : [#"restore ["1 0 0"], scan []"#, "canceled in state 0"]) + [
          "state 5"
        ]
      )
      strap.switchPower(on: true)
      await air.advance(by: .seconds(30))
      let lines = launches.last.take()
      #expect(lines.first == (isForceQuit ? "discovered Strap" : "connected"), "\(lines)")
    }
  }
}

/// Connects to two peripherals.
private final class Couple: Explorer, @unchecked Sendable {
  init() { super.init([CBUUID(string: "180D")], restores: "couple") }

  override func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
    peripherals = dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral] ?? []
    for peripheral in peripherals { peripheral.delegate = self }
    note("restore " + zip(peripherals, held).map { "\($0.name ?? "-") \($1)" }.sorted().joined(separator: ", "))
  }

  override func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any], rssi: NSNumber
  ) {
    guard !peripherals.contains(peripheral) else { return }
    peripherals.append(peripheral)
    peripheral.delegate = self
    central.connect(peripheral)
    if peripherals.count == 2 { central.stopScan() }
  }

  override func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {
    super.centralManager(central, didDisconnectPeripheral: peripheral, error: error)
    lines[lines.count - 1] += " \(peripheral.name ?? "-")"
  }
}

/// The identifier that an app has saved.
private final class Known: Sendable {
  let identifier = Mutex<UUID?>(nil)
}

/// Keeps nothing of `willRestoreState`, and retrieves the peripheral whose identifier it has saved.
private final class Retriever: Explorer, @unchecked Sendable {
  private let known: Known

  init(_ known: Known, queue: DispatchQueue?) {
    self.known = known
    super.init([CBUUID(string: "180D")], restores: "retriever", queue: queue)
  }

  override func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) { note("restore") }

  override func centralManagerDidUpdateState(_ central: CBCentralManager) {
    guard let identifier = known.identifier.withLock({ $0 }) else { return super.centralManagerDidUpdateState(central) }
    note("state \(central.state.rawValue)")
    peripherals = central.retrievePeripherals(withIdentifiers: [identifier])
    for peripheral in peripherals { peripheral.delegate = self }
    note("retrieved \(held)")
  }

  override func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    known.identifier.withLock { $0 = peripheral.identifier }
    super.centralManager(central, didConnect: peripheral)
  }
}

/// Calls its manager in `willRestoreState`, before Bluetooth is on.
private final class Hasty: Explorer, @unchecked Sendable {
  init() {
    super.init([CBUUID(string: "180D")], restores: "hasty")
    reconnects = true
  }

  override func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
    super.centralManager(central, willRestoreState: dict)
    for peripheral in peripherals { central.cancelPeripheralConnection(peripheral) }
    note("canceled in state \(central.state.rawValue)")
  }
}

/// An app that follows its own state, as one with UIKit does.
private final class Opened: NSObject, @unchecked Sendable {
  private let explorer = Explorer([CBUUID(string: "180D")], restores: "explorer")
  private let recorder: Recorder?
  private var observer: (any NSObjectProtocol)?
  /// The callbacks that the app's managers had received at each notification that the app is active.
  private(set) var beforeActive: [[String]] = []

  init(hasBothRoles: Bool) {
    recorder = hasBothRoles ? Recorder() : nil
    super.init()
    observer = NotificationCenter.default.addObserver(
      forName: Notification.Name("UIApplicationDidBecomeActiveNotification"), object: nil, queue: nil
    ) { [weak self] _ in
      guard let self else { return }
      beforeActive.append(explorer.lines + (recorder?.lines ?? []))
    }
  }

  deinit { observer.map { NotificationCenter.default.removeObserver($0) } }
}
