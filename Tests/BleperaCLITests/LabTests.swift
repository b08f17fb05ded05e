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
}
