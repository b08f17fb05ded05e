import BleperaBluetooth
import Testing

@testable import BleperaHost

@Suite("Frames of L2CAP and their fragments, of Vol 3, Part A, 3.1 and 7.2")
struct L2CAPFrameTests {
  private static let frame = L2CAPFrame(channel: L2CAPFrame.attributes, payload: [0x0A, 0x02, 0x01])
  private static let bytes: [UInt8] = [3, 0, 4, 0, 0x0A, 0x02, 0x01]

  @Test("A frame is its length, its channel and its payload")
  func bytes() {
    #expect(Self.frame.bytes == Self.bytes)
    #expect(L2CAPFrame(channel: 0x0140, payload: [UInt8](repeating: 7, count: 258)).bytes.prefix(4) == [2, 1, 0x40, 1])
  }

  @Test("No payload is longer than a length can say")
  func longest() {
    let frame = L2CAPFrame(channel: 6, payload: [UInt8](repeating: 7, count: 65_536))
    #expect(frame.bytes.count == 65_539)
    #expect(frame.bytes.prefix(4) == [0xFF, 0xFF, 6, 0])
  }

  @Test("Fragments of any length join to the frame, with the last one", arguments: 0...8)
  func fragments(length: Int) throws {
    let fragments = Self.frame.fragments(of: length)
    #expect(fragments.flatMap(\.bytes) == Self.bytes)
    #expect(fragments.map(\.isStart) == [true] + fragments.dropFirst().map { _ in false })
    #expect(fragments.allSatisfy { $0.bytes.count <= max(1, length) })
    var reassembler = L2CAPReassembler()
    let frames = fragments.map { reassembler.receive($0.bytes, isStart: $0.isStart) }
    #expect(frames.last == Self.frame)
    #expect(frames.compactMap(\.self).count == 1)
  }

  @Test("A frame without payload is one")
  func empty() {
    var reassembler = L2CAPReassembler()
    #expect(reassembler.receive([0, 0, 5, 0], isStart: true) == L2CAPFrame(channel: L2CAPFrame.signaling, payload: []))
  }

  static let dropped: [(String, [(isStart: Bool, bytes: [UInt8])])] = [
    ("a continuation without a start", [(false, bytes)]),
    ("a start that is longer than its length", [(true, bytes + [9])]),
    ("a continuation that is longer", [(true, Array(bytes.prefix(5))), (false, [0x02, 0x01, 9])]),
    ("what follows a frame that was too long", [(true, bytes + [9]), (false, [])]),
    ("a start whose rest does not arrive", [(true, Array(bytes.prefix(6)))]),
    ("a header whose rest does not arrive", [(true, []), (false, [3, 0, 4])]),
  ]

  @Test("What is no frame is dropped, and the next start begins another", arguments: dropped)
  func dropping(_: String, fragments: [(isStart: Bool, bytes: [UInt8])]) {
    var reassembler = L2CAPReassembler()
    for fragment in fragments {
      #expect(reassembler.receive(fragment.bytes, isStart: fragment.isStart) == nil)
    }
    #expect(reassembler.receive(Self.bytes, isStart: true) == Self.frame)
    #expect(reassembler.receive([], isStart: false) == nil)
  }
}
