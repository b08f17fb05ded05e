import BleperaAppLink
import BleperaDBus
import BleperaEventLoop
import BleperaLoop
import BleperaPreservation
import BleperaSessions
import BusTesting
import FoundationEssentials
import Glibc

/// `blepera`'s processes of one trial, in a folder of their own.
final class TestedPhone: Sendable {
  static let name = "torture"

  let folder: String
  private let binary: String
  private let loop: EventLoop
  private let environment: [String: String]
  let address: ControlAddress
  let state: StateFolder

  /// The preserved state of an app, as the binary prints it.
  struct Preserved: Decodable, Sendable {
    struct App: Decodable, Sendable {
      var identifier: String
      var services: [Service]
      var subscribers: [Subscriber]
    }

    struct Service: Decodable, Hashable, Sendable {
      var uuid: String
      var handles: [Int]
    }

    struct Subscriber: Decodable, Sendable {
      var central: String
      var characteristic: String
    }

    var apps: [App]
  }

  init(folder: String, binary: String, bus: BusAddress, loop: EventLoop) throws {
    self.folder = folder
    self.binary = binary
    self.loop = loop
    for path in [folder, "\(folder)/run", "\(folder)/state"] where unsafe mkdir(path, 0o700) != 0 {
      throw TrialFailure("\(path) cannot be made")
    }
    var settings = ["PATH": "/usr/local/bin:/usr/bin:/bin", "DBUS_SYSTEM_BUS_ADDRESS": bus.text]
    settings["XDG_RUNTIME_DIR"] = "\(folder)/run"
    settings["XDG_STATE_HOME"] = "\(folder)/state"
    environment = settings
    let own = settings
    address = try ControlAddress(name: Self.name, environment: { own[$0] }, user: geteuid())
    state = try StateFolder(name: Self.name, environment: { own[$0] })
    guard let file = unsafe fopen(profile, "w") else { throw TrialFailure("\(profile) cannot be written") }
    unsafe fputs(TortureProfile.text, file)
    unsafe fclose(file)
  }

  private var profile: String { "\(folder)/torture.plist" }

  // MARK: Processes

  func startSystem() throws -> ChildProcess { try start(["system", "--system", Self.name], output: "system.log") }

  func startApp() throws -> ChildProcess { try start(["serve", "--system", Self.name, profile], output: "app.log") }

  private func start(_ arguments: [String], output: String) throws -> ChildProcess {
    let path = "\(folder)/\(output)"
    let log = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    let input = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
    defer {
      close(log)
      close(input)
    }
    return try ChildProcess(
      [binary] + arguments, environment: environment, inheritsEnvironment: false,
      streams: .init(input: input, output: log, error: log), inNewSession: true)
  }

  /// Runs a command to its end.
  private func run(_ arguments: [String]) async throws -> [UInt8] {
    let output = "\(arguments[0])-\(arguments.dropFirst().first ?? "").out"
    unsafe unlink("\(folder)/\(output)")
    let child = try start(arguments + ["--system", Self.name], output: output)
    let end = await end(of: child)
    let bytes = try SystemDisk().read("\(folder)/\(output)")
    guard end == .exited(0) else {
      throw TrialFailure("\(arguments.joined(separator: " ")): \(end), \(String(decoding: bytes, as: UTF8.self))")
    }
    return bytes
  }

  func end(of child: ChildProcess) async -> ChildProcess.End {
    let ends = Mailbox<ChildProcess.End>()
    let source = loop.watch(child) { ends.put($0) }
    defer { withExtendedLifetime(source) {} }
    return (try? await ends.next()) ?? .signalled(0)
  }

  /// All processes of this phone, whoever started them.
  func killAll() async { await RunningProcesses.kill(with: "XDG_STATE_HOME=\(folder)/state") }

  // MARK: Output of the binary

  /// The phone's status; nil while no system responds.
  func status() async -> PhoneStatus? {
    try? await ControlConnection.ask(ControlRequest(.status), at: address).status
  }

  /// The status in the output of the command `status`.
  func reportedStatus() async throws -> PhoneStatus {
    try JSONDecoder().decode(PhoneStatus.self, from: Data(try await run(["status", "--json"])))
  }

  /// The preserved app in the output of the commands, which also shows that the file is readable and complete.
  func preserved() async throws -> Preserved.App {
    let list = try JSONDecoder().decode(List.self, from: Data(try await run(["preserved", "list", "--json"])))
    guard list.apps.map(\.identifier) == [TortureProfile.identifier] else {
      throw TrialFailure("what is preserved is \(list.apps.map(\.identifier))")
    }
    let bytes = try await run(["preserved", "show", TortureProfile.identifier, "--json"])
    let strange = FolderNames.list(state.path).filter { $0.hasPrefix("state.json.damaged") }
    guard strange.isEmpty else { throw TrialFailure("beside the state there is \(strange.joined(separator: ", "))") }
    guard let app = try JSONDecoder().decode(Preserved.self, from: Data(bytes)).apps.first else {
      throw TrialFailure("nothing is preserved")
    }
    return app
  }

  private struct List: Decodable {
    struct App: Decodable {
      var identifier: String
    }

    var apps: [App]
  }

  /// Whether the system was killed while it was saving.
  var isHalfSaved: Bool { unsafe Glibc.access("\(state.state).new", F_OK) == 0 }
}
