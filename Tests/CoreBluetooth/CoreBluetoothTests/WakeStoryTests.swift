import BleperaTesting
import CoreBluetooth
import Testing

/// The time that an app runs in the background.
extension StoryTests {
  private static let wakeCommand = BluetoothUUID("2A56")!

  /// A suspended app that is woken by a write.
  private static func wake(
    _ air: Air, wakeTime: Duration? = nil, _ make: @escaping @MainActor @Sendable () -> Recorder
  ) async throws -> (app: App, launches: Launches<Recorder>, central: Central) {
    let phone = Phone(on: air, wakeTime: wakeTime)
    let launches = Launches<Recorder>()
    let app = phone.launch("org.example.recorder") { launches.keep(make()) }
    let central = Central(on: air)
    try await central.connect(to: phone)
    phone.moveToBackground()
    await air.advance(by: .seconds(60))
    #expect(app.state == .suspended)
    try await central.write([4], to: wakeCommand)
    #expect(launches.last.lines.last == "write 0:1")
    return (app, launches, central)
  }

  @Test("is suspended 10 s after the last event, when its queue is idle", arguments: [true, false])
  func idle(onMain: Bool) async throws {
    let air = Air()
    let (app, _, central) = try await Self.wake(air) { Recorder(queue: onMain ? nil : DispatchQueue(label: "app")) }
    await air.advance(by: .seconds(9))
    #expect(app.state == .background)
    try await central.write([5], to: Self.wakeCommand)
    await air.advance(by: .seconds(9))
    #expect(app.state == .background)
    await air.advance(by: .seconds(2))
    #expect(app.state == .suspended)
    #expect(air.trace.contains { $0.contains("suspended") && $0.contains("it has finished its work") })
  }

  @Test("runs for the wake time that the test chooses")
  func wakeTime() async throws {
    let air = Air()
    let (app, _, _) = try await Self.wake(air, wakeTime: .seconds(5)) { Recorder() }
    await air.advance(by: .seconds(4))
    #expect(app.state == .background)
    await air.advance(by: .seconds(2))
    #expect(app.state == .suspended)
  }

  @Test(
    "works on for 8 s after its callback has returned, and for 20 s by a background task alone",
    arguments: [(8, false), (20, false), (20, true)])
  func task(seconds: Int, beginsTask: Bool) async throws {
    let air = Air()
    let (app, launches, _) = try await Self.wake(air) { Working(beginsTask: beginsTask) }
    let working = try #require(launches.last as? Working)
    await air.advance(by: .seconds(seconds))
    let runs = seconds == 8 || beginsTask
    #expect(app.state == (runs ? .background : .suspended))
    // What it has worked on reaches its subscribers only while it runs.
    #expect(working.finish() == runs)
    await air.advance(by: .seconds(3))
    #expect(app.state == .suspended)
  }
}

/// Works on after its callback has returned.
private final class Working: Recorder, @unchecked Sendable {
  private let beginsTask: Bool
  private var task: Int?

  init(beginsTask: Bool) {
    self.beginsTask = beginsTask
    super.init()
  }

  override func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    if beginsTask { task = ProcessInfo.processInfo.beginBackgroundTask() }
    super.peripheralManager(peripheral, didReceiveWrite: requests)
  }

  func finish() -> Bool {
    defer { if let task { ProcessInfo.processInfo.endBackgroundTask(task) } }
    return manager.updateValue(Data([1]), for: state, onSubscribedCentrals: nil)
  }
}
