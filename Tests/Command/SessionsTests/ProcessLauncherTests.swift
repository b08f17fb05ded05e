import BleperaBluetooth
import BleperaEventLoop
import BleperaLoop
import BleperaPreservation
import BusTesting
import Glibc
import Testing

@testable import BleperaSessions

@Suite("Processes of suspended apps", .timeLimit(.minutes(5)))
struct ProcessLauncherTests {
  private static func withFolder(_ body: (StateFolder) async throws -> Void) async throws {
    let folder = try TemporaryFolder()
    let state = try StateFolder(name: "default") { $0 == StateFolder.homeVariable ? folder.path : nil }
    try state.prepare()
    try await body(state)
    withExtendedLifetime(folder) {}
  }

  /// A process that is stopped.
  private static func stoppedProcess() throws -> pid_t {
    let process = try ChildProcess(["sleep", "600"]).id
    kill(process, SIGSTOP)
    var status: CInt = 0
    unsafe waitpid(process, &status, WUNTRACED)
    return process
  }

  private static func end(_ process: pid_t) {
    kill(process, SIGKILL)
    waitpid(process, nil, 0)
  }

  private static func isContinued(_ process: pid_t) -> Bool {
    waitpid(process, nil, WCONTINUED | WNOHANG) == process
  }

  @Test(
    "A phone resumes what a killed one has stopped, and no process that has the number now", arguments: [true, false])
  func former(isSame: Bool) async throws {
    try await Self.withFolder { folder in
      let process = try Self.stoppedProcess()
      defer { Self.end(process) }
      let start = try #require(ProcessAge.start(of: process))
      let file = unsafe try #require(unsafe fopen(folder.stoppedProcesses, "w"))
      unsafe fputs("\(process) \(isSame ? start : "1")\nnonsense\n", file)
      unsafe fclose(file)
      let launcher = ProcessLauncher(loop: TestLoops.second, folder: folder)
      #expect(Self.isContinued(process) == isSame)
      #expect(Self.text(folder.stoppedProcesses) == "")
      withExtendedLifetime(launcher) {}
    }
  }

  @Test("An app's process that is killed while it is stopped is not remembered as stopped")
  func killed() async throws {
    try await Self.withFolder { folder in
      try unsafe #require(mkdir(folder.apps, 0o700) == 0 || errno == EEXIST)
      let launcher = ProcessLauncher(loop: TestLoops.second, folder: folder)
      let (ends, end) = AsyncStream.makeStream(of: Void.self)
      let process = try #require(
        try launcher.launch(
          AppIdentity(
            bundleIdentifier: "org.example.app", name: "app", backgroundModes: []),
          LaunchDescription(arguments: ["sleep", "600"], folder: "/", environment: ["PATH": "/bin:/usr/bin"]),
          byUser: false
        ) { _ in end.finish() })
      launcher.stop(process, isOwn: true)
      #expect(Self.text(folder.stoppedProcesses)?.hasPrefix("-\(process) ") == true)
      kill(process, SIGKILL)
      for await _ in ends {}
      #expect(Self.text(folder.stoppedProcesses) == "")
    }
  }

  private static func text(_ path: String) -> String? {
    guard let file = unsafe fopen(path, "r") else { return nil }
    defer { unsafe fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1024)
    let count = unsafe fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes[..<count], as: UTF8.self)
  }
}
