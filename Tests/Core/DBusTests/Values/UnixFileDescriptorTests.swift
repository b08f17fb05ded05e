import BleperaDBus
import Glibc
import Testing

@Suite("File descriptors")
struct UnixFileDescriptorTests {
  @Test("A descriptor is closed with its last owner, and a copy lives on")
  func ownership() throws {
    var ends: [CInt] = [-1, -1]
    try #require(unsafe pipe(&ends) == 0)
    let reader = UnixFileDescriptor(owning: ends[0])
    var writer: UnixFileDescriptor? = UnixFileDescriptor(owning: ends[1])
    var copy: UnixFileDescriptor? = writer.map { UnixFileDescriptor(owning: dup($0.rawValue)) }
    #expect(copy?.rawValue != writer?.rawValue)
    #expect(copy != writer)
    writer = nil
    #expect(unsafe write(copy?.rawValue ?? -1, "x", 1) == 1)
    copy = nil
    var buffer: [UInt8] = [0, 0]
    #expect(unsafe read(reader.rawValue, &buffer, 2) == 1)
    #expect(unsafe read(reader.rawValue, &buffer, 2) == 0, "both ends for writing are closed")
  }
}
