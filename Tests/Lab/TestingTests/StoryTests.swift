import BleperaTesting
import Synchronization
import Testing

@Suite("A story of a phone and a central reads like one", .traced)
struct StoryTests {
  @Test("In the background its UUID is in the overflow area, and it has no local name")
  func background() async {
    let air = Air()
    let phone = Phone(on: air)
    let central = Central(on: air)
    phone.launch(TestLock.app())
    #expect(await central.discovers(.localName("Lock"), within: .seconds(3)))
    phone.moveToBackground()
    #expect(await central.discovers(.overflow(TestLock.lock), within: .seconds(3)))
    #expect(await !central.discovers(.localName("Lock"), within: .seconds(60)))
    #expect(air.now >= .seconds(60))
  }

  @Test(
    "An app in the background finds a phone in the background while the screen is on, and not while it is off",
    arguments: [11, 13, 16, 26])
  func backgroundScan(ios: Int) async {
    let air = Air()
    let phone = Phone(on: air, ios: ios)
    let central = Central(on: air, as: .iPhoneApp())
    phone.launch(TestLock.app())
    phone.moveToBackground()
    #expect(await central.discovers(.overflow(TestLock.lock), within: .seconds(60)))
    central.moveToBackground()
    // From iOS 13 on the overflow area is in the scan response, beside Nearby Info.
    #expect(await central.discovers(.overflow(TestLock.lock), within: .seconds(60)))
    central.switchScreen(on: false)
    #expect(await !central.discovers(.overflow(TestLock.lock), within: .seconds(600)))
    central.switchScreen(on: true)
    #expect(await central.discovers(.overflow(TestLock.lock), within: .seconds(60)))
  }

  @Test("An app with a Live Activity finds a phone again and again from the background, without a service to look for")
  func liveActivity() async {
    let air = Air()
    let phone = Phone(on: air)
    let (other, central) = (Central(on: air, as: .iPhoneApp()), Central(on: air, as: .iPhoneApp()))
    phone.launch(TestLock.app())
    phone.moveToBackground()
    central.startLiveActivity()
    for scanner in [other, central] {
      scanner.moveToBackground()
      scanner.scan(allowsDuplicates: true)
    }
    await air.advance(by: .seconds(60))
    // The phone was discovered without its name; another discovery of it is a duplicate.
    phone.moveToForeground()
    #expect(await central.discovers(.localName("Lock"), within: .seconds(60)))
    #expect(await !other.discovers(.localName("Lock"), within: .seconds(60)))
    central.endLiveActivity()
  }

  @Test(
    "A Live Activity that changes nothing fails the story",
    arguments: [(18, true, "on iOS 18"), (26, false, "in the foreground")])
  func refusedLiveActivity(ios: Int, isForeground: Bool, reason: String) async throws {
    let air = Air()
    let central = Central(on: air, as: .iPhoneApp(iOS: ios))
    if !isForeground { central.moveToBackground() }
    withKnownIssue {
      central.startLiveActivity()
    } matching: {
      "\($0)".contains(reason)
    }
  }

  @Test("The app learns at once that one of two subscribers has unsubscribed")
  func unsubscription() async throws {
    let air = Air()
    let phone = Phone(on: air)
    let (first, second) = (Central(on: air, named: "first"), Central(on: air, named: "second"))
    let events = Record<App.Event>()
    phone.launch(TestLock.app { event, _ in events.add(event) })
    for central in [first, second] {
      try await central.connect(to: phone)
      try await central.subscribe(to: TestLock.status)
    }
    try await first.unsubscribe(from: TestLock.status)
    #expect(events.elements.last == .didUnsubscribe(first, from: TestLock.status))
  }

  @Test("Terminated for memory, it still opens, and its subscribers are restored")
  func killed() async throws {
    let air = Air()
    let phone = Phone(on: air)
    let central = Central(on: air)
    let app = phone.launch(TestLock.app())
    try await central.connect(to: phone)
    try await central.subscribe(to: TestLock.status)
    phone.moveToBackground()
    phone.terminate(.memoryPressure)
    #expect(app.state == .notRunning)
    await air.advance(by: .seconds(3600))
    try await central.write([1], to: TestLock.command)
    #expect(app.launches == 2)
    #expect(app.restored.services == [TestLock.lock])
    #expect(app.restored.subscribers == [central])
    #expect(try await central.read(TestLock.status) == [7])
    app.update(TestLock.status, to: [8])
    #expect(try await central.receives(from: TestLock.status, within: .seconds(1)) == [8])
  }

  @Test("After a force quit the services of the app are removed")
  func quit() async throws {
    let air = Air()
    let phone = Phone(on: air)
    let central = Central(on: air)
    let app = phone.launch(TestLock.app())
    try await central.connect(to: phone)
    phone.forceQuit()
    await air.advance(by: .seconds(1))
    await #expect(throws: StoryFailure.noCharacteristic(TestLock.command)) {
      try await central.write([1], to: TestLock.command)
    }
    #expect(app.state == .notRunning && app.launches == 1)
  }

  @Test(
    "A refused write reaches the app once, and an app that runs moves to the foreground, not launched again")
  func once() async throws {
    let air = Air()
    let phone = Phone(on: air)
    let central = Central(on: air)
    let writes = Mutex(0)
    let app = phone.launch(
      AppDefinition(
        "org.example.busy",
        services: [
          ServiceDefinition(
            uuid: TestLock.lock,
            characteristics: [
              CharacteristicDefinition(uuid: TestLock.command, properties: [.write], permissions: [.writeable])
            ])
        ],
        write: { _, _ in
          writes.withLock { writes in
            writes += 1
            return writes == 1 ? .invalidAttributeValueLength : nil
          }
        }))
    try await central.connect(to: phone)
    await #expect(throws: StoryFailure.refused(.invalidAttributeValueLength)) {
      try await central.write([1], to: TestLock.command)
    }
    #expect(writes.withLock { $0 } == 1)
    phone.moveToBackground()
    phone.launch(app)
    #expect(app.state == .foreground && app.launches == 1)
    try await central.write([1], to: TestLock.command)
  }

  @Test("A failure is shown with the trace before it")
  func trace() async throws {
    let failures = Mutex<[Issue]>([])
    let test = try #require(Test.current)
    let outside = IssueHandlingTrait.compactMapIssues { issue in
      failures.withLock { $0.append(issue) }
      return nil
    }
    try await outside.provideScope(for: test, testCase: .current) {
      try await StoryTrait.traced.provideScope(for: test, testCase: .current) {
        let air = Air()
        let phone = Phone(on: air, backgroundAppleItems: [])
        let central = Central(on: air)
        #expect(await central.discovers(.anything, within: .seconds(1)))
        withExtendedLifetime(phone) {}
      }
    }
    let comments = failures.withLock { $0.first?.comments ?? [] }
    #expect(
      comments.first?.rawValue == """
        what happened:
        0.001  phone  powered on      hci0
        1.001  central  does not discover anything
        """)
  }

  /// A day in which the phone's app is moved to the background, woken, terminated and restored every minute.
  private static func day(minutes: Int) async throws -> [String] {
    let air = Air(seed: 1)
    let phone = Phone(on: air)
    let central = Central(on: air)
    let app = phone.launch(TestLock.app())
    try await central.connect(to: phone)
    try await central.subscribe(to: TestLock.status)
    for minute in 1...minutes {
      phone.moveToForeground()
      phone.moveToBackground()
      await air.advance(by: .seconds(20))
      try await central.write([1], to: TestLock.command)
      await air.advance(by: .seconds(20))
      phone.terminate(.memoryPressure)
      _ = try await central.read(TestLock.status)
      #expect(app.restored.subscribers == [central])
      app.update(TestLock.status, to: [UInt8(truncatingIfNeeded: minute)])
      await air.advance(to: .seconds(60) * minute)
    }
    #expect(app.launches == minutes + 1)
    return air.trace
  }

  @Test("The same story runs the same way every time")
  func sameEveryTime() async throws {
    let first = try await Self.day(minutes: 10)
    #expect(first.count > 100)
    for _ in 1...5 { #expect(try await Self.day(minutes: 10) == first) }
  }
}
