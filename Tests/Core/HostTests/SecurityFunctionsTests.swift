import BleperaBluetooth
import Testing

@testable import BleperaHost

/// The sample data of Vol 3, Part H, appendix D and 2.2.3.
@Suite("The functions of pairing")
struct SecurityFunctionsTests {
  private static let u = Hex.bytes("20B003D2F297BE2C5E2C83A7E9F9A5B9EFF49111ACF4FDDBCC0301480E359DE6") ?? []
  private static let v = Hex.bytes("55188B3D32F6BB9A900AFCFBEED4E72A59CB9AC2F19D7CFB6B4FDD49F47FC5FD") ?? []
  private static let n1: UInt128 = 0xD5CB_8454_D177_733E_FFFF_B2EC_712B_AEAB
  private static let n2: UInt128 = 0xA6E8_E7CC_25A7_5F6E_2165_83F7_FF3D_C4CF
  private static let a1 = SecurityAddress(bits: 0x5612_3737_BFCE, isRandom: false)
  private static let a2 = SecurityAddress(bits: 0xA713_702D_CFC1, isRandom: false)

  @Test func c1() throws {
    let value = SecurityFunctions.c1(
      key: 0, random: 0x5783_D521_56AD_6F0E_6388_274E_C670_2EE0,
      request: try #require(Hex.bytes("01010000100707")), response: try #require(Hex.bytes("02030000080005")),
      initiator: SecurityAddress(bits: 0xA1A2_A3A4_A5A6, isRandom: true),
      responder: SecurityAddress(bits: 0xB1B2_B3B4_B5B6, isRandom: false))
    #expect(value == 0x1E1E_3FEF_8789_88EA_D2A7_4DC5_BEF1_3B86)
  }

  @Test func s1() {
    let value = SecurityFunctions.s1(
      key: 0, 0x000F_0E0D_0C0B_0A09_1122_3344_5566_7788, 0x0102_0304_0506_0708_99AA_BBCC_DDEE_FF00)
    #expect(value == 0x9A1F_E1F0_E8B0_F49B_5B42_16AE_796D_A062)
  }

  @Test func f4() {
    #expect(SecurityFunctions.f4(Self.u, Self.v, Self.n1, 0) == 0xF2C9_16F1_07A9_BD1C_F1ED_A1BE_A974_872D)
  }

  @Test func f5() throws {
    let secret = try #require(Hex.bytes("EC0234A357C8AD05341010A60A397D9B99796B13B4F866F1868D34F373BFA698"))
    let keys = SecurityFunctions.f5(secret: secret, Self.n1, Self.n2, Self.a1, Self.a2)
    #expect(keys.check == 0x2965_F176_A108_4A02_FD3F_6A20_CE63_6E20)
    #expect(keys.longTerm == 0x6986_7911_69D7_CD23_9805_22B5_9475_0A38)
  }

  @Test func f6() {
    let value = SecurityFunctions.f6(
      key: 0x2965_F176_A108_4A02_FD3F_6A20_CE63_6E20, Self.n1, Self.n2, 0x12A3_343B_B453_BB54_08DA_42D2_0C2D_0FC8,
      capability: [1, 1, 2], Self.a1, Self.a2)
    #expect(value == 0xE3C4_7398_9CD0_E8C5_D26C_0B09_DA95_8F61)
  }

  @Test func g2() {
    #expect(SecurityFunctions.g2(Self.u, Self.v, Self.n1, Self.n2) == 0x2F9E_D5BA % 1_000_000)
  }
}
