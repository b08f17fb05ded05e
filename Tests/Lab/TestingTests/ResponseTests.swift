import BleperaProfile
import BleperaTesting
import TestSupport
import Testing

@testable import BleperaSimulation

@Suite("The shipped profiles with responses answer on the air", .traced)
struct ResponseTests {
  private static func app(_ name: String, transmitQueue: Int? = nil) throws -> AppDefinition {
    let check = Profile.check(try ProjectFile.bytes("profiles/\(name).plist"), file: name)
    var profile = try #require(check.profile)
    profile.rules.transmitQueue = transmitQueue
    return AppDefinition(profile: profile, fallbackName: name, seed: 0)
  }

  private static func uuid(_ text: String) throws -> BluetoothUUID { try #require(BluetoothUUID(text)) }

  @Suite("A glucose meter", .traced)
  struct GlucoseMeter {
    private let measurement = BluetoothUUID(0x2A18 as UInt16)
    private let control = BluetoothUUID(0x2A52 as UInt16)

    /// The sequence numbers of the next measurements.
    private func numbers(_ central: Central, count: Int) async throws -> [UInt8] {
      var numbers: [UInt8] = []
      for _ in 0..<count {
        numbers.append(try #require(await central.receives(from: measurement, within: .seconds(5)))[1])
      }
      return numbers
    }

    @Test("It reports its records, then that it has", arguments: [1, 8])
    func report(transmitQueue: Int) async throws {
      let air = Air()
      let phone = Phone(on: air)
      let collector = Central(on: air)
      phone.launch(try ResponseTests.app("glucose-meter", transmitQueue: transmitQueue))
      try await collector.connect(to: phone)
      await #expect(throws: StoryFailure.refused(.cccdImproperlyConfigured)) {
        try await collector.write([1, 1], to: control)
      }
      try await collector.subscribe(to: control)
      await #expect(throws: StoryFailure.refused(.cccdImproperlyConfigured)) {
        try await collector.write([1, 1], to: control)
      }
      try await collector.subscribe(to: measurement)
      try await collector.write([1, 1], to: control)
      await #expect(throws: StoryFailure.refused(.procedureAlreadyInProgress)) {
        try await collector.write([4, 1], to: control)
      }
      #expect(try await numbers(collector, count: 3) == [1, 2, 3])
      #expect(try await collector.receives(from: control, within: .seconds(5)) == [6, 0, 1, 1])
      try await collector.write([4, 1], to: control)
      #expect(try await collector.receives(from: control, within: .seconds(5)) == [5, 0, 3, 0])
    }

    @Test("A report is aborted")
    func abort() async throws {
      let air = Air()
      let phone = Phone(on: air)
      let collector = Central(on: air)
      phone.launch(try ResponseTests.app("glucose-meter"))
      try await collector.connect(to: phone)
      for uuid in [control, measurement] { try await collector.subscribe(to: uuid) }
      try await collector.write([1, 1], to: control)
      #expect(try await numbers(collector, count: 1) == [1])
      try await collector.write([3, 0], to: control)
      #expect(try await collector.receives(from: control, within: .seconds(5)) == [6, 0, 3, 1])
      #expect(try await collector.receives(from: measurement, within: .seconds(5)) == nil)
      try await collector.write([1, 6], to: control)
      #expect(try await numbers(collector, count: 1) == [3])
    }

    static let refusals: [(request: [UInt8], response: [UInt8])] = [
      ([3, 0], [6, 0, 3, 7]), ([2, 1], [6, 0, 2, 2]), ([9], [6, 0, 9, 2]), ([1, 0], [6, 0, 1, 3]),
      ([4, 0], [6, 0, 4, 3]), ([1, 2, 1, 1, 0], [6, 0, 1, 4]), ([4, 3, 1, 1, 0], [6, 0, 4, 4]),
      ([1, 3, 1, 9, 0], [6, 0, 1, 6]), ([1, 3, 2, 1], [6, 0, 1, 9]),
    ]

    @Test("What it does not support is refused by a response code", arguments: refusals)
    func refusal(request: [UInt8], response: [UInt8]) async throws {
      let air = Air()
      let phone = Phone(on: air)
      let collector = Central(on: air)
      phone.launch(try ResponseTests.app("glucose-meter"))
      try await collector.connect(to: phone)
      for uuid in [control, measurement] { try await collector.subscribe(to: uuid) }
      try await collector.write(request, to: control)
      #expect(try await collector.receives(from: control, within: .seconds(5)) == response)
    }
  }

  @Suite("A lock with a challenge", .traced)
  struct ChallengeLock {
    private let command: BluetoothUUID
    private let challenge: BluetoothUUID
    private let state: BluetoothUUID
    private let wrong: [UInt8] = [2, 0]
    private let right: [UInt8] = [2, 0xA5, 0xE8, 0x3C, 0x77, 0xF1, 0x6B, 0xD4, 0x0E]

    init() throws {
      command = try ResponseTests.uuid("7C1B0002-4E6A-4B3C-8F5D-2A9E6D70C3F1")
      challenge = try ResponseTests.uuid("7C1B0003-4E6A-4B3C-8F5D-2A9E6D70C3F1")
      state = try ResponseTests.uuid("7C1B0004-4E6A-4B3C-8F5D-2A9E6D70C3F1")
    }

    private func refuses(_ value: [UInt8], _ error: UInt8, _ central: Central) async {
      await #expect(throws: StoryFailure.refused(ATTError(rawValue: error))) {
        try await central.write(value, to: command)
      }
    }

    @Test("It opens for the right answer, and locks again by itself")
    func opens() async throws {
      let air = Air()
      let phone = Phone(on: air)
      let door = Central(on: air)
      phone.launch(try ResponseTests.app("challenge-lock"))
      try await door.connect(to: phone)
      #expect(try await door.read(state) == [0])
      await refuses(right, 0x81, door)
      await refuses([1], 0x82, door)
      try await door.subscribe(to: challenge)
      try await door.subscribe(to: state)
      try await door.write([1], to: command)
      let asked = try #require(await door.receives(from: challenge, within: .seconds(1)))
      #expect([2] + asked.map { ~$0 } == right)
      await refuses(wrong, 0x80, door)
      await refuses(right, 0x81, door)
      await refuses([9], 0x06, door)
      try await door.write([1], to: command)
      try await door.write(right, to: command)
      #expect(try await door.receives(from: state, within: .seconds(1)) == [1])
      #expect(try await door.receives(from: state, within: .seconds(40)) == [0])
      await refuses(right, 0x81, door)
    }

    @Test("A challenge expires")
    func expires() async throws {
      let air = Air()
      let phone = Phone(on: air)
      let door = Central(on: air)
      phone.launch(try ResponseTests.app("challenge-lock"))
      try await door.connect(to: phone)
      try await door.subscribe(to: challenge)
      try await door.write([1], to: command)
      await air.advance(by: .seconds(31))
      await refuses(right, 0x81, door)
    }

    @Test("In the background the app is suspended before it locks; the next request wakes it, and it locks first")
    func background() async throws {
      let air = Air()
      let phone = Phone(on: air)
      let door = Central(on: air)
      let app = phone.launch(try ResponseTests.app("challenge-lock"))
      try await door.connect(to: phone)
      try await door.subscribe(to: challenge)
      phone.moveToBackground()
      await air.advance(by: .seconds(60))
      #expect(app.state == .suspended)
      try await door.write([1], to: command)
      try await door.write(right, to: command)
      await air.advance(by: .seconds(60))
      #expect(app.state == .suspended)
      #expect(try await door.read(state) == [0])
    }

    @Test("An app that is launched again has the initial state")
    func restored() async throws {
      let air = Air()
      let phone = Phone(on: air)
      let door = Central(on: air)
      let app = phone.launch(try ResponseTests.app("challenge-lock"))
      try await door.connect(to: phone)
      try await door.subscribe(to: challenge)
      try await door.write([1], to: command)
      try await door.write(right, to: command)
      #expect(try await door.read(state) == [1])
      phone.moveToBackground()
      phone.terminate(.memoryPressure)
      #expect(try await door.read(state) == [0])
      #expect(app.launches == 2)
      try await door.write([1], to: command)
      #expect(try await door.receives(from: challenge, within: .seconds(1))?.count == 8)
    }
  }

  @Test("A serial line has commands, and echoes anything else")
  func uart() async throws {
    let air = Air()
    let phone = Phone(on: air)
    let central = Central(on: air)
    phone.launch(try Self.app("nordic-uart"))
    let (input, output) = (
      try Self.uuid("6E400002-B5A3-F393-E0A9-E50E24DCCA9E"), try Self.uuid("6E400003-B5A3-F393-E0A9-E50E24DCCA9E")
    )
    try await central.connect(to: phone)
    try await central.subscribe(to: output)
    func answer() async throws -> String {
      String(decoding: try #require(await central.receives(from: output, within: .seconds(2))), as: UTF8.self)
    }
    let answers = [
      ("version?", "blepera UART 1.0"), ("led red", "the led is red"), ("hello", "hello"), ("count", "1"),
      ("stop", "stopped"),
    ]
    for (command, expected) in answers {
      try await central.write(Array(command.utf8), to: input)
      #expect(try await answer() == expected)
    }
    try await central.write(Array("count".utf8), to: input)
    for number in 1...3 { #expect(try await answer() == "\(number)") }
  }
}
