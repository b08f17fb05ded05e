import BleperaDBus
import BleperaEventLoop
import BleperaLoop
import BusTesting
import Glibc
import Synchronization
import Testing

@testable import BleperaCLI

/// A run of `blepera` whose lines and whose end are awaited, not waited for by a thread: the tests have few.
final class WatchedProgram {
  private let process: ChildProcess
  private let output: Pipe
  private let lines = Mailbox<String>()
  private let ends = Mailbox<ChildProcess.End>()
  private var sources: [EventSource] = []
  private var hasEnded = false

  enum Stream { case output, error }

  convenience init(_ arguments: [String], on bus: BusAddress, watching stream: Stream = .output) throws {
    try self.init(arguments, environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.text], watching: stream)
  }

  init(_ arguments: [String], environment: [String: String], watching stream: Stream = .output) throws {
    output = try Pipe()
    process = try ChildProcess(
      [try LabTests.binary()] + arguments, environment: environment,
      streams: stream == .output ? .init(output: output.writer) : .init(error: output.writer), inNewSession: true)
    output.closeWriter()
    let reader = output.reader
    let rest = Mutex<[UInt8]>([])
    sources = [
      TestLoops.second.watch(descriptor: reader, for: .reading) { [lines] _ in
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = unsafe read(reader, &buffer, buffer.count)
        guard count > 0 else { return lines.put("") }
        rest.withLock { rest in
          rest += buffer[..<count]
          while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            lines.put(String(decoding: rest[..<end], as: UTF8.self))
            rest.removeSubrange(...end)
          }
        }
      },
      TestLoops.second.watch(process) { [ends] in ends.put($0) },
    ]
  }

  deinit {
    if !hasEnded, ends.left.isEmpty { process.send(signal: SIGKILL) }
  }

  /// The next line of the watched stream; empty at its end.
  func nextLine() async throws -> String { try await lines.next() }

  func end(by signal: CInt) async throws -> ChildProcess.End {
    process.send(signal: signal)
    return try await end()
  }

  /// Waits for the program's end.
  func end() async throws -> ChildProcess.End {
    let end = try await ends.next()
    hasEnded = true
    return end
  }
}
