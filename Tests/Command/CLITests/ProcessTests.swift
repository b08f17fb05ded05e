import BleperaEventLoop
import BleperaLoop
import BusTesting
import Glibc
import Testing

@testable import BleperaCLI

/// The environment of the process that starts `blepera`: descriptors, limits and signals.
@Suite(.timeLimit(.minutes(5)))
struct ProcessTests {
  /// Runs a shell script whose `$0` is blepera.
  private static func run(_ script: String, _ arguments: String...) async throws -> ChildProcess.End {
    let process = try ChildProcess(["sh", "-c", script, try LabTests.binary()] + arguments, inNewSession: true)
    let ends = Mailbox<ChildProcess.End>()
    let source = TestLoops.second.watch(process) { ends.put($0) }
    defer { withExtendedLifetime(source) {} }
    return try await ends.next()
  }

  @Test func `standard descriptors that are closed are on the null device`() async throws {
    let folder = try TemporaryFolder()
    let file = "\(folder.path)/names"
    let script = """
      exec "$0" lab -- sh -c 'for number in 0 1 2; do readlink /proc/$PPID/fd/$number; done >"$0"' "$1" <&- >&- 2>&-
      """
    #expect(try await Self.run(script, file) == .exited(0))
    #expect(String(decoding: try ProfileFile(path: file).read(), as: UTF8.self) == "/dev/null\n/dev/null\n/dev/null\n")
  }

  @Test func `a lab has its command's status though SIGCHLD is ignored`() async throws {
    #expect(try await Self.run(#"trap '' CHLD; exec "$0" lab -- sh -c 'exit 3'"#) == .exited(3))
  }

  @Test func `a phone that serve has started leaves nothing behind when it is killed`() async throws {
    let path = try #require(ShippedProfiles.paths.first { $0.hasSuffix("/heart-rate.plist") })
    let script = """
      exec "$0" lab -- sh -c '
        "$0" serve "$1" >/dev/null 2>&1 &
        serve=$!
        phone=
        until [ -n "$phone" ]; do
          sleep 0.1
          phone=$(grep -l "^PPid:[[:space:]]*$serve$" /proc/[0-9]*/status | cut -d/ -f3)
        done
        until "$0" status --system default >/dev/null 2>&1; do sleep 0.1; done
        kill -KILL $phone
        while [ -e /proc/$phone ]; do sleep 0.1; done
        kill -INT $serve
        wait $serve
      ' "$0" "$1"
      """
    #expect(try await Self.run(script, path) == .exited(0))
  }

  @Test func `a virtual phone reports its start once`() async throws {
    let folder = try TemporaryFolder()
    let program = try WatchedProgram(
      ["system", "--virtual", "--json"],
      environment: [
        "XDG_RUNTIME_DIR": folder.path, "BLEPERA_RUNTIME_DIR": "", "BLEPERA_STATE_DIR": "\(folder.path)/state",
      ])
    var lines = [try await program.nextLine(), try await program.nextLine()]
    #expect(try await program.end(by: SIGINT) == .exited(0))
    while let line = try? await program.nextLine(), !line.isEmpty { lines.append(line) }
    #expect(lines.count { $0.contains(#""event":"started""#) } == 1)
    #expect(lines[0].contains(#""event":"started""#))
  }
}
