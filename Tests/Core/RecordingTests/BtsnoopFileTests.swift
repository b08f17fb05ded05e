import BleperaRecording
import Testing

@Suite struct BtsnoopFileTests {
  @Test func `the header names H4`() {
    #expect(BtsnoopFile.header == Array("btsnoop\0".utf8) + [0, 0, 0, 1, 0, 0, 0x03, 0xEA])
  }

  @Test(
    "a record has the length twice, the direction and the kind, no drops, and the time since the year 0",
    arguments: [
      ([1, 3, 0x0C, 0], false, 2),
      ([4, 0x0E, 0], true, 3),
      ([2, 0x40, 0, 0, 0], false, 0),
      ([2, 0x40, 0, 0, 0], true, 1),
    ] as [([UInt8], Bool, UInt8)])
  func record(packet: [UInt8], isReceived: Bool, flags: UInt8) {
    let length = [0, 0, 0, UInt8(packet.count)]
    let time: [UInt8] = [0x00, 0xDC, 0xDD, 0xB3, 0x0F, 0x2F, 0x80, 0x07]
    #expect(
      BtsnoopFile.record(packet, isReceived: isReceived, at: .microseconds(7))
        == length + length + [0, 0, 0, flags, 0, 0, 0, 0] + time + packet)
  }
}
