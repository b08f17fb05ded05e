import BleperaAppLink
import BusTesting
import FoundationEssentials
import Glibc
import Synchronization
import Testing

@testable import BleperaRecording

@Suite struct TraceWriterTests {
  private static let header = TraceHeader(
    command: "serve", ios: 26, phones: [.init(apps: ["a"])])

  private static func text(of path: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
  }

  @Test func `every line is there at once, and an old trace is written over`() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/x.jsonl"
    for _ in 1...2 {
      let writer = try TraceWriter(path) { Issue.record("\($0)") }
      #expect(try Self.text(of: path) == "")
      writer.begin(Self.header)
      #expect(try Self.text(of: path) == Self.header.json + "\n")
      writer.write(#"{"event":"busLost"}"#)
      #expect(try Self.text(of: path) == Self.header.json + "\n" + #"{"event":"busLost"}"# + "\n")
    }
  }

  @Test(arguments: [nil, 0o644]) func `a trace is for its user alone, whatever the file was`(mode: mode_t?) throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/x.jsonl"
    if let mode {
      _ = try folder.write("", to: "x.jsonl")
      try #require(unsafe chmod(path, mode) == 0)
    }
    _ = try TraceWriter(path) { Issue.record("\($0)") }
    var status = stat()
    try #require(unsafe stat(path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
  }

  @Test func `a file that is no trace is left alone`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("<plist/>", to: "lock.plist")
    let failure = #expect(throws: RecordingFailure.self) { try TraceWriter(path) { _ in } }
    #expect(
      failure?.description
        == "\(path): the file exists and is not a trace; choose another name")
    #expect(try Self.text(of: path) == "<plist/>")
  }

  @Test func `a file that cannot be written is said before anything is`() throws {
    let folder = try TemporaryFolder()
    for (path, reason) in [(folder.path, "Is a directory"), ("\(folder.path)/no/x", "No such file or directory")] {
      let failure = #expect(throws: RecordingFailure.self) { try TraceWriter(path) { _ in } }
      #expect(failure?.description == "\(path): \(reason)")
    }
  }

  @Test func `a full disk is reported once`() throws {
    let failures = Mutex<[String]>([])
    let writer = try TraceWriter("/dev/full") { failure in failures.withLock { $0.append(failure.description) } }
    writer.begin(Self.header)
    writer.write("{}")
    #expect(failures.withLock { $0 } == ["/dev/full: the trace is incomplete: No space left on device"])
  }
}
