import BleperaBluetooth
import Testing

@Suite("AES-CMAC")
struct AESCMACTests {
  /// RFC 4493, section 4.
  static let tags: [(String, String)] = [
    ("", "bb1d6929e95937287fa37d129b756746"),
    ("6bc1bee22e409f96e93d7e117393172a", "070a16b46b4d4144f79bdd9dd04a287c"),
    (
      "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411",
      "dfa66747de9ae63030ca32611497c827"
    ),
  ]

  @Test("AES-CMAC gives the tags of RFC 4493", arguments: tags)
  func cmac(message: String, tag: String) throws {
    let key = try #require(Hex.bytes("2b7e151628aed2a6abf7158809cf4f3c"))
    let bytes = try #require(Hex.bytes(message))
    #expect(Hex.string(AESCMAC.tag(of: bytes, key: key), uppercase: false) == tag)
  }
}
