import BleperaDBus
import Glibc
import Testing

@Suite("Streams of packets")
struct SequencedSocketTests {
  @Test("A stream ends with its last reference, though a copy of its descriptor is still open")
  func endIsSeenAtOnce() throws {
    let (own, other) = try #require(SequencedSocket.pair())
    // A child process has such a copy until it runs its program.
    let copy = UnixFileDescriptor(owning: dup(other.rawValue))
    var end = SequencedSocket(other)
    #expect(end != nil)
    #expect(!own.hasEnded)
    end = nil
    #expect(own.hasEnded)
    withExtendedLifetime(copy) {}
  }

  @Test("What was sent before the end is received")
  func packetsBeforeTheEnd() throws {
    let (own, other) = try #require(SequencedSocket.pair())
    var end = SequencedSocket(other)
    end?.send([1, 2])
    end = nil
    #expect(own.receive() == [1, 2])
    #expect(own.receive() == [])
  }
}
