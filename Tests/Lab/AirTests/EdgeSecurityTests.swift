import BleperaBluetooth
import Testing

@testable import BleperaAir
@testable import BleperaHost

@Suite("Pairing of a phone with a host outside the air")
struct EdgeSecurityTests {
  private static let host = AdapterID(3)
  private static let address = DeviceAddress(bits: 0xF0F1_F2F3_F4F5, isRandom: true)
  private static let interval = Duration.microseconds(7500)
  private static let service = PublishedService(
    uuid: BluetoothUUID(0x180D as UInt16), handle: .exactly(0x0100),
    characteristics: [
      PublishedCharacteristic(index: 0, uuid: BluetoothUUID(0x2A37 as UInt16), flags: [.read, .encryptRead, .notify])
    ])
  private static let handle = AttributeHandle(rawValue: 0x0102)

  private var stage: Stage
  private var link: ConnectionID
  /// The host's stack.
  private var manager: SecurityManager
  private var bond: SecurityBond?
  private var ended: LinkEnd?
  private var answers: [String] = []

  init() throws {
    stage = Stage(stack: StackBehavior())
    stage.send(.host(Stage.phone, .capability(.noInputNoOutput)))
    stage.send(.added(Self.host, .controller(address: DeviceAddress(bits: 0x00AA_0100_0003), name: "host")))
    stage.send(.host(Stage.phone, .publish(ApplicationID(1), [Self.service])))
    stage.advertise()
    (link, manager) = try Self.connect(&stage)
  }

  private static func connect(_ stage: inout Stage) throws -> (ConnectionID, SecurityManager) {
    let parameters = LinkParameters(interval: interval, supervisionTimeout: .milliseconds(720))
    let peer = Stage.address(Stage.phone)
    stage.send(
      .linkLayer(host, .attempt(ConnectionAttempt(to: [peer], from: address, ScanWindow(), parameters: parameters))))
    stage.wait(.seconds(2))
    _ = stage.take()
    let link = try #require(stage.air.connection(between: Stage.phone, and: host)).id
    var settings = SecuritySettings()
    settings.identity = SecurityIdentity(address: SecurityAddress(address), key: nil)
    settings.authorizes = false
    let manager = SecurityManager(
      role: .initiator, own: SecurityAddress(address), peer: SecurityAddress(peer), settings: settings,
      random: .seeded(SplitMix64(seed: 5)))
    return (link, manager)
  }

  private mutating func send(_ bytes: [UInt8], on channel: UInt16) {
    let frame = L2CAPFrame(channel: channel, payload: bytes)
    stage.send(.linkLayer(Self.host, .link(link, .data(LinkData(isStart: true, frame.bytes)))))
  }

  private mutating func perform(_ steps: [SecurityAction]) {
    for step in steps {
      switch step {
      case .send(let bytes): send(bytes, on: L2CAPFrame.security)
      case .encrypt(let key, let random, let diversifier):
        stage.send(.linkLayer(Self.host, .link(link, .encrypt(LinkKey(key, random: random, diversifier: diversifier)))))
      case .paired(let bond): self.bond = bond
      default: break
      }
    }
  }

  /// Both sides exchange what they have; the phone's user answers at once.
  private mutating func run(for time: Duration = .seconds(1), answer: PairingResponse? = .yes) {
    for _ in 0..<Int(time / Self.interval) {
      stage.wait(Self.interval)
      for action in stage.take() {
        switch action {
        case .linkLayer(Self.host, .link(_, .data(let data))):
          let payload = Array(data.bytes.dropFirst(4))
          if data.bytes[2] == 6 { perform(manager.receive(payload)) } else { answers.append(Hex.string(payload)) }
        case .linkLayer(Self.host, .link(_, .encrypted)): perform(manager.encryptionChanged(isEncrypted: true))
        case .linkLayer(Self.host, .link(_, .encryptionRefused)): perform(manager.encryptionChanged(isEncrypted: false))
        case .linkLayer(Self.host, .link(_, .ended(let reason))): ended = reason
        case .host(let adapter, .pairingRequest(let id, let question)):
          if case .show = question { break }
          if let answer { stage.send(.host(adapter, .respondToPairing(id, answer))) }
        case .host(let adapter, .read(let request, _, _)):
          stage.send(.host(adapter, .respond(request, .success([6, 72]))))
        default: break
        }
      }
    }
  }

  private mutating func read() -> String? {
    answers = []
    send(ATTPDU.readRequest(Self.handle).bytes, on: L2CAPFrame.attributes)
    run(for: .milliseconds(60))
    return answers.first
  }

  @Test("A read that needs encryption is refused with 05, and after pairing it is answered")
  func pairs() throws {
    var test = self
    #expect(test.read() == "010A020105")
    test.perform(test.manager.start())
    test.run()
    let bond = try #require(test.bond)
    #expect(bond.isBonded && bond.isSecureConnections && !bond.isAuthenticated)
    #expect(bond.identity?.address == SecurityAddress(Stage.address(Stage.phone)))
    #expect(test.stage.link(link, of: Stage.phone)?.security == .encrypted)
    #expect(test.stage.air.hosts[Stage.phone]?.isBonded(with: Self.address) == true)
    #expect(test.read() == "0B0648")
  }

  @Test("After a reconnection the error is 0F, until the key of the bond is used; a key that was removed is missing")
  func bonded() throws {
    var test = self
    test.perform(test.manager.start())
    test.run()
    let key = try #require(test.bond?.asCentral)
    for isRemoved in [false, true] {
      test.stage.send(.linkLayer(Self.host, .link(test.link, .disconnect(.userTerminated))))
      test.run(for: .milliseconds(60))
      #expect(test.ended == .hostTerminated)
      if isRemoved { test.stage.send(.host(Stage.phone, .unpair(Self.address))) }
      (test.link, test.manager) = try Self.connect(&test.stage)
      #expect(test.read() == (isRemoved ? "010A020105" : "010A02010F"))
      test.perform([.encrypt(key: key.value, random: key.random, diversifier: key.diversifier)])
      test.run(for: .milliseconds(200))
      #expect(test.read() == (isRemoved ? "010A020105" : "0B0648"))
    }
  }

  @Test("A phone that refuses fails the pairing, and one without an agent does not support it")
  func refused() throws {
    var test = self
    test.perform(test.manager.start())
    test.run(answer: .no)
    #expect(test.bond == nil && test.stage.air.hosts[Stage.phone]?.bonds.isEmpty == true)
    test.stage.send(.host(Stage.phone, .capability(nil)))
    test.stage.send(.linkLayer(Self.host, .link(test.link, .disconnect(.userTerminated))))
    test.run(for: .milliseconds(60))
    (test.link, test.manager) = try Self.connect(&test.stage)
    test.send([0x01, 3, 0, 0x0D, 16, 3, 3], on: L2CAPFrame.security)
    var answer: [UInt8] = []
    test.stage.wait(Self.interval * 4)
    for case .linkLayer(_, .link(_, .data(let data))) in test.stage.take() { answer = data.bytes }
    #expect(answer == [2, 0, 6, 0, 0x05, 0x05])
  }

  @Test("A host that does not continue is disconnected after 30 s, and the user is no longer asked")
  func timesOut() throws {
    var test = self
    test.send([0x01, 3, 0, 0x0D, 16, 3, 3], on: L2CAPFrame.security)
    test.run(for: .seconds(29))
    #expect(test.ended == nil)
    test.run(for: .seconds(2))
    #expect(test.ended == .authenticationFailure)
  }
}
