import BleperaDBus
import BleperaEventLoop
import BleperaLoop
import BleperaVirtualBlueZ
import BusTesting
import Glibc
import Testing

@testable import BleperaCLI
@testable import BleperaLabCLI
@testable import BleperaSessions

@Suite struct LabTests {
  @Test(
    arguments: [
      ("air.pcap", "air-host2.btsnoop"), ("v1.2/night", "v1.2/night-host2.btsnoop"), ("a/.b", "a/.b-host2.btsnoop"),
      ("a/b.c.pcap", "a/b.c-host2.btsnoop"),
    ])
  func `the packets of a host are in a file beside the capture`(capture: String, file: String) {
    #expect(CaptureFiles.path(beside: capture, ofHost: 1) == file)
  }

  @Test(
    .timeLimit(.minutes(5)),
    arguments: [
      (["sh", "-c", "exit 0"], 0), (["sh", "-c", "exit 7"], 7), (["sh", "-c", "kill -KILL $$"], 137),
      (["blepera-has-no-such-command"], 127), (["/etc/passwd"], 126),
    ] as [([String], CInt)])
  func `a lab ends with its command's status`(command: [String], status: CInt) async throws {
    var options = try Self.options()
    options.command = command
    #expect(await VirtualSession(options, endProcess: ProcessEnd.perform) { _ in }.run() == status)
  }

  @Test(.timeLimit(.minutes(5)))
  func `the command runs on a bus with phones, and nothing is left of it`() async throws {
    let path = try #require(ShippedProfiles.paths.first { $0.hasSuffix("/heart-rate.plist") })
    let profiles = try #require(ProfileFiles([path, path], coloredFor: .plain).profiles)
    let folder = try TemporaryFolder()
    var options = try Self.options()
    options.phones = VirtualOptions.Phone.each(profiles)
    // The bus prints its address and exists while the command runs.
    let script = """
      bus=${DBUS_SYSTEM_BUS_ADDRESS#unix:path=}
      bus=${bus%%,*}
      echo "$bus" >"$0/bus"
      test -S "$bus" && test "$BLUETOOTH_FORCE_DBUS_LE_VERSION" = 5.82
      """
    options.behavior = DaemonBehavior(minor: 82)
    options.command = ["sh", "-c", script, folder.path]
    #expect(await VirtualSession(options, endProcess: ProcessEnd.perform) { _ in }.run() == 0)
    let socket = try ProfileFile(path: "\(folder.path)/bus").read().dropLast()
    let bus = try #require(String(decoding: socket, as: UTF8.self).split(separator: "/bus").first)
    #expect(bus.contains("/blepera-lab-"))
    #expect(unsafe access(String(bus), F_OK) == -1)
  }

  @Test(.timeLimit(.minutes(5)))
  func `phones have names by which the command moves them, in two labs side by side`() async throws {
    let path = try #require(ShippedProfiles.paths.first { $0.hasSuffix("/heart-rate.plist") })
    let profiles = try #require(ProfileFiles([path, path], coloredFor: .plain).profiles)
    let folder = try TemporaryFolder()
    let script = """
      cd "$0"
      echo "$BLEPERA_PHONES" >"$1.phones"
      for phone in $BLEPERA_PHONES; do
        "$2" background --system "$phone" && "$2" status --json --system "$phone" >"$1.$phone" || exit
      done
      "$2" status 2>"$1.error"; test $? = 1
      """
    let binary = try Self.binary()
    let statuses = await withTaskGroup { group in
      for lab in ["a", "b"] {
        group.addTask {
          var options = VirtualOptions()
          options.program = binary
          options.phones = VirtualOptions.Phone.each(profiles)
          options.command = ["sh", "-c", script, folder.path, lab, binary]
          return await VirtualSession(options, endProcess: ProcessEnd.perform) { _ in }.run()
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses == [0, 0])
    func text(_ name: String) throws -> String {
      String(decoding: try ProfileFile(path: "\(folder.path)/\(name)").read(), as: UTF8.self)
    }
    for lab in ["a", "b"] {
      #expect(try text("\(lab).phones") == "heart-rate heart-rate-2\n")
      for (number, phone) in ["heart-rate", "heart-rate-2"].enumerated() {
        let status = try text("\(lab).\(phone)")
        #expect(status.contains(#""state":"background""#) && status.contains(#""adapter":"hci\#(number + 1)""#))
      }
      #expect(try text("\(lab).error").hasSuffix("choose a running one with --system: heart-rate, heart-rate-2.\n"))
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `the only phone needs no name`() async throws {
    let path = try #require(ShippedProfiles.paths.first { $0.hasSuffix("/heart-rate.plist") })
    var options = try Self.options()
    options.phones = VirtualOptions.Phone.each(try #require(ProfileFiles([path], coloredFor: .plain).profiles))
    let script = #""$0" suspend && "$0" status | grep -q suspended && "$0" status --system heart-rate | grep -q iOS"#
    options.command = ["sh", "-c", script, try Self.binary()]
    #expect(await VirtualSession(options, endProcess: ProcessEnd.perform) { _ in }.run() == 0)
  }

  @Test func `a phone is named after its app, or the program of its command`() {
    let commands = [
      ".build/debug/door-key", "DOOR=1 exec /opt/a/door-key --open", "'./my lamp' on", "env A=b python3 lamp.py", "A=b",
    ]
    let phones = VirtualOptions.Phone.each([], commands: commands)
    #expect(phones.map(\.name) == ["door-key", "door-key-2", "my", "python3", "phone"])
    #expect(phones.map(\.command) == commands)
  }

  @Test(
    .timeLimit(.minutes(5)),
    arguments: [
      ("exit 3", "app: the app ended with status 3 before it advertised"),
      ("kill -KILL $$", "app: the app was ended by signal 9 before it advertised"),
      ("blepera-has-no-such-command", "app: command not found: echo"),
      (
        "exec sleep 600",
        "app: the app has not advertised, scanned or connected within 0 s; no app has connected to the phone: the "
          + "program must create a manager, or connect by AppLink"
      ),
      ("trap '' TERM; while true; do sleep 0.1; done", nil),
    ] as [(String, String?)])
  func `without its app a lab ends before the command, and so does the app`(app: String, reason: String?) async throws {
    let folder = try TemporaryFolder()
    var options = try Self.options()
    // A process that writes its number, and the environment that it has of the lab.
    let words = "echo $$ $BLEPERA_SYSTEM >\(folder.path)/app; \(app)"
    options.phones = [.init(name: "app", apps: [], command: words)]
    options.command = ["touch", "\(folder.path)/command"]
    options.appTimeout = .milliseconds(300)
    let failures = Mailbox<String>()
    let status = await VirtualSession(options, endProcess: ProcessEnd.perform) {
      if case .failed(let reason) = $0 { failures.put(reason) }
    }.run()
    #expect(status == 1)
    let failure = try #require(failures.left.first)
    #expect(reason.map { failure.hasPrefix($0) } ?? failure.contains("has not advertised"))
    #expect(unsafe access("\(folder.path)/command", F_OK) == -1)
    let written = String(decoding: try ProfileFile(path: "\(folder.path)/app").read(), as: UTF8.self).split(
      separator: " ")
    #expect(written.last == "app\n")
    let process = try #require(written.first.flatMap { pid_t($0) })
    // The supervisor kills an app that ignores SIGTERM, whose parent this process is.
    _ = waitpid(process, nil, 0)
    #expect(kill(process, 0) == -1)
  }

  @Test func `a line says of which phone it is where there are several`() {
    let origins = EventOrigin.phones(["lock", "lock-2"])
    #expect(origins.map(\.phone) == ["lock", "lock-2"])
    #expect(origins.map { $0.line("text", on: .plain) } == ["lock   │ text", "lock-2 │ text"])
    #expect(origins[0].line("text", on: .colored) == "\u{1B}[36mlock   │\u{1B}[0m text")
    #expect(EventOrigin.phones(["lock"]) == [EventOrigin(phone: "lock")])
    #expect(EventOrigin(phone: "lock").line("text", on: .colored) == "text")
  }

  @Test(.timeLimit(.minutes(5)))
  func `bus, folder and command end when the leash is let go`() throws {
    let bus = try PrivateMessageBus(program: Self.binary())
    let command = try ChildProcess(["sleep", "600"])
    bus.track(command)
    let folder = try #require(bus.address.text.split(separator: "=").dropFirst().first?.split(separator: "/bus").first)
    #expect(unsafe access(String(folder), R_OK) == 0)
    bus.close()
    #expect(unsafe access(String(folder), F_OK) == -1)
    #expect(command.wait() == .signalled(SIGHUP))
  }

  @Test(.timeLimit(.minutes(5)))
  func `a command whose id was never reported is hung up, too`() throws {
    let bus = try PrivateMessageBus(program: Self.binary())
    let other = try PrivateMessageBus(program: Self.binary())
    let command = try ChildProcess(["sleep", "600"], environment: [VirtualSession.busVariable: bus.address.text])
    let another = try ChildProcess(["sleep", "600"], environment: [VirtualSession.busVariable: other.address.text])
    bus.commandWillStart()
    bus.close()
    #expect(command.wait() == .signalled(SIGHUP))
    another.send(signal: SIGTERM)
    #expect(another.wait() == .signalled(SIGTERM))
    other.close()
  }

  @Test(.timeLimit(.minutes(5)))
  func `a command that has ended is not hung up`() throws {
    let bus = try PrivateMessageBus(program: Self.binary())
    let command = try ChildProcess(["sleep", "600"])
    bus.track(command)
    bus.track(nil)
    bus.close()
    command.send(signal: SIGTERM)
    #expect(command.wait() == .signalled(SIGTERM))
  }

  @Test(.timeLimit(.minutes(5)))
  func `nothing is left of a lab that was killed`() async throws {
    let output = try Pipe()
    let script = "echo ${DBUS_SYSTEM_BUS_ADDRESS#unix:path=}; exec sleep 600"
    let lab = try ChildProcess(
      [try Self.binary(), "lab", "--quiet", "--", "sh", "-c", script], streams: .init(output: output.writer),
      inNewSession: true)
    output.closeWriter()
    let folder = try #require(output.readLine().split(separator: "/bus,").first.map(String.init))
    #expect(unsafe access(folder, R_OK) == 0)
    lab.send(signal: SIGKILL)
    #expect(lab.wait() == .signalled(SIGKILL))
    // The end is reported when the command has ended, too. No event reports the end of the folder.
    #expect(output.readByte() == nil)
    while unsafe access(folder, F_OK) == 0 { try await Task.sleep(for: .milliseconds(20)) }
  }

  @Test(.timeLimit(.minutes(5)))
  func `the next lab removes a folder that nobody holds, and follows no link out of it`() throws {
    let bus = try PrivateMessageBus(program: Self.binary())
    let elsewhere = try TemporaryFolder()
    let file = try elsewhere.write("kept", to: "file")
    let path = bus.folder.path
    try unsafe #require(mkdir("\(path)/state", 0o700) == 0 && symlink(elsewhere.path, "\(path)/state/link") == 0)
    #expect(LabFolder(path, exclusively: true) == nil)
    #expect(LabFolder(elsewhere.path) == nil, "no lab's")
    bus.close()
    #expect(unsafe access(path, F_OK) == -1 && access(file, F_OK) == 0)
    // As a lab that was killed together with its supervisor leaves it.
    try unsafe #require(mkdir(path, 0o700) == 0)
    try PrivateMessageBus(program: Self.binary()).close()
    #expect(unsafe access(path, F_OK) == -1)
  }

  @Test(.timeLimit(.minutes(5)))
  func `a lab without its supervisor cleans up itself`() throws {
    let bus = try PrivateMessageBus(program: Self.binary())
    let app = try ChildProcess(["sleep", "600"], environment: [LabFolder.appVariable: bus.folder.path])
    bus.supervisor.send(signal: SIGKILL)
    #expect(bus.close() == .signalled(SIGKILL))
    #expect(app.wait() == .signalled(SIGKILL))
    #expect(unsafe access(bus.folder.path, F_OK) == -1)
  }

  /// The options of a lab that runs blepera, since this process is not blepera.
  private static func options() throws -> VirtualOptions {
    var options = VirtualOptions()
    options.program = try binary()
    return options
  }

  /// The path of the binary, which is beside the tests.
  static func binary() throws -> String {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink("/proc/self/exe", &path, path.count)
    let tests = String(decoding: path.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let folder = tests.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    let file = "\(folder)/blepera"
    try #require(unsafe access(file, X_OK) == 0, "\(file) is not built")
    return file
  }
}
