import BleperaAppLink
import BleperaBluetooth
import BleperaLoop
import BleperaRadio
import BleperaRules
import BusTesting
import Testing

@testable import BleperaHostRadio
@testable import BleperaPhone

@Suite("Requests that an app never answers leave nothing behind")
struct UnansweredRequestTests {
  private static let central = ScriptedRadio.central

  private static func request(_ number: Int, _ handle: AttributeHandle, expectsResponse: Bool) -> AttributeRequest {
    AttributeRequest(
      id: RadioRequestID(rawValue: number), handle: handle, central: central, offset: 0,
      expectsResponse: expectsResponse)
  }

  @Test("10,000 writes without response have their results at delivery")
  func commands() throws {
    try ScriptedRadio.run { phone, radio, events in
      let app = TestApp(phone)
      try await app.publish()
      let handle = try await phone.handle(of: TestApp.command)
      let writes = (1...10_000).map { number in
        RadioEvent.write(
          Self.request(number, handle, expectsResponse: false),
          [AttributeWrite(handle: handle, offset: 0, value: [7])])
      }
      await radio.reportNow([.connected(Self.central)] + writes)
      #expect(await phone.pendingRequests(of: Self.central) == 0)
      let written = events.left.count {
        if case .write(_, _, _, [7], nil, false, nil, nil, nil) = $0 { true } else { false }
      }
      #expect(written == 10_000)
      // The late response of the app has no effect.
      let first = try await app.messages.first {
        if case .peripheral(_, .didReceiveWrite(let writes)) = $0 { writes.first } else { nil }
      }
      let count = await radio.responses.count
      app.send(.respond(first.id, error: .unlikelyError, value: []))
      try await phone.loop.sleep(for: .seconds(1))
      #expect(await radio.responses.count == count)
    }
  }

  @Test("No event of a write is made that nobody reads, and others are")
  func unreadEvents() throws {
    try ScriptedRadio.run { phone, radio, events in
      let app = TestApp(phone)
      try await app.publish()
      let handle = try await phone.handle(of: TestApp.command)
      var number = 0
      for isRead in [false, true] {
        await phone.reportValues(isRead)
        number += 1
        let write = Self.request(number, handle, expectsResponse: false)
        await radio.reportNow([
          .connected(Self.central), .write(write, [AttributeWrite(handle: handle, offset: 0, value: [7])]),
        ])
        let left = events.left
        #expect(left.contains { $0.isValue } == isRead)
        #expect(left.contains { if case .connected = $0 { true } else { false } })
      }
    }
  }

  @Test("A suspended app's writes without response have their results when it runs, or is given up")
  func queuedCommands() throws {
    try ScriptedRadio.run { phone, radio, events in
      let app = TestApp(phone)
      try await app.publish()
      let handle = try await phone.handle(of: TestApp.command)
      app.link.close()
      try await events.first { if case .preserved = $0 { true } else { nil } }
      await radio.reportNow([
        .connected(Self.central),
        .write(
          Self.request(1, handle, expectsResponse: false), [AttributeWrite(handle: handle, offset: 0, value: [7])]),
      ])
      #expect(await phone.pendingRequests(of: Self.central) == 1)
      #expect(await radio.responses.isEmpty)
      let again = TestApp(phone)
      _ = try await again.messages.first { if case .peripheral(_, .didReceiveWrite) = $0 { true } else { nil } }
      #expect(await phone.pendingRequests(of: Self.central) == 0)
      #expect(events.left.contains { if case .write = $0 { true } else { false } })
    }
  }

  @Test("A read that timed out has no entry, and its late response counts for the rules alone")
  func refused() throws {
    try ScriptedRadio.run { phone, radio, events in
      let app = TestApp(phone)
      try await app.publish()
      let handle = try await phone.handle(of: TestApp.command)
      _ = await phone.perform(ControlRequest(.background))
      await radio.reportNow([.connected(Self.central), .read(Self.request(1, handle, expectsResponse: true))])
      let read = try await app.messages.first {
        if case .peripheral(_, .didReceiveRead(let read)) = $0 { read } else { nil }
      }
      #expect(await phone.pendingRequests(of: Self.central) == 1)
      try await phone.loop.sleep(for: .seconds(5))
      #expect(await radio.responses == [RadioRequestID(rawValue: 1)])
      #expect(await phone.pendingRequests(of: Self.central) == 0)
      // A background app must still respond (R6).
      #expect(await phone.status().apps.map(\.pendingRequests) == [1])
      app.send(.respond(read.id, error: nil, value: [1]))
      try await phone.loop.sleep(for: .seconds(1))
      #expect(await phone.status().apps.map(\.pendingRequests) == [0])
      #expect(await radio.responses == [RadioRequestID(rawValue: 1)])
    }
  }

  @Test(
    "A request for a service that the app removes has one error, on the air and in the event", arguments: [true, false])
  func removed(isDelivered: Bool) throws {
    try ScriptedRadio.run { phone, radio, events in
      let app = TestApp(phone)
      try await app.publish()
      let handle = try await phone.handle(of: TestApp.command)
      if !isDelivered {
        app.link.close()
        try await events.first { if case .preserved = $0 { true } else { nil } }
      }
      await radio.reportNow([.connected(Self.central), .read(Self.request(1, handle, expectsResponse: true))])
      let running = isDelivered ? app : TestApp(phone)
      let read = try await running.messages.first {
        if case .peripheral(_, .didReceiveRead(let read)) = $0 { read } else { nil }
      }
      running.send(.removeService(TestApp.command.service))
      running.send(.respond(read.id, error: .invalidHandle, value: []))
      try await phone.loop.sleep(for: .seconds(1))
      #expect(await radio.responses == [RadioRequestID(rawValue: 1)])
      #expect(await phone.pendingRequests(of: Self.central) == 0)
      let outcomes = events.left.compactMap { event in
        if case .read(_, _, _, let outcome, _, _, _) = event { outcome } else { nil }
      }
      #expect(outcomes == [.error(.requestNotSupported)])
    }
  }

  @Test("An app that ends with requests open leaves no entry")
  func ended() throws {
    try ScriptedRadio.run { phone, radio, events in
      let app = TestApp(phone)
      try await app.publish()
      let handle = try await phone.handle(of: TestApp.command)
      await radio.reportNow([.connected(Self.central), .read(Self.request(1, handle, expectsResponse: true))])
      _ = try await app.messages.first { if case .peripheral(_, .didReceiveRead) = $0 { true } else { nil } }
      app.link.close()
      try await events.first { if case .preserved = $0 { true } else { nil } }
      #expect(await phone.pendingRequests(of: Self.central) == 0)
      #expect(await radio.responses == [RadioRequestID(rawValue: 1)])
    }
  }

  @Test(
    "A request that an app was killed before it has read waits for the relaunched app; one that it has read is refused",
    arguments: [(0, true, true), (1, false, true), (2, false, true), (0, true, false), (1, true, false)])
  func unread(unreceived: Int, isRefused: Bool, isPreserved: Bool) throws {
    try ScriptedRadio.run { phone, radio, events in
      let identifier = isPreserved ? "test" : nil
      let ends = makeInMemoryLink()
      await phone.attach(LossyLink(base: ends.system, unreceivedMessages: unreceived))
      let app = TestApp(ends.app, on: phone.loop, restores: identifier)
      try await app.publish()
      let handle = try await phone.handle(of: TestApp.command)
      await radio.reportNow([.connected(Self.central), .read(Self.request(1, handle, expectsResponse: true))])
      let read = try await app.messages.first {
        if case .peripheral(_, .didReceiveRead(let read)) = $0 { read } else { nil }
      }
      app.link.close()
      try await events.first {
        switch $0 {
        case .preserved: isPreserved ? true : nil
        case .ended: isPreserved ? nil : true
        default: nil
        }
      }
      #expect(await radio.responses == (isRefused ? [RadioRequestID(rawValue: 1)] : []))
      guard !isRefused else { return }
      let again = TestApp(phone)
      let same = try await again.messages.first {
        if case .peripheral(_, .didReceiveRead(let read)) = $0 { read } else { nil }
      }
      #expect(same == read)
      again.send(.respond(same.id, error: nil, value: [1]))
      try await phone.loop.sleep(for: .seconds(1))
      #expect(await radio.responses == [RadioRequestID(rawValue: 1)])
      #expect(await phone.pendingRequests(of: Self.central) == 0)
    }
  }

  @Test("One that the app was killed before it has read is refused where its manager is not preserved")
  func unreadByManager() throws {
    try ScriptedRadio.run { phone, radio, events in
      let ends = makeInMemoryLink()
      await phone.attach(LossyLink(base: ends.system, unreceivedMessages: 1))
      let app = TestApp(ends.app, on: phone.loop, restores: nil)
      app.link.send(.create(ManagerID(.peripheral, .restorable("kept"))))
      try await app.publish()
      let handle = try await phone.handle(of: TestApp.command)
      await radio.reportNow([.connected(Self.central), .read(Self.request(1, handle, expectsResponse: true))])
      _ = try await app.messages.first { if case .peripheral(_, .didReceiveRead) = $0 { true } else { nil } }
      app.link.close()
      try await events.first { if case .preserved = $0 { true } else { nil } }
      #expect(await radio.responses == [RadioRequestID(rawValue: 1)])
      #expect(await phone.pendingRequests(of: Self.central) == 0)
    }
  }

  @Test("The virtual radio keeps no write without response, and no address of a central that has left")
  func virtualRadio() async throws {
    try await TestPhone.run(on: .simulated) { phone in
      let app = TestApp(phone.system)
      try await app.publish()
      let service = ServiceDefinition(
        uuid: BluetoothUUID(0xFFF0 as UInt16),
        characteristics: [
          CharacteristicDefinition(
            uuid: BluetoothUUID(0xFFF1 as UInt16), properties: [.writeWithoutResponse], permissions: .writeable)
        ])
      app.send(.addService(ServiceID(rawValue: 1), service))
      _ = try await app.messages.first { if case .peripheral(_, .didAddService(_, nil)) = $0 { true } else { nil } }
      try await phone.radio.connect()
      let air = try #require(phone.radio as? AirRadio)
      let radio = try #require(await phone.system.radio as? HostRadio)
      try await air.command([7], to: BluetoothUUID(0xFFF1 as UInt16))
      _ = try await app.messages.first { if case .peripheral(_, .didReceiveWrite) = $0 { true } else { nil } }
      #expect(await radio.requests.isEmpty)
      let links = await radio.links
      let central = try #require(links.connections.first.flatMap { links[$0]?.central })
      #expect(links.address(of: central) != nil)
      await air.disconnect()
      try await phone.events.first { if case .disconnected = $0 { true } else { nil } }
      #expect(await radio.links.address(of: central) == nil)
    }
  }
}

/// A link that reports after its end how many of the last messages the app has not received.
private final class LossyLink: AppLinkEnd {
  let unreceivedMessages: Int
  private let base: InMemoryAppLink<PhoneMessage, AppMessage>

  init(base: InMemoryAppLink<PhoneMessage, AppMessage>, unreceivedMessages: Int) {
    self.base = base
    self.unreceivedMessages = unreceivedMessages
  }

  func receive(on loop: any ActorLoop, _ handler: @escaping @Sendable (AppMessage?) -> Void) {
    base.receive(on: loop, handler)
  }

  func send(_ message: PhoneMessage) { base.send(message) }
  func close() { base.close() }
}
