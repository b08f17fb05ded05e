import BleperaTesting
import Testing

@Suite("Faults of the air and of a link", .traced)
struct LinkFaultTests {
  private static let command = TestLock.command
  private static let status = TestLock.status
  /// The supervision timeout of a link.
  private static let timeout = Duration.milliseconds(420)

  @Test("With every other advertisement lost the lock is still discovered, and with all lost it is not")
  func loss() async {
    let air = Air(seed: 3)
    let (phone, central) = (Phone(on: air), Central(on: air))
    phone.launch(TestLock.app())
    air.loss = 0.5
    #expect(await central.discovers(.localName("Lock"), within: .seconds(3)))
    air.loss = 1
    #expect(await !central.discovers(.anything, within: .seconds(60)))
    air.set(loss: 0, for: .seconds(1))
    #expect(await central.discovers(.anything, within: .milliseconds(500)))
    await air.advance(by: .seconds(1))
    #expect(air.loss == 1)
    #expect(await !central.discovers(.anything, within: .seconds(3)))
  }

  @Test("Out of one central's reach it is in another's, and the first connects when it is back")
  func reach() async throws {
    let air = Air()
    let (phone, near, far) = (Phone(on: air), Central(on: air, named: "near"), Central(on: air, named: "far"))
    phone.launch(TestLock.app())
    air.link(far, phone).set(loss: 1, for: .seconds(20))
    #expect(await near.discovers(.anything, within: .seconds(1)))
    #expect(await !far.discovers(.anything, within: .seconds(1)))
    try await far.connect(to: phone)
    #expect(air.now >= .seconds(20))
    #expect(air.link(far, phone).loss == nil)
  }

  @Test("A higher latency delays what is sent")
  func latency() async throws {
    let air = Air()
    let (phone, central) = (Phone(on: air), Central(on: air))
    phone.launch(TestLock.app())
    try await central.connect(to: phone)
    let link = air.link(central, phone)
    link.latency = .seconds(1)
    let before = air.now
    #expect(try await central.read(Self.status) == [7])
    #expect(air.now - before >= .seconds(2))
    link.latency = nil
    let after = air.now
    #expect(try await central.read(Self.status) == [7])
    #expect(air.now - after < .milliseconds(100))
  }

  @Test("A short silence costs time; a long one ends the link and its subscriptions")
  func silence() async throws {
    let air = Air()
    let (phone, central) = (Phone(on: air), Central(on: air))
    let events = Record<App.Event>()
    let app = phone.launch(TestLock.app { event, _ in events.add(event) })
    try await central.connect(to: phone)
    try await central.subscribe(to: Self.status)
    let link = air.link(central, phone)
    link.set(loss: 1, for: .milliseconds(400))
    #expect(app.update(Self.status, to: [1]))
    #expect(try await central.receives(from: Self.status, within: .seconds(1)) == [1])
    #expect(central.isConnected)

    link.set(loss: 1, for: .seconds(5))
    #expect(app.update(Self.status, to: [2]))
    await air.advance(by: Self.timeout - .milliseconds(1))
    #expect(central.isConnected)
    #expect(events.elements.last == .didSubscribe(central, to: Self.status))
    await air.advance(by: .milliseconds(1))
    #expect(!central.isConnected)
    #expect(events.elements.last == .didUnsubscribe(central, from: Self.status))
    try await central.connect(to: phone)
    #expect(try await central.receives(from: Self.status, within: .seconds(5)) == nil)
    #expect(try await central.read(Self.status) == [7])
  }

  @Test(
    "A dropped link is noticed at its central's supervision timeout, and only a connected link can drop",
    arguments: [(.any, 420), (.iPhoneApp(), 720)] as [(Central.Kind, Int)])
  func drop(kind: Central.Kind, milliseconds: Int) async throws {
    let air = Air()
    let (phone, central) = (Phone(on: air), Central(on: air, as: kind))
    phone.launch(TestLock.app())
    #expect(throws: StoryFailure.notConnected) { try air.link(central, phone).drop() }
    try await central.connect(to: phone)
    try air.link(central, phone).drop()
    let before = air.now
    await #expect(throws: StoryFailure.linkLost) { _ = try await central.read(Self.status) }
    #expect(air.now - before == .milliseconds(milliseconds))
    await #expect(throws: StoryFailure.notConnected) { _ = try await central.read(Self.status) }
    try await central.connect(to: phone)
    #expect(try await central.read(Self.status) == [7])
  }

  /// A write of 400 bytes is three prepared ones over an ATT_MTU of 185, and their execution.
  @Test(
    "A long write that is cut while it is prepared never reaches the app; cut at its response it does",
    arguments: [
      (.first(.prepareWriteRequest), false), (.pdu(2), false), (.first(.executeWriteRequest), false),
      (.first(.executeWriteResponse), true),
    ] as [(Link.DropPoint, Bool)])
  func longWrite(cutAt point: Link.DropPoint, isReceived: Bool) async throws {
    let air = Air()
    let (phone, central) = (Phone(on: air), Central(on: air, mtu: 185))
    let writes = Record<[UInt8]>()
    phone.launch(TestLock.app(writes: writes))
    try await central.connect(to: phone)
    let value = [UInt8](repeating: 9, count: 400)
    air.link(central, phone).drop(at: point)
    await #expect(throws: StoryFailure.linkLost) { try await central.write(value, to: Self.command) }
    #expect(writes.elements == (isReceived ? [value] : []))
    try await central.connect(to: phone)
    try await central.write([1], to: Self.command)
    #expect(writes.elements.last == [1])
    #expect(writes.elements.count == (isReceived ? 2 : 1))
  }

  @Test("Dropped between a request and its response: the app has the request, the central no response")
  func answerLost() async throws {
    let air = Air()
    let (phone, central) = (Phone(on: air), Central(on: air))
    let writes = Record<[UInt8]>()
    phone.launch(TestLock.app(writes: writes))
    try await central.connect(to: phone)
    air.link(central, phone).drop(at: .first(.writeResponse))
    // The read has another kind of response, so the link does not drop here.
    #expect(try await central.read(Self.status) == [7])
    await #expect(throws: StoryFailure.linkLost) { try await central.write([1], to: Self.command) }
    #expect(writes.elements == [[1]])
    air.link(central, phone).drop(at: .pdu(1))
    air.link(central, phone).drop(at: nil)
    try await central.connect(to: phone)
    try await central.write([2], to: Self.command)
    #expect(writes.elements == [[1], [2]])
  }

  @Test("A stalled central times out after 30 s, and disconnects")
  func stalled() async throws {
    let air = Air()
    let (phone, central) = (Phone(on: air), Central(on: air))
    phone.launch(TestLock.app())
    try await central.connect(to: phone)
    air.link(central, phone).stall()
    await air.advance(by: .seconds(60))
    #expect(central.isConnected)
    await #expect(throws: StoryFailure.timedOut(.seconds(30))) { _ = try await central.read(Self.status) }
    await air.advance(by: .seconds(1))
    #expect(!central.isConnected)
    air.link(central, phone).resume()
    try await central.connect(to: phone)
    #expect(try await central.read(Self.status) == [7])
  }

  @Test("A full transmit queue turns values away, and an app that waits until it is ready loses none")
  func fullQueue() async throws {
    let air = Air()
    let (phone, central) = (Phone(on: air), Central(on: air))
    let next = Record<UInt8>()
    let turnedAway = Record<UInt8>()
    @Sendable func send(_ app: App) {
      while next.elements.count < 30 {
        let number = UInt8(next.elements.count)
        guard app.update(Self.status, to: [number]) else { return turnedAway.add(number) }
        next.add(number)
      }
    }
    let app = phone.launch(
      TestLock.app { event, app in if event == .isReadyToUpdateSubscribers { send(app) } })
    try await central.connect(to: phone)
    try await central.subscribe(to: Self.status)
    air.link(central, phone).stall()
    send(app)
    #expect(turnedAway.elements == [4])
    await air.advance(by: .seconds(3))
    #expect(turnedAway.elements == [4])
    air.link(central, phone).resume()
    for number in UInt8(0)..<30 {
      #expect(try await central.receives(from: Self.status, within: .milliseconds(100)) == [number])
    }
    // Four at each connection event.
    #expect(turnedAway.elements == [4, 8, 12, 16, 20, 24, 28])
  }

  private static func stormy() async throws -> [String] {
    let air = Air(seed: 9, loss: 0.3)
    let (phone, central) = (Phone(on: air), Central(on: air))
    let app = phone.launch(TestLock.app())
    for round in 1...20 {
      try await central.connect(to: phone)
      try await central.subscribe(to: status)
      air.link(central, phone).set(loss: 0.9, latency: .milliseconds(50), for: .seconds(3))
      app.update(status, to: [UInt8(round)])
      _ = try await central.read(status)
      air.link(central, phone).drop(at: .pdu(round))
      for _ in 1...20 where central.isConnected { _ = try? await central.read(status) }
      await air.advance(by: .seconds(10))
    }
    return air.trace
  }

  @Test("A storm runs the same way every time")
  func sameEveryTime() async throws {
    let first = try await Self.stormy()
    #expect(first.count > 200)
    #expect(try await Self.stormy() == first)
  }
}
