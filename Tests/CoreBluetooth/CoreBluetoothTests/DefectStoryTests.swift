import BleperaBluetooth
import BleperaTesting
import CoreBluetooth
import Testing

/// Apps on phones with a defect.
extension StoryTests {
  /// An app's cure, beside waiting for `peripheralIsReady(toSendWriteWithoutResponse:)`.
  enum Cure: CaseIterable {
    case none
    /// Looks at the flag each 50 ms (boardsesh PR 3365).
    case poll
    /// Writes after 5 s although the flag is false (boardsesh PR 3563).
    case writeAnyway
  }

  @Test(
    "loses its transfer to a defective flag: a poll saves it from a silent one, and a write against the flag from both",
    arguments: [nil, .silentReady, .writeStall] as [PhoneDefect?], Cure.allCases)
  func transfer(defect: PhoneDefect?, cure: Cure) async throws {
    let air = Air()
    let strap = Self.strap(on: air)
    let phone = Phone(on: air)
    if let defect { phone.setDefect(defect) }
    let sender = await Self.sender(on: phone, air)
    sender.pump()
    #expect(sender.peripherals[0].canSendWriteWithoutResponse == false)
    for _ in 0..<40 {
      await air.advance(by: cure == .poll ? .milliseconds(50) : .seconds(5))
      switch cure {
      case .none: break
      case .poll: sender.pump()
      case .writeAnyway: sender.write()
      }
    }
    let isSaved = defect == nil || cure == .writeAnyway || (defect == .silentReady && cure == .poll)
    #expect(strap.writes(to: Self.measurement).count == (isSaved ? Sender.count : 1))
    #expect(sender.lines.contains("ready") == (defect == nil || (defect == .writeStall && cure == .writeAnyway)))
  }

  @Test("has a flag that is false over a new connection, until it writes against the flag or the defect is taken away")
  func stallOverConnections() async throws {
    let air = Air()
    let strap = Self.strap(on: air)
    let phone = Phone(on: air)
    phone.setDefect(.writeStall)
    let sender = await Self.sender(on: phone, air)
    let peripheral = sender.peripherals[0]
    sender.pump()
    await air.advance(by: .seconds(1))
    for _ in 0..<2 {
      sender.manager.cancelPeripheralConnection(peripheral)
      await air.advance(by: .seconds(1))
      sender.manager.connect(peripheral)
      await air.advance(by: .seconds(10))
      #expect(peripheral.state == .connected && !peripheral.canSendWriteWithoutResponse)
    }
    sender.write()
    await air.advance(by: .seconds(1))
    // The app has sent one more when it was ready.
    #expect(strap.writes(to: Self.measurement).count == 3 && sender.lines.last == "ready")
    #expect(!peripheral.canSendWriteWithoutResponse)
    phone.setDefect(.writeStall, isOn: false)
    await air.advance(by: .seconds(1))
    #expect(strap.writes(to: Self.measurement).count == Sender.count)
    #expect(peripheral.canSendWriteWithoutResponse)
    #expect(air.trace.contains { $0.hasSuffix("defect          write-stall  off") }, "\(air.trace.suffix(9))")
  }

  /// An app that has found the strap and can send.
  private static func sender(on phone: Phone, _ air: Air) async -> Sender {
    let launches = Launches<Sender>()
    phone.launch("org.example.sender") { launches.keep(Sender([CBUUID(string: "180D")])) }
    await air.advance(by: .seconds(5))
    return launches.last
  }

  @Test("is not found in the background by a phone that does not read overflow areas", arguments: [false, true])
  func backgroundLost(hasDefect: Bool) async throws {
    let air = Air()
    let (recorders, launches) = (Launches<Recorder>(), Launches<Explorer>())
    let (other, phone) = (Phone(on: air, named: "other"), Phone(on: air, named: "phone"))
    if hasDefect { phone.setDefect(.backgroundLost) }
    other.launch("org.example.recorder") { recorders.keep(Recorder()) }
    other.moveToBackground()
    await air.advance(by: .seconds(1))
    phone.launch("org.example.explorer") { launches.keep(Explorer([Recorder.service])) }
    await air.advance(by: .seconds(30))
    #expect(launches.last.peripherals.isEmpty == hasDefect)
    other.moveToForeground()
    await air.advance(by: .seconds(5))
    #expect(launches.last.peripherals.count == 1)
  }

  @Test("receives error 15 when an encryption is not answered, of a pairing or of a bond", arguments: [false, true])
  func encryptionTimeout(isBonded: Bool) async throws {
    let air = Air()
    let strap = Self.strap(on: air, pairs: true)
    let phone = Phone(on: air)
    let launches = Launches<Explorer>()
    phone.launch("org.example.explorer") { launches.keep(Explorer([CBUUID(string: "180D")])) }
    await air.advance(by: .seconds(3))
    let explorer = launches.last
    let peripheral = explorer.peripherals[0]
    if isBonded {
      peripheral.readValue(for: explorer.characteristic("2A37"))
      await air.advance(by: .seconds(2))
      explorer.manager.cancelPeripheralConnection(peripheral)
      await air.advance(by: .seconds(1))
      phone.setDefect(.encryptionTimeout)
      explorer.manager.connect(peripheral)
    } else {
      phone.setDefect(.encryptionTimeout)
      peripheral.readValue(for: explorer.characteristic("2A37"))
    }
    _ = explorer.take()
    await air.advance(by: .seconds(60))
    #expect(explorer.take().last == "disconnected CBErrorDomain 15")
    phone.setDefect(.encryptionTimeout, isOn: false)
    explorer.manager.connect(peripheral)
    await air.advance(by: .seconds(5))
    peripheral.readValue(for: explorer.characteristic("2A37"))
    await air.advance(by: .seconds(5))
    #expect(explorer.take().last == "value 2A37 []")
    withExtendedLifetime(strap) {}
  }

  @Test("is on a phone that changes its address in a pairing by that defect alone", arguments: [false, true])
  func addressInPairing(hasDefect: Bool) async throws {
    let air = Air()
    let (phone, gateway) = (Phone(on: air), Central(on: air))
    if hasDefect { phone.setDefect(.addressInPairing) }
    let recorders = Launches<Recorder>()
    phone.launch("org.example.recorder") { recorders.keep(Recorder()) }
    let address = phone.address
    try await gateway.connect(to: phone)
    #expect(phone.address == address)
    try await gateway.pair()
    #expect((phone.address != address) == hasDefect)
    // The pairing itself uses the addresses of the connection.
    #expect(try await gateway.read(BluetoothUUID("2A56")!) == [1, 2, 3])
  }
}

/// Sends values without a response, each only while the flag is true, and continues when the phone calls.
private final class Sender: Explorer, @unchecked Sendable {
  static let count = 30
  private var sent = 0

  func pump() {
    while peripherals[0].canSendWriteWithoutResponse, sent < Self.count { write() }
  }

  /// Writes whether the flag is true or not.
  func write() {
    guard sent < Self.count, peripherals[0].services != nil else { return }
    sent += 1
    peripherals[0].writeValue(Data([UInt8(sent)]), for: characteristic("2A37"), type: .withoutResponse)
  }

  override func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
    super.peripheralIsReady(toSendWriteWithoutResponse: peripheral)
    pump()
  }
}
