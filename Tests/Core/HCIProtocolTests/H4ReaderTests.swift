import BleperaBluetooth
import BleperaHCIProtocol
import Testing

@Suite("H4: packets in a stream of bytes")
struct H4ReaderTests {
  private static let reset: [UInt8] = [0x01, 0x03, 0x0C, 0x00]
  private static let address: [UInt8] = [0x01, 0x05, 0x20, 0x06, 1, 2, 3, 4, 5, 6]
  private static let data: [UInt8] = [0x02, 0x40, 0x00, 0x03, 0x00, 7, 8, 9]

  @Test("Packets are read whatever the pieces are in which they arrive", arguments: 1...22)
  func pieces(size: Int) throws {
    let bytes = Self.reset + Self.address + Self.data
    var reader = H4Reader()
    var packets: [H4Reader.Packet] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
      reader.append(Array(bytes[start...].prefix(size)))
      while let packet = try reader.next() { packets.append(packet) }
    }
    #expect(packets.map(\.kind) == [.command, .command, .acl])
    #expect(packets.map { [$0.kind.rawValue] + $0.bytes } == [Self.reset, Self.address, Self.data])
  }

  @Test("An octet that begins no packet ends the stream, after the packets before it", arguments: [0, 6, 0xFF])
  func unknown(type: UInt8) throws {
    var reader = H4Reader()
    reader.append(Self.reset + [type])
    #expect(try reader.next()?.kind == .command)
    #expect(throws: H4Reader.Fault(type: type)) { try reader.next() }
  }
}
