import BleperaBluetooth
import Testing

@testable import BleperaHost

@Suite("The keys that a host keeps")
struct BondTests {
  private static let peers = (0..<3).map { DeviceAddress(bits: 0xC000_0000_0001 + $0, isRandom: true) }
  private static let key = IdentityResolvingKey(Array(0..<16))!

  private static func bond(isSecure: Bool = true, identity: SecurityIdentity? = nil) -> SecurityBond {
    SecurityBond(
      asCentral: .init(value: 7), asPeripheral: .init(value: 7), keySize: 16, isAuthenticated: false,
      isSecureConnections: isSecure, identity: identity)
  }

  private static func host(_ client: StackBehavior.Client = .discovering, limit: Int? = nil) -> HostStack {
    var stack = StackBehavior()
    (stack.client, stack.bonding.limit) = (client, limit)
    return HostBench(stack, isCentral: false).host
  }

  @Test(
    "Beyond the limit the keys of the least recent pairing go",
    arguments: [
      (nil, [0, 1, 2], [0, 1, 2]), (3, [0, 1, 2], [0, 1, 2]), (2, [0, 1, 2], [1, 2]), (2, [0, 1, 0, 2], [0, 2]),
      (1, [0, 1], [1]), (0, [0], []),
    ] as [(Int?, [Int], [Int])])
  func limit(_ limit: Int?, pairings: [Int], kept: [Int]) {
    var host = Self.host(limit: limit)
    for index in pairings { host.keep(Self.bond(), of: Self.peers[index]) }
    #expect(host.bondOrder == kept.map { Self.peers[$0] })
    #expect(Set(host.bonds.keys) == Set(host.bondOrder))
  }

  @Test("For a phone, a key that two devices share resolves the addresses of the one that has bonded last")
  func sharedKey() {
    var random = SplitMix64(seed: 1)
    let address = DeviceAddress(bits: Self.key.makeAddress(using: &random), isRandom: true)
    for order in [[0, 1], [1, 0]] {
      var host = Self.host(.phone)
      for index in order {
        let identity = SecurityIdentity(address: SecurityAddress(Self.peers[index]), key: Self.key)
        host.keep(Self.bond(identity: identity), of: Self.peers[index])
      }
      #expect(host.knownAddress(of: address) == Self.peers[order[1]])
      // By its identity address the other one is known all the same.
      #expect(host.knownAddress(of: Self.peers[order[0]]) == Self.peers[order[0]])
      #expect(host.resolvingKeys == [Self.peers[order[1]]: Self.key])
    }
  }

  @Test(
    "A phone does not use a bond of Secure Connections without the peripheral's identity",
    arguments: [
      (.phone, true, false, false), (.phone, true, true, true), (.phone, false, false, true),
      (.bluetoothd, true, false, true), (.discovering, true, false, true),
    ] as [(StackBehavior.Client, Bool, Bool, Bool)])
  func identity(_ client: StackBehavior.Client, isSecure: Bool, hasIdentity: Bool, isUsable: Bool) {
    let identity = SecurityIdentity(address: SecurityAddress(Self.peers[0]), key: nil)
    let bond = Self.bond(isSecure: isSecure, identity: hasIdentity ? identity : nil)
    #expect(Self.host(client).isUsable(bond) == isUsable)
    #expect(Self.host(client).isUsable(nil))
  }

  @Test("A central whose key is not known is refused again and again, and stays connected")
  func unknownKey() {
    var test = HostBench(StackBehavior.Client.phone, isCentral: false)
    for count in 1...2 {
      test.host.receive(.keyRequested(random: 0, diversifier: 0), over: HostBench.link)
      test.run()
      #expect(test.linkRequests == Array(repeating: .key(nil), count: count))
      #expect(test.actions.count { $0 == .keyUnknown(HostBench.link) } == count && test.ends.isEmpty)
    }
  }
}
