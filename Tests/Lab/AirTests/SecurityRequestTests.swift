import BleperaBluetooth
import Testing

@testable import BleperaAir
@testable import BleperaHost

@Suite("A peripheral outside the air requests security of a phone")
struct SecurityRequestTests {
  private static let host = AdapterID(3)
  private static let key: UInt128 = 7

  private var stage: Stage
  private let link: ConnectionID

  init() throws { (stage, link) = try Stage.connected(to: Self.host, capability: .displayOnly) }

  private mutating func bond(isAuthenticated: Bool) {
    stage.air.hosts[Stage.phone]?.bonds[Stage.address(Self.host)] = SecurityBond(
      asCentral: .init(value: Self.key), asPeripheral: nil, keySize: 16, isAuthenticated: isAuthenticated,
      isSecureConnections: true)
  }

  /// The host requests security, and answers with the key. Returns whether it is encrypted then, and the opcodes that
  /// arrive for the Security Manager.
  private mutating func request(_ requirements: SecurityRequirements) -> (notices: [LinkNotice], opcodes: [UInt8]) {
    let frame = L2CAPFrame(channel: L2CAPFrame.security, payload: [0x0B, requirements.rawValue])
    stage.send(.linkLayer(Self.host, .link(link, .data(LinkData(isStart: true, frame.bytes)))))
    var (notices, opcodes) = ([LinkNotice](), [UInt8]())
    for _ in 0..<4 {
      stage.wait(.milliseconds(100))
      for case .linkLayer(Self.host, .link(_, let notice)) in stage.take() {
        switch notice {
        case .keyRequested: stage.send(.linkLayer(Self.host, .link(link, .key(Self.key))))
        case .encrypted: notices.append(notice)
        case .data(let data) where data.bytes[2] == 6: opcodes.append(data.bytes[4])
        default: break
        }
      }
    }
    return (notices, opcodes)
  }

  @Test("The key of the bond encrypts the connection, and is renewed where it is encrypted already")
  func key() {
    var test = self
    test.bond(isAuthenticated: false)
    let first = test.request([.bonding, .secureConnections])
    #expect(first.notices == [.encrypted(isRefresh: false)] && first.opcodes == [])
    let second = test.request([.bonding, .secureConnections])
    #expect(second.notices == [.encrypted(isRefresh: true)] && second.opcodes == [])
  }

  @Test("Without a key, or with one that is not authenticated where that is required, the phone pairs")
  func pairing() {
    for (isBonded, isAuthenticated) in [(false, false), (true, false), (true, true)] {
      var test = self
      if isBonded { test.bond(isAuthenticated: isAuthenticated) }
      let (notices, opcodes) = test.request([.bonding, .authentication])
      #expect(notices == (isAuthenticated ? [.encrypted(isRefresh: false)] : []))
      #expect(opcodes == (isAuthenticated ? [] : [1]))
    }
  }
}
