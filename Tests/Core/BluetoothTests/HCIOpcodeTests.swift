import BleperaBluetooth
import Testing

@Suite struct HCIOpcodeTests {
  @Test(
    "The group is in the upper six bits, the command in the lower ten (Core Specification, Vol 4, Part E, 5.4.1)",
    arguments: [
      (.disconnect, 0x01, 0x006),
      (.reset, 0x03, 0x003),
      (.readBDADDR, 0x04, 0x009),
      (.readRSSI, 0x05, 0x005),
      (.leSetAdvertisingParameters, 0x08, 0x006),
      (.leSetExtendedAdvertisingParametersV2, 0x08, 0x07F),
      (.appleScan, 0x3F, 0x342),
    ] as [(HCIOpcode, UInt16, UInt16)])
  func groups(opcode: HCIOpcode, group: UInt16, command: UInt16) {
    #expect(opcode.rawValue >> 10 == group)
    #expect(opcode.rawValue & 0x3FF == command)
  }
}
