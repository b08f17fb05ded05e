import BleperaBluetooth
import Testing

@Suite("Resolvable private addresses")
struct IdentityResolvingKeyTests {
  /// The key and the result of `ah` in the Core Specification, Vol 3, Part H, D.7.
  private static let key = IdentityResolvingKey(Hex.bytes("EC0234A357C8AD05341010A60A397D9B") ?? [])

  @Test("The specification's sample of ah, and the address that has it")
  func sample() throws {
    let key = try #require(Self.key)
    #expect(key.hash(of: 0x708194) == 0x0DFBAA)
    #expect(key.address(prand: 0x708194) == 0x7081_940D_FBAA)
    #expect("\(key)" == "EC0234A357C8AD05341010A60A397D9B")
  }

  static let addresses = [
    ("70:81:94:0D:FB:AA", true), ("70:81:94:0d:fb:aa", true), ("70:81:94:0D:FB:AB", false),
    ("70:81:95:0D:FB:AA", false), ("00:AA:01:00:00:00", false), ("7081940DFBAA", false), ("70:81:94:0D:FB", false),
    ("70:81:94:0D:FB:A ", false), ("", false),
  ]

  @Test("A key resolves the addresses that were made with it", arguments: addresses)
  func resolving(address: String, isResolved: Bool) throws {
    #expect(try #require(Self.key).resolves(address) == isResolved)
  }

  @Test("An address begins with 01, and is resolved by its own key alone")
  func making() {
    var random = SplitMix64(seed: 1)
    let (own, other) = (IdentityResolvingKey(using: &random), IdentityResolvingKey(using: &random))
    for _ in 0..<50 {
      let address = own.makeAddress(using: &random)
      #expect(address >> 46 == 0b01)
      #expect(own.resolves(address))
      #expect(!other.resolves(address))
    }
  }

  @Test("A key has 16 bytes", arguments: [0, 15, 17])
  func length(count: Int) {
    #expect(IdentityResolvingKey(Array(repeating: 0, count: count)) == nil)
  }
}
