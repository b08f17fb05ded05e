import BleperaTesting
import CoreBluetooth
import Testing

/// How long an app runs in the background.
extension StoryTests {
  private static let wakeCommand = BluetoothUUID("2A56")!

  /// A suspended app that is woken by a write.
  private static func wake(
    _ air: Air, wakeTime: Duration = .milliseconds(500), _ make: @escaping @MainActor @Sendable () -> Recorder
  ) async throws -> (app: App, launches: Launches<Recorder>) {
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
    return (app, launches)
  }

  @Test("is suspended when its callback has returned and its queue is idle", arguments: [true, false])
  func idle(onMain: Bool) async throws {
    let air = Air()
    let (app, _) = try await Self.wake(air) { Recorder(queue: onMain ? nil : DispatchQueue(label: "app")) }
    #expect(app.state == .background)
    await air.advance(by: .seconds(1))
    #expect(app.state == .suspended)
  }

  @Test("runs for the wake time that the test chooses")
  func wakeTime() async throws {
    let air = Air()
    let (app, _) = try await Self.wake(air, wakeTime: .seconds(5)) { Recorder() }
    await air.advance(by: .seconds(4))
    #expect(app.state == .background)
    await air.advance(by: .seconds(2))
    #expect(app.state == .suspended)
  }

  @Test("needs 8 s after its callback has returned, and gets them by a background task", arguments: [true, false])
  func task(beginsTask: Bool) async throws {
    let air = Air()
    let (app, launches) = try await Self.wake(air) { Working(beginsTask: beginsTask) }
    let working = try #require(launches.last as? Working)
    await air.advance(by: .seconds(8))
    #expect(app.state == (beginsTask ? .background : .suspended))
    // What it has worked on reaches its subscribers only while it runs.
    #expect(working.finish() == beginsTask)
    await air.advance(by: .seconds(1))
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
