import BleperaTesting
import Testing

@Suite("Faults of an app", .traced)
struct AppFaultTests {
  private static let command = TestLock.command
  private static let status = TestLock.status
  private static let isRefused = StoryFailure.refused(.unlikelyError)

  @Test("A response within 30 s reaches the central, which disconnects then and does not receive a later one")
  func slow() async throws {
    let air = Air()
    let (phone, central) = (Phone(on: air), Central(on: air))
    let app = phone.launch(TestLock.app())
    try await central.connect(to: phone)
    app.answerDelay = .seconds(29)
    let before = air.now
    #expect(try await central.read(Self.status) == [7])
    #expect(air.now - before >= .seconds(29))
    app.answerDelay = .seconds(31)
    let later = air.now
    await #expect(throws: StoryFailure.timedOut(.seconds(30))) { _ = try await central.read(Self.status) }
    #expect(air.now - later >= .seconds(30) && air.now - later < .seconds(31))
    await air.advance(by: .seconds(60))
    #expect(!central.isConnected)
    #expect(air.trace.contains { $0.contains("read") && $0.contains("refused: 0x0E") })
    #expect(app.state == .foreground)
    app.answerDelay = .zero
    try await central.connect(to: phone)
    #expect(try await central.read(Self.status) == [7])
  }

  @Test("In the background it is suspended after 10 s, not woken for 10 s, and terminated the third time (R6)")
  func overstaying() async throws {
    let air = Air()
    let (phone, central) = (Phone(on: air), Central(on: air))
    let app = phone.launch(TestLock.app())
    try await central.connect(to: phone)
    phone.moveToBackground()
    await air.advance(by: .seconds(30))
    #expect(app.state == .suspended)
    app.answerDelay = .seconds(12)
    for time in 1...3 {
      await #expect(throws: Self.isRefused) { _ = try await central.read(Self.status) }
      #expect(app.state == (time < 3 ? .suspended : .notRunning))
      if time < 3 {
        let before = air.now
        await #expect(throws: Self.isRefused) { _ = try await central.read(Self.status) }
        #expect(air.now - before < .seconds(1))
        await air.advance(by: .seconds(15))
        #expect(app.state == .suspended)
      }
    }
    #expect(air.trace.contains { $0.contains("terminated") && $0.contains("exceeding its limits") })
    await air.advance(by: .seconds(10))
    await #expect(throws: StoryFailure.noCharacteristic(Self.status)) { _ = try await central.read(Self.status) }
    #expect(app.launches == 1)
  }

  @Test("A response that becomes due while it is suspended is sent when it runs again, too late")
  func lateAnswer() async throws {
    let air = Air()
    let (phone, central) = (Phone(on: air), Central(on: air))
    let app = phone.launch(TestLock.app())
    try await central.connect(to: phone)
    phone.moveToBackground()
    app.answerDelay = .seconds(3)
    air.after(.seconds(1)) { phone.suspend() }
    await #expect(throws: Self.isRefused) { _ = try await central.read(Self.status) }
    #expect(air.now < .seconds(2))
    await air.advance(by: .seconds(10))
    app.answerDelay = .zero
    #expect(try await central.read(Self.status) == [7])
    #expect(app.state == .background)
  }

  @Test("An app that crashes during a request is launched for the next one, and not asked the same again")
  func crashWhileAsked() async throws {
    let air = Air()
    let (phone, central) = (Phone(on: air), Central(on: air))
    let writes = Record<[UInt8]>()
    let app = phone.launch(TestLock.app(writes: writes))
    try await central.connect(to: phone)
    app.crash(at: .nextRequest)
    await #expect(throws: Self.isRefused) { try await central.write([1], to: Self.command) }
    #expect(app.state == .notRunning)
    try await central.write([2], to: Self.command)
    #expect(app.launches == 2 && app.state == .background)
    #expect(writes.elements == [[2]])
  }

  @Test("An app that crashes at each launch is relaunched 1, 2, 4 and 8 s later, and then given up")
  func crashLoop() async throws {
    let air = Air()
    let (phone, central) = (Phone(on: air), Central(on: air))
    let app = phone.launch(TestLock.app())
    try await central.connect(to: phone)
    app.crash(at: .everyLaunch)
    app.crash()
    let before = air.now
    // A subscription waits for the app, however long.
    try await central.subscribe(to: Self.status)
    var launches: [Duration] = []
    for _ in 1...200 {
      if app.launches > launches.count + 1 { launches.append(air.now - before) }
      await air.advance(by: .milliseconds(100))
    }
    let rounded = launches.map { Int(($0 / .milliseconds(500)).rounded()) }
    #expect(rounded == [0, 2, 6, 14, 30])
    #expect(air.trace.contains { $0.contains("  given up  ") })
    await #expect(throws: Self.isRefused) { _ = try await central.read(Self.status) }

    app.crash(at: nil)
    phone.launch(app)
    #expect(app.restored.subscribers == [central])
    #expect(try await central.read(Self.status) == [7])
  }

  @Test("An app of a profile can be slow and crash too")
  func profile() async throws {
    let air = Air()
    let (phone, central) = (Phone(on: air), Central(on: air))
    let app = phone.launch(try AppDefinition(profile: Self.echo))
    try await central.connect(to: phone)
    let uuid = BluetoothUUID(0x2A3D as UInt16)
    try await central.write([5], to: uuid)
    app.answerDelay = .seconds(20)
    #expect(try await central.read(uuid) == [5])
    app.answerDelay = .zero
    app.crash(at: .nextRequest)
    await #expect(throws: Self.isRefused) { _ = try await central.read(uuid) }
    #expect(app.state == .notRunning)
  }

  private static let echo = Array(
    """
    <plist version="1.0"><dict>
      <key>CFBundleIdentifier</key><string>org.example.echo</string>
      <key>CFBundleName</key><string>Echo</string>
      <key>UIBackgroundModes</key><array><string>bluetooth-peripheral</string></array>
      <key>BLEPeripheral</key><dict>
        <key>RestoreIdentifier</key><string>echo</string>
        <key>Advertisement</key><dict><key>ServiceUUIDs</key><array><string>1815</string></array></dict>
        <key>Services</key><array><dict>
          <key>UUID</key><string>1815</string>
          <key>Characteristics</key><array><dict>
            <key>UUID</key><string>2A3D</string>
            <key>Properties</key><array><string>read</string><string>write</string></array>
            <key>Permissions</key><array><string>readable</string><string>writeable</string></array>
            <key>Behavior</key><dict><key>Kind</key><string>echo</string></dict>
          </dict></array>
        </dict></array>
      </dict>
    </dict></plist>
    """.utf8)
}
