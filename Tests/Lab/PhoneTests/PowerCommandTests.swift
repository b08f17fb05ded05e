import BleperaAppLink
import BleperaBluetooth
import BleperaLoop
import BleperaRadio
import BusTesting
import Testing

@testable import BleperaPhone

@Suite("Power commands are performed one after the other, and undone where they fail half-way")
struct PowerCommandTests {
  private static let blocked = RadioFailure("blocked through rfkill")

  /// Completes power calls as they come; returns what they asked for.
  private static func complete(
    _ radio: ScriptedRadio, _ failures: [RadioFailure?] = [], until count: Int
  ) async throws -> [Bool] {
    var asked: [Bool] = []
    while asked.count < count {
      try await radio.loop.sleep(for: .milliseconds(50))
      let failure = failures.indices.contains(asked.count) ? failures[asked.count] : nil
      if let isOn = await radio.completePowerCall(failure) { asked.append(isOn) }
    }
    try await radio.loop.sleep(for: .milliseconds(50))
    return asked
  }

  /// Begins the commands in this order, before the first one is completed.
  private static func begin(
    _ commands: [ControlRequest.Command], on phone: EmulatedPhone
  ) async throws -> Mailbox<ControlReply> {
    let replies = Mailbox<ControlReply>()
    for command in commands {
      Task(executorPreference: phone.loop.tasks) { replies.put(await phone.perform(ControlRequest(command))) }
      try await phone.loop.sleep(for: .milliseconds(10))
    }
    return replies
  }

  @Test(
    "The last command wins",
    arguments: [
      ([.bluetoothReset, .bluetoothOff], [false, true, false]),
      ([.bluetoothOff, .bluetoothOn], [false, true]),
      ([.bluetoothOn, .bluetoothOff, .bluetoothOn], [true, false, true]),
      ([.reboot, .bluetoothOff], [false, true, false]),
      ([.bluetoothReset, .reboot, .bluetoothOff], [false, true, false, true, false]),
    ] as [([ControlRequest.Command], [Bool])])
  func order(commands: [ControlRequest.Command], calls: [Bool]) throws {
    try ScriptedRadio.run { phone, radio, _ in
      let replies = try await Self.begin(commands, on: phone)
      #expect(try await Self.complete(radio, until: calls.count) == calls)
      #expect(try await replies.next(commands.count).allSatisfy { $0.error == nil })
      #expect(await radio.completePowerCall() == nil)
      #expect(await phone.power.state == (calls.last == true ? .poweredOn : .poweredOff))
    }
  }

  @Test("A reset that cannot switch the radio on again leaves apps with Bluetooth off, and 'on' helps")
  func resetFails() throws {
    try ScriptedRadio.run { phone, radio, _ in
      let app = TestApp(phone)
      try await app.publish()
      let replies = try await Self.begin([.bluetoothReset], on: phone)
      #expect(try await Self.complete(radio, [nil, Self.blocked], until: 2) == [false, true])
      let error = try #require(try await replies.next().error)
      #expect(error == "the adapter cannot be switched on: blocked through rfkill.")
      #expect(await phone.power.state == .poweredOff)
      #expect(
        try await app.messages.next(2) == [
          .callback(.didUpdateState(.resetting)), .callback(.didUpdateState(.poweredOff)),
        ])
      let again = try await Self.begin([.bluetoothOn], on: phone)
      _ = try await Self.complete(radio, until: 1)
      #expect(try await again.next().error == nil)
      #expect(try await app.messages.next() == .callback(.didUpdateState(.poweredOn)))
    }
  }

  @Test("A reset that cannot switch the radio off leaves apps with Bluetooth on")
  func resetDoesNotBegin() throws {
    try ScriptedRadio.run { phone, radio, _ in
      let replies = try await Self.begin([.bluetoothReset], on: phone)
      #expect(try await Self.complete(radio, [Self.blocked], until: 1) == [false])
      #expect(try await replies.next().error != nil)
      #expect(await radio.completePowerCall() == nil)
      #expect(await phone.power.state == .poweredOn)
    }
  }

  @Test("Where the radio cannot be switched off, an app that has ended stays; else it is forgotten (R15)")
  func offFails() throws {
    try ScriptedRadio.run { phone, radio, events in
      let app = TestApp(phone)
      try await app.publish()
      app.link.close()
      try await events.first { if case .preserved = $0 { true } else { nil } }
      let failed = try await Self.begin([.bluetoothOff], on: phone)
      _ = try await Self.complete(radio, [Self.blocked], until: 1)
      #expect(try await failed.next().error != nil)
      #expect(await phone.appCounts == (0, 1))
      let done = try await Self.begin([.bluetoothOff], on: phone)
      _ = try await Self.complete(radio, until: 1)
      #expect(try await done.next().error == nil)
      #expect(await phone.appCounts == (0, 0))
    }
  }

  @Test("A reboot that cannot switch the radio disconnects the centrals all the same, and says what failed")
  func rebootFails() throws {
    try ScriptedRadio.run { phone, radio, _ in
      await radio.reportNow([.connected(ScriptedRadio.central)])
      let replies = try await Self.begin([.reboot], on: phone)
      _ = try await Self.complete(radio, [Self.blocked], until: 1)
      let error = try #require(try await replies.next().error)
      #expect(error.hasPrefix("the phone is rebooted, with Bluetooth left on: the adapter cannot be switched off"))
      #expect(await radio.disconnected == [ScriptedRadio.central.id])
    }
  }

  @Test("The phone's end waits for the command in progress, and refuses those that wait")
  func shutDown() throws {
    try ScriptedRadio.run { phone, radio, _ in
      let replies = try await Self.begin([.bluetoothReset], on: phone)
      let ended = Mailbox<Duration>()
      let begin = phone.loop.now
      Task(executorPreference: phone.loop.tasks) {
        await phone.shutDown()
        ended.put(phone.loop.now - begin)
      }
      try await phone.loop.sleep(for: .milliseconds(10))
      let late = try await Self.begin([.bluetoothOff], on: phone)
      #expect(try await Self.complete(radio, until: 2) == [false, true])
      #expect(try await replies.next().error == nil)
      #expect(try await ended.next() < .seconds(1))
      #expect(try await late.next().error == "the phone is shutting down.")
    }
  }

  @Test("The phone ends within seconds although the adapter does not respond")
  func shutDownWithoutAdapter() throws {
    try ScriptedRadio.run { phone, radio, _ in
      _ = try await Self.begin([.bluetoothOff], on: phone)
      let begin = phone.loop.now
      await phone.shutDown()
      #expect(phone.loop.now - begin == .seconds(2))
      _ = await radio.completePowerCall()
    }
  }

  @Test(
    "A channel that the radio publishes or refuses after a reset, or after the app has ended, has no callback",
    arguments: [true, false],
    [.success(L2CAPPSM(rawValue: 0x80)), .failure(.noFreePSM)] as [Result<L2CAPPSM, RadioFailure>])
  func latePublication(isReset: Bool, result: Result<L2CAPPSM, RadioFailure>) throws {
    try ScriptedRadio.run { phone, radio, _ in
      var app = TestApp(phone)
      try await app.messages.first { $0.updatedState == .poweredOn ? true : nil }
      app.send(.publishL2CAPChannel(encryptionRequired: false))
      try await phone.loop.sleep(for: .milliseconds(10))
      if isReset {
        _ = try await Self.begin([.bluetoothReset], on: phone)
        _ = try await Self.complete(radio, until: 2)
      } else {
        app.link.close()
        try await phone.loop.sleep(for: .milliseconds(10))
        app = TestApp(phone)
      }
      try await app.messages.first { $0.updatedState == .poweredOn ? true : nil }
      await radio.completePublication(result)
      try await phone.loop.sleep(for: .milliseconds(10))
      #expect(app.messages.left.allSatisfy { if case .peripheral = $0 { false } else { true } })
      #expect(await phone.channelStatuses == nil)
      #expect(await radio.unpublished == ((try? result.get()).map { [$0] } ?? []))
    }
  }
}
