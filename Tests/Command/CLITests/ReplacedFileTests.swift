import ArgumentParser
import BusTesting
import Glibc
import Testing

@testable import BleperaCLI

@Suite("A file that a command writes at its end")
struct ReplacedFileTests {
  private static func mode(_ path: String) -> UInt32 {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
  }

  private static func text(_ path: String) throws -> String {
    String(decoding: try ProfileFile.read(path, atMost: 1 << 10, what: "a text", form: "a text"), as: UTF8.self)
  }

  @Test("Only its user can read it, and until it is written there is the older one")
  func replaced() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("older", to: "report")
    try #require(unsafe chmod(path, 0o644) == 0)
    let file = try ReplacedFile(path)
    #expect(try Self.text(path) == "older" && TemporaryFolder.names(in: folder.path) == ["report"])
    try file.write(Array("newer".utf8))
    #expect(try Self.text(path) == "newer" && Self.mode(path) == 0o600)
    #expect(TemporaryFolder.names(in: folder.path) == ["report"])
  }

  @Test("An older one stays where the new one cannot be written")
  func full() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("older", to: "report")
    let file = try ReplacedFile(path)
    // A folder has the place of the unfinished file.
    let unfinished = "\(folder.path)/.blepera-\(getpid()).new"
    try #require(unsafe mkdir(unfinished, 0o700) == 0)
    #expect(throws: ExitCode(1)) { try file.write(Array("newer".utf8)) }
    #expect(try Self.text(path) == "older")
  }

  @Test("What cannot be written, or is another file, is refused before anything runs")
  func refused() throws {
    let folder = try TemporaryFolder()
    #expect(throws: ExitCode(1)) { try ReplacedFile("\(folder.path)/missing/report") }
    #expect(throws: ExitCode(1)) { try ReplacedFile(folder.path) }
    let path = try folder.write("a letter", to: "letter")
    #expect(throws: ExitCode(1)) { try ReplacedFile(path) { $0.starts(with: "report".utf8) } }
    #expect(try Self.text(path) == "a letter")
  }

  @Test("A link stays a link, and a pipe is written as it is")
  func special() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("older", to: "report")
    let link = "\(folder.path)/link"
    try #require(unsafe symlink("report", link) == 0)
    try ReplacedFile(link).write(Array("newer".utf8))
    #expect(try Self.text(path) == "newer" && Self.text(link) == "newer")
    let pipe = "\(folder.path)/pipe"
    try #require(unsafe mkfifo(pipe, 0o600) == 0)
    let reader = unsafe open(pipe, O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    try ReplacedFile(pipe).write(Array("piped".utf8))
    var buffer = [UInt8](repeating: 0, count: 16)
    let count = unsafe read(reader, &buffer, buffer.count)
    #expect(String(decoding: buffer.prefix(max(0, count)), as: UTF8.self) == "piped")
  }
}
