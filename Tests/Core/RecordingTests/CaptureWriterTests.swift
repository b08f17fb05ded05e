import BusTesting
import Dispatch
import FoundationEssentials
import Glibc
import Synchronization
import Testing

@testable import BleperaRecording

@Suite(.timeLimit(.minutes(5))) struct CaptureWriterTests {
  private static let header: [UInt8] = [0xD4, 0xC3, 0xB2, 0xA1]

  private static func bytes(of path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path))) }

  @Test func `everything is there at once, and an old capture is written over`() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/air.pcap"
    for _ in 1...2 {
      let writer = try CaptureWriter(path, header: Self.header) { Issue.record("\($0)") }
      #expect(try Self.bytes(of: path) == Self.header)
      writer.write([1, 2])
      writer.write([10])
      #expect(try Self.bytes(of: path) == Self.header + [1, 2, 10])
      writer.flush()
    }
    var status = stat()
    try #require(unsafe stat(path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
  }

  @Test func `a file that is no capture is left alone`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("<plist/>", to: "lock.plist")
    let failure = #expect(throws: RecordingFailure.self) { try CaptureWriter(path, header: Self.header) { _ in } }
    #expect(
      failure?.description == "\(path): the file exists and is not a capture of blepera; choose another name")
    #expect(try Self.bytes(of: path) == Array("<plist/>".utf8))
  }

  @Test func `a full disk is reported once`() throws {
    let failures = Mutex<[String]>([])
    let writer = try CaptureWriter("/dev/full", header: Self.header) { failure in
      failures.withLock { $0.append(failure.description) }
    }
    writer.write([1])
    writer.flush()
    #expect(failures.withLock { $0 } == ["/dev/full: the capture is incomplete: No space left on device"])
  }

  @Test func `a pipe that is read too slowly receives whole packets, and the loss is reported`() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/pipe"
    try #require(unsafe mkfifo(path, 0o600) == 0)
    let reader = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    defer { close(reader) }
    let failures = Mutex<[String]>([])
    let writer = try CaptureWriter(path, header: Self.header) { failure in
      failures.withLock { $0.append(failure.description) }
    }
    let isFlushed = Mutex(false)
    let record = [UInt8](repeating: 7, count: 1000)
    for _ in 0..<2 * LineOutput.limit / record.count { writer.write(record) }
    // Once what has waited is read, a write is behind what was omitted.
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    func read() -> Bool {
      let count = unsafe Glibc.read(reader, &buffer, buffer.count)
      bytes += buffer.prefix(max(0, count))
      return count > 0
    }
    while failures.withLock(\.isEmpty) {
      if !read() { writer.write(record) }
    }
    DispatchQueue.global().async {
      writer.flush()
      isFlushed.withLock { $0 = true }
    }
    while !isFlushed.withLock(\.self) { _ = read() }
    while read() {}
    #expect(bytes.starts(with: Self.header))
    #expect((bytes.count - Self.header.count).isMultiple(of: record.count))
    #expect(failures.withLock { $0 } == ["\(path): the capture is incomplete: its reader is too slow"])
  }
}
