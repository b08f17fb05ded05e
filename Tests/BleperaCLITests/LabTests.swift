import BusTesting
import DBus
import EventLoop
import Glibc
import Testing

@testable import BleperaCLI

@Suite struct LabTests {
  @Test(
    .timeLimit(.minutes(1)),
    arguments: [
      (["sh", "-c", "exit 0"], 0), (["sh", "-c", "exit 7"], 7), (["sh", "-c", "kill -KILL $$"], 137),
      (["blepera-has-no-such-command"], 127), (["/etc/passwd"], 126),
    ] as [([String], CInt)])
  func `a lab ends with its command's status`(command: [String], status: CInt) async {
    var options = LabSession.Options()
    options.command = command
    #expect(await LabSession(options, printer: nil).run() == status)
  }

  @Test(.timeLimit(.minutes(1)))
  func `the command runs on a bus with phones, and nothing is left of it`() async throws {
    let path = try #require(Shipped.paths.first { $0.hasSuffix("/heart-rate.plist") })
    let profiles = try #require(ProfileFiles([path, path], colouredFor: .plain).profiles)
    let folder = try TemporaryFolder()
    var options = LabSession.Options()
    options.phones = profiles
    // The bus tells its address and is there while the command runs.
    let script = """
      bus=${DBUS_SYSTEM_BUS_ADDRESS#unix:path=}
      bus=${bus%%,*}
      echo "$bus" >"$0/bus"
      test -S "$bus"
      """
    options.command = ["sh", "-c", script, folder.path]
    #expect(await LabSession(options, printer: nil).run() == 0)
    let socket = try ProfileFile(path: "\(folder.path)/bus").read().dropLast()
    let bus = try #require(String(decoding: socket, as: UTF8.self).split(separator: "/bus").first)
    #expect(bus.contains("/blepera-lab-"))
    #expect(unsafe access(String(bus), F_OK) == -1)
  }

  @Test(.timeLimit(.minutes(1)))
  func `bus, folder and command end when the leash is let go`() throws {
    let bus = try LabBus()
    let command = try ChildProcess(["sleep", "600"])
    bus.hold(command)
    let folder = try #require(bus.address.text.split(separator: "=").dropFirst().first?.split(separator: "/bus").first)
    #expect(unsafe access(String(folder), R_OK) == 0)
    bus.close()
    #expect(unsafe access(String(folder), F_OK) == -1)
    #expect(command.wait() == .signalled(SIGHUP))
  }

  @Test(.timeLimit(.minutes(1)))
  func `a command that has ended is not hung up`() throws {
    let bus = try LabBus()
    let command = try ChildProcess(["sleep", "600"])
    bus.hold(command)
    bus.hold(nil)
    bus.close()
    command.send(signal: SIGTERM)
    #expect(command.wait() == .signalled(SIGTERM))
  }

  @Test(.timeLimit(.minutes(1)))
  func `nothing is left of a lab that was killed`() async throws {
    let output = try Pipe()
    let script = "echo ${DBUS_SYSTEM_BUS_ADDRESS#unix:path=}; exec sleep 600"
    let lab = try ChildProcess(
      [try Self.binary(), "lab", "--quiet", "--", "sh", "-c", script], streams: .init(output: output.writer),
      isApart: true)
    output.closeWriter()
    let folder = try #require(output.readLine().split(separator: "/bus,").first.map(String.init))
    #expect(unsafe access(folder, R_OK) == 0)
    lab.send(signal: SIGKILL)
    #expect(lab.wait() == .signalled(SIGKILL))
    // The end comes when the command too has gone. Of the folder's nobody tells.
    #expect(output.readByte() == nil)
    while unsafe access(folder, F_OK) == 0 { try await Task.sleep(for: .milliseconds(20)) }
  }

  /// It stands beside the tests.
  private static func binary() throws -> String {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink("/proc/self/exe", &path, path.count)
    let tests = String(decoding: path.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let folder = tests.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    let file = "\(folder)/blepera"
    try #require(unsafe access(file, X_OK) == 0, "\(file) is not built")
    return file
  }
}
