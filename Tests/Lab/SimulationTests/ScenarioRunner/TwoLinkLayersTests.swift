import BleperaBluetooth
import BleperaHost
import BleperaPhone
import ControllerTesting
import Synchronization
import TestSupport
import Testing

@testable import BleperaSimulation

/// The frames of one side of a connection.
struct SideFrames: Hashable {
  /// ATT PDUs but for values.
  var attributes: [[UInt8]] = []
  /// Notifications and indications. An app sends them at its own time, which may be before or after a response that
  /// takes the same connection event: an app and its central are a millisecond closer without the radio's latency.
  var values: [[UInt8]] = []
  /// Pairing Request and Pairing Response are whole, and others are codes, since keys and nonces differ.
  var security: [[UInt8]] = []

  mutating func add(_ frame: L2CAPFrame) {
    switch frame.channel {
    case L2CAPFrame.attributes where frame.payload.first == 0x1B || frame.payload.first == 0x1D:
      values.append(frame.payload)
    case L2CAPFrame.attributes: attributes.append(frame.payload)
    case L2CAPFrame.security:
      let code = frame.payload.first ?? 0
      security.append(code == 1 || code == 2 ? frame.payload : [code])
    default: break
    }
  }
}

/// The frames of the connections of an air, in the order in which they begin, from a capture.
struct CapturedFrames: Hashable {
  private(set) var central: [SideFrames] = []
  private(set) var peripheral: [SideFrames] = []

  init(_ records: [UInt8]) {
    var numbers: [UInt32: Int] = [:]
    var partial: [String: L2CAPReassembler] = [:]
    var rest = records[...]
    while rest.count > 16 {
      let length = Int(LittleEndian.number(rest.dropFirst(8).prefix(4)) as UInt32)
      let record = Array(rest.dropFirst(16).prefix(length))
      rest = rest.dropFirst(16 + length)
      // The kind of the packet is in the flags; the access address, the header and the payload follow.
      let kind = (LittleEndian.number(record[8..<10]) as UInt16) >> 7 & 7
      guard kind == 2 || kind == 3, record.count > 19, record[14] & 3 != 3 else { continue }
      let address: UInt32 = LittleEndian.number(record[10..<14])
      let number = numbers[address] ?? numbers.count
      numbers[address] = number
      if number == central.count {
        central.append(SideFrames())
        peripheral.append(SideFrames())
      }
      let data = Array(record[16..<(16 + Int(record[15]))])
      let side = "\(kind) \(number)"
      guard let frame = partial[side, default: L2CAPReassembler()].receive(data, isStart: record[14] & 3 == 2) else {
        continue
      }
      if kind == 2 { central[number].add(frame) } else { peripheral[number].add(frame) }
    }
  }
}

extension CapturedFrames {
  /// The first frame that differs; nil for equal captures.
  func difference(from other: CapturedFrames) -> String? {
    guard central.count == other.central.count else {
      return "\(central.count) connections, and not \(other.central.count)"
    }
    for number in central.indices {
      for (name, own, others) in [
        ("central", central[number], other.central[number]),
        ("peripheral", peripheral[number], other.peripheral[number]),
      ] {
        for (kind, frames, otherFrames) in [
          ("ATT", own.attributes, others.attributes), ("value", own.values, others.values),
          ("SMP", own.security, others.security),
        ] where frames != otherFrames {
          let place = zip(frames, otherFrames).prefix { $0 == $1 }.count
          return "connection \(number + 1), \(name), \(kind) \(place + 1): \(frames.dropFirst(place).first ?? []), "
            + "and not \(otherFrames.dropFirst(place).first ?? []); \(frames.count), \(otherFrames.count)"
        }
      }
    }
    return nil
  }
}

@Suite("The same story on two link layers", .timeLimit(.minutes(10)))
struct TwoLinkLayersTests {
  private final class Records: Sendable {
    let bytes = Mutex<[UInt8]>([])
  }

  private static func play(_ name: String, over layer: LinkLayerKind) async throws -> (Bool, CapturedFrames) {
    let records = Records()
    var runner = ScenarioRunner(
      try ShippedScenarios.scenario(name), on: .over(layer),
      capture: { more in
        records.bytes.withLock { $0 += more }
      })
    let result = await runner.run(file: "scenarios/\(name).plist")
    // A packet that is on its way at the end still arrives.
    await runner.air.advance(by: .seconds(1))
    return (result.hasPassed, CapturedFrames(records.bytes.withLock { $0 }))
  }

  /// The differences that are inherent.
  private static let differences = [
    // On the air a phone also connects in the windows of its scan, and a controller in those of its attempt alone. So the
    // app connects 3 s later, and the system terminates the app before its second write.
    "remote-overnight": "connection 1, central, ATT 19: [], and not [18, 2, 1, 0]; 18, 19"
  ]

  @Test(
    "Scenarios have equal ATT PDUs in equal order, and equal steps and features of pairings",
    arguments: ShippedScenarios.names)
  func scenarios(name: String) async throws {
    let expected = try await Self.play(name, over: .air)
    for layer in LinkLayerKind.controllers {
      let played = try await Self.play(name, over: layer)
      #expect(played.0 == expected.0)
      #expect(played.1.difference(from: expected.1) == Self.differences[name], "\(layer)")
    }
  }

  /// A central uses everything that a profile's app has, pairs, and connects again.
  private static func use(_ profile: String, over layer: LinkLayerKind) async throws -> CapturedFrames {
    let records = Records()
    let capture: @Sendable ([UInt8]) -> Void = { more in records.bytes.withLock { $0 += more } }
    let air = Air(on: .over(layer), seed: 1, capture: capture) { Issue.record("\($0)") }
    let phone = Phone(on: air, named: "phone", PhoneSettings())
    let definition = try AppDefinition(profile: try ProjectFile.bytes("profiles/\(profile)"), file: profile)
    let app = phone.launch(definition)
    await air.advance(by: .seconds(5))
    let central = Central(on: air)
    for isPaired in [false, true] {
      try await central.connect(to: phone)
      let found = central.withRadio({ $0.characteristics(of: phone.identityAddress) }, otherwise: [])
      for characteristic in found {
        if characteristic.properties.contains(.read) { _ = try? await central.read(characteristic.uuid) }
        if characteristic.properties.contains(.write) { try? await central.write([1], to: characteristic.uuid) }
        if !characteristic.properties.isDisjoint(with: [.notify, .indicate]) {
          try? await central.subscribe(to: characteristic.uuid)
        }
      }
      if !isPaired { try? await central.pair() }
      await air.advance(by: .seconds(20))
      await central.disconnect()
      await air.advance(by: .seconds(2))
    }
    withExtendedLifetime(app) {}
    return CapturedFrames(records.bytes.withLock { $0 })
  }

  private static let profileNames =
    (try? ProjectFile.names(in: "profiles").filter { $0.hasSuffix(".plist") && $0 != "lock-remote.plist" }) ?? []

  @Test(
    "The apps of the shipped profiles are used with equal ATT PDUs, and paired with equal steps",
    arguments: profileNames)
  func profiles(name: String) async throws {
    let expected = try await Self.use(name, over: .air)
    #expect(expected.central.count >= 2)
    for layer in LinkLayerKind.controllers {
      let used = try await Self.use(name, over: layer)
      #expect(used.difference(from: expected) == nil, "\(layer)")
    }
  }
}
