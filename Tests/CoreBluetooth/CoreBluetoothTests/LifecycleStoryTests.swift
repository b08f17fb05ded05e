import BleperaAppLink
import BleperaTesting
import CoreBluetooth
import Testing

/// An app follows its own state by the notifications of `UIApplication`.
extension StoryTests {
  private static let lockCommand = BluetoothUUID("2A56")!
  private static let launched = ["DidFinishLaunching inactive", "DidBecomeActive active"]
  private static let left = ["WillResignActive inactive", "DidEnterBackground background"]
  private static let returned = ["WillEnterForeground inactive", "DidBecomeActive active"]

  /// The notifications that are posted in the next moment.
  private static func notices(_ follower: Follower, _ air: Air) async -> [String] {
    await air.advance(by: .milliseconds(10))
    return follower.take()
  }

  private static func launch(
    _ phone: Phone, beginsTask: Bool = false
  ) -> (app: App, launches: Launches<Follower>) {
    let launches = Launches<Follower>()
    let app = phone.launch { launches.keep(Follower(beginsTask: beginsTask)) }
    return (app, launches)
  }

  @Test("is notified of each transition between the foreground and the background, and of no wake")
  func transitions() async throws {
    let air = Air()
    let phone = Phone(on: air)
    let (app, launches) = Self.launch(phone)
    let follower = launches.last
    #expect(follower.take() == Self.launched)
    let central = Central(on: air)
    try await central.connect(to: phone)
    for _ in 1...2 {
      phone.moveToBackground()
      #expect(await Self.notices(follower, air) == Self.left)
      for number in 1...2 {
        await air.advance(by: .seconds(60))
        #expect(app.state == .suspended)
        try await central.write([UInt8(number)], to: Self.lockCommand)
        #expect(app.state == .background && follower.lines.last == "write 0:1")
      }
      #expect(follower.take() == [])
      phone.moveToForeground()
      #expect(await Self.notices(follower, air) == Self.returned)
    }
    phone.lock()
    #expect(await Self.notices(follower, air) == Self.left)
    phone.unlock()
    #expect(await Self.notices(follower, air) == Self.returned)
  }

  @Test("is notified of its launch alone where the system has launched it, and of no end by the system")
  func backgroundLaunch() async throws {
    let air = Air()
    let phone = Phone(on: air)
    let (app, launches) = Self.launch(phone)
    let central = Central(on: air)
    try await central.connect(to: phone)
    for isInFront in [true, false] {
      let former = launches.last
      if isInFront {
        phone.moveToForeground()
      } else {
        phone.moveToBackground()
        await air.advance(by: .seconds(60))
      }
      _ = await Self.notices(former, air)
      phone.terminate(.memoryPressure, app)
      await air.advance(by: .seconds(10))
      #expect(former.take() == [])
      try await central.write([4], to: Self.lockCommand)
      let follower = launches.last
      #expect(follower.stateAtLaunch == .background)
      #expect(follower.lines == ["restore 1 Recorder", "state 5", "write 0:1"])
      #expect(follower.take() == ["DidFinishLaunching background"])
      phone.moveToForeground()
      #expect(await Self.notices(follower, air) == Self.returned)
    }
    #expect(launches.count == 3)
  }

  private enum Place { case foreground, background, backgroundTask, suspended }

  private static let ends: [(Place, [String])] = [
    (.foreground, left + ["WillTerminate background"]), (.background, ["WillTerminate background"]),
    (.backgroundTask, ["WillTerminate background"]), (.suspended, []),
  ]

  @Test("is notified of its end where the user quits it while it runs", arguments: ends)
  private func quit(_ place: Place, _ notices: [String]) async {
    for cause in [TerminationCause.forceQuit, .memoryPressure] {
      let air = Air()
      let phone = Phone(on: air)
      let (app, launches) = Self.launch(phone, beginsTask: place == .backgroundTask)
      if place != .foreground { phone.moveToBackground() }
      if place == .backgroundTask { await air.advance(by: .seconds(20)) }
      if place == .suspended { await air.advance(by: .seconds(60)) }
      #expect(app.state == (place == .foreground ? .foreground : place == .suspended ? .suspended : .background))
      _ = await Self.notices(launches.last, air)
      phone.terminate(cause, app)
      await air.advance(by: .seconds(1))
      #expect(launches.last.take() == (cause == .forceQuit ? notices : []))
      #expect(app.state == .notRunning)
      phone.launch(app)
      #expect(launches.count == 2 && launches.last.take() == Self.launched)
    }
  }
}

/// Writes down the notifications of its app, with the state that the app then has.
private final class Follower: Recorder, @unchecked Sendable {
  let stateAtLaunch = ProcessInfo.processInfo.applicationState
  private var notices: [String] = []
  private var observers: [any NSObjectProtocol] = []

  init(beginsTask: Bool) {
    super.init()
    // Other apps run in this process, too.
    let port = AppPorts.current
    let names = [
      "DidFinishLaunching", "DidBecomeActive", "WillResignActive", "DidEnterBackground", "WillEnterForeground",
      "WillTerminate",
    ]
    observers = names.map { name in
      NotificationCenter.default.addObserver(
        forName: Notification.Name("UIApplication\(name)Notification"), object: nil, queue: nil
      ) { [weak self] _ in
        guard AppPorts.current === port else { return }
        self?.notices.append("\(name) \(ProcessInfo.processInfo.applicationState)")
        if beginsTask, name == "DidEnterBackground" { _ = ProcessInfo.processInfo.beginBackgroundTask() }
      }
    }
  }

  deinit { observers.forEach(NotificationCenter.default.removeObserver) }

  func take() -> [String] {
    defer { notices = [] }
    return notices
  }
}
