import Glibc
import Synchronization
import Testing

@testable import BleperaRecording

@Suite("Output that nobody reads", .timeLimit(.minutes(5)))
struct LineOutputTests {
  /// A pipe, or a pair of sockets; the first end is read.
  private static func ends(isPipe: Bool) throws -> (reader: CInt, writer: CInt) {
    var ends: [CInt] = [-1, -1]
    let result =
      unsafe isPipe ? pipe(&ends) : socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends)
    try #require(result == 0)
    return (ends[0], ends[1])
  }

  /// Adds what is read until whole lines fulfill the condition.
  private static func read(_ descriptor: CInt, to bytes: inout [UInt8], until isEnough: ([UInt8]) -> Bool) {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.last != UInt8(ascii: "\n") || !isEnough(bytes) {
      let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return }
      bytes += buffer[..<count]
    }
  }

  @Test("Nothing blocks, what exceeds the limit is counted, and all else arrives in order", arguments: [true, false])
  func omitted(isPipe: Bool) throws {
    let (reader, writer) = try Self.ends(isPipe: isPipe)
    let output = LineOutput(writer) { "omitted \($0)" }
    let count = 3 * LineOutput.limit / 100
    // The first line alone is more than fits without a reader, so that the others wait.
    for number in 0..<count { output.print("\(number) " + String(repeating: ".", count: number == 0 ? 1 << 19 : 100)) }
    // The reader finds the lines that waited, then how many are missing. Until then, more lines may be omitted.
    var bytes: [UInt8] = []
    Self.read(reader, to: &bytes) { $0.suffix(20).contains(UInt8(ascii: "m")) }
    output.print("last")
    Self.read(reader, to: &bytes) { $0.ends(with: "\nlast\n") }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    let kept = lines.compactMap { Int($0.split(separator: " ")[0]) }
    #expect(kept.indices.allSatisfy { kept[$0] == $0 })
    let missing = lines.filter { $0.hasPrefix("omitted") }.compactMap { Int($0.split(separator: " ")[1]) }
    #expect(missing.reduce(kept.count, +) == count)
    #expect(missing.count == 1)
    #expect(output.flush() == 0)
    close(writer)
    close(reader)
  }

  @Test("Each of the lines that are printed together is counted")
  func omittedTogether() throws {
    let (reader, writer) = try Self.ends(isPipe: false)
    let output = LineOutput(writer) { "omitted \($0)" }
    let text = String(repeating: ".", count: LineOutput.limit / 4)
    // Nobody reads: some of these wait, and the rest is omitted.
    for _ in 0..<8 { output.print([text, "short"]) }
    var bytes: [UInt8] = []
    Self.read(reader, to: &bytes) { $0.suffix(20).contains(UInt8(ascii: "m")) }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    let missing = lines.compactMap { line in line.hasPrefix("omitted") ? Int(line.split(separator: " ")[1]) : nil }
    #expect(lines.count { !$0.hasPrefix("omitted") } + missing.reduce(0, +) == 16)
    close(writer)
    close(reader)
  }

  @Test("Lines in a row are written together, and none of them waits for long")
  func burst() throws {
    var ends: [CInt] = [-1, -1]
    // Each packet is one write.
    try #require(unsafe socketpair(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
    let output = LineOutput(ends[1]) { "omitted \($0)" }
    var packets = 0
    var lines = 0
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    func read() {
      let count = unsafe Glibc.read(ends[0], &buffer, buffer.count)
      packets += 1
      lines += buffer[..<max(0, count)].count { $0 == UInt8(ascii: "\n") }
    }
    for _ in 0..<20 {
      output.print("first")
      read()
    }
    #expect(packets == 20 && lines == 20)
    for _ in 0..<1000 { output.print("next") }
    while lines < 1020 { read() }
    #expect(packets < 520)
    #expect(output.flush() == 0)
    close(ends[0])
    close(ends[1])
  }

  @Test("The end does not wait for a reader for long")
  func end() throws {
    let (reader, writer) = try Self.ends(isPipe: true)
    let output = LineOutput(writer) { "omitted \($0)" }
    for _ in 0..<200 { output.print(String(repeating: ".", count: 1000)) }
    #expect(output.flush() > 100)
    // What comes then is discarded.
    output.print("late")
    var bytes: [UInt8] = []
    Self.read(reader, to: &bytes) { $0.count >= 200 * 1001 }
    #expect(!bytes.ends(with: "late\n"))
  }

  @Test("A pipe that does not block loses nothing, whoever else writes to it")
  func nonblocking() throws {
    let (reader, writer) = try Self.ends(isPipe: true)
    _ = fcntl(writer, F_SETFL, O_NONBLOCK)
    // Another writer fills the pipe.
    var others = 0
    while unsafe write(writer, Array(repeating: UInt8(ascii: "o"), count: 1024), 1024) == 1024 { others += 1024 }
    let output = LineOutput(writer) { "omitted \($0)" }
    let lines = (0..<1000).map { "\($0) " + String(repeating: ".", count: 200) }
    for line in lines { output.print(line) }
    var bytes: [UInt8] = []
    Self.read(reader, to: &bytes) { $0.ends(with: lines[999] + "\n") }
    #expect(bytes.dropFirst(others).elementsEqual((lines.joined(separator: "\n") + "\n").utf8))
    #expect(output.flush() == 0)
    close(writer)
    close(reader)
  }

  @Test("A log that could not be written is written again, and has the number of the lines that are missing")
  func logOnAFullDisk() throws {
    let full = unsafe open("/dev/full", O_WRONLY | O_CLOEXEC)
    let output = LineOutput(full) { "omitted \($0)" }
    output.print("a")
    output.print(["b", "c"])
    // The disk has room again.
    var path = Array("/tmp/blepera-log-XXXXXX".utf8CString)
    let log = unsafe mkstemp(&path)
    unsafe unlink(&path)
    dup2(log, full)
    output.print(["d", "e"])
    output.print("f")
    var bytes = [UInt8](repeating: 0, count: 100)
    let count = unsafe pread(log, &bytes, bytes.count, 0)
    #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == "omitted 3\nd\ne\nf\n")
    close(full)
    close(log)
  }

  @Test("An error is reported once")
  func failure() throws {
    let file = unsafe open("/dev/full", O_WRONLY | O_CLOEXEC)
    defer { close(file) }
    let failures = Mutex<[CInt]>([])
    let output = LineOutput(file) {
      "omitted \($0)"
    } failed: { code in
      failures.withLock { $0.append(code) }
    }
    output.print("a")
    output.print("b")
    #expect(failures.withLock { $0 } == [ENOSPC])
  }
}

extension [UInt8] {
  fileprivate func ends(with text: String) -> Bool { suffix(text.utf8.count).elementsEqual(text.utf8) }
}
