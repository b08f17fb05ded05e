import Control
import EventLoop
import Glibc
import Preservation

/// Starts `blepera system` as a process of its own, apart from this terminal.
struct SystemStarter {
  let address: ControlAddress
  let folder: StateFolder
  /// Of `blepera system`.
  let options: [String]

  /// What it says once apps can link themselves to it; anything else is why they cannot.
  static let ready = "ready"
  /// How long it may take to say so, in milliseconds: bluetoothd may just be starting.
  private static let patience: CInt = 20_000
  /// How long one of the same name may take to end.
  private static let patienceForName = Duration.seconds(5)

  struct Failure: Error {
    /// A whole sentence.
    let reason: String
  }

  /// The process of the new system; nil where one runs already.
  func start() async throws(Failure) -> pid_t? {
    do throws(PreservationFailure) { try folder.prepare() } catch { throw Failure(reason: "\(error)") }
    let begin = ContinuousClock.now
    while true {
      if runs { return nil }
      let (process, word) = try spawn()
      if word == Self.ready { return process }
      // Another one of the name has come first, or is about to end.
      let isTaken = word == "\(ControlFailure.runsAlready(name: address.name))"
      guard isTaken, begin.duration(to: .now) < Self.patienceForName else { throw Failure(reason: word) }
      try? await Task.sleep(for: .milliseconds(50))
    }
  }

  private var runs: Bool {
    guard let descriptor = try? address.connect() else { return false }
    close(descriptor)
    return true
  }

  private func spawn() throws(Failure) -> (pid_t, String) {
    guard let pipe = DataPipe() else { throw Failure(reason: "too many files are open.") }
    let log = unsafe open(folder.systemLog, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard log >= 0 else { throw Failure(reason: "\(folder.systemLog): \(unsafe String(cString: strerror(errno))).") }
    defer { close(log) }
    let input = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
    defer { close(input) }
    let child: ChildProcess
    do throws(ChildProcess.Failure) {
      child = try ChildProcess(
        [OwnProcess.program, "system", "--detached", "--system", address.name] + options,
        streams: ChildProcess.Streams(input: input, output: pipe.writer, error: log), isApart: true)
    } catch {
      throw Failure(reason: "the phone cannot be started: \(unsafe String(cString: strerror(error.code))).")
    }
    pipe.closeWriter()
    guard let word = pipe.readLine(within: Self.patience) else {
      child.send(signal: SIGKILL)
      child.wait()
      throw Failure(reason: "the phone says nothing; \(folder.systemLog) may have more.")
    }
    if word != Self.ready { child.wait() }
    return (child.id, word)
  }
}
