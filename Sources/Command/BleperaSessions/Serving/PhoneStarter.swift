package import BleperaAppLink
import BleperaBluetooth
package import BleperaEventLoop
import BleperaLoop
package import BleperaPreservation
import Glibc
import Synchronization

/// Starts `blepera system` as a separate process, independent of this terminal.
package struct PhoneStarter: Sendable {
  package let address: ControlAddress
  package let folder: StateFolder
  /// Further arguments of `blepera system`.
  package let arguments: [String]

  package init(address: ControlAddress, folder: StateFolder, arguments: [String]) {
    self.address = address
    self.folder = folder
    self.arguments = arguments
  }

  /// The timeout of the phone's start in milliseconds, with time for bluetoothd to start.
  private static let startTimeout: CInt = 20_000
  /// The time that a service manager has to restart a phone that was killed.
  private static let serviceTimeout = Duration.seconds(30)
  private static let serviceInterval = Duration.milliseconds(200)
  /// The time that another phone of the same name has to end.
  private static let nameTimeout = Duration.seconds(5)

  package struct Failure: Error {
    /// A whole sentence.
    package let reason: String
  }

  /// Returns the process of the new phone; nil if the phone already runs.
  ///
  /// - Parameter awaitsService: called once if the phone is a service that was killed. Its service manager restarts it;
  ///   a phone started here would take its name.
  package func start(on loop: EventLoop, awaitsService: () -> Void) async throws(Failure) -> pid_t? {
    do throws(PreservationFailure) { try folder.prepare() } catch { throw Failure(reason: "\(error)") }
    let begin = loop.now
    var hasWaited = false
    while true {
      if isRunning { return nil }
      if address.isService {
        if !hasWaited { awaitsService() }
        hasWaited = true
        guard loop.now - begin < Self.serviceTimeout else {
          throw Failure(
            reason:
              "the phone '\(address.name)' was a service, and has not been started again: start it with systemctl, "
              + "or remove \(address.lock), and 'blepera serve' starts a phone.")
        }
        try? await loop.sleep(for: Self.serviceInterval)
        continue
      }
      let change = FolderChange(of: address.folder, on: loop)
      let (process, line) = try spawn()
      if line == ControlAddress.ready {
        Self.reap(process, on: loop)
        return process.id
      }
      // Another phone of the name has started first, or is about to end.
      let isTaken = line == "\(ControlFailure.alreadyRunning(name: address.name))"
      let rest = Self.nameTimeout - (loop.now - begin)
      guard isTaken, rest > .zero else { throw Failure(reason: line) }
      await change.wait(atMost: rest)
    }
  }

  /// Whether a phone of the name runs.
  package var isRunning: Bool {
    guard let descriptor = try? address.connect() else { return false }
    close(descriptor)
    return true
  }

  /// Waits for the end of the phone, which would otherwise stay in the kernel's table of processes.
  private static func reap(_ process: ChildProcess, on loop: EventLoop) {
    let source = Mutex<EventSource?>(nil)
    let watch = loop.watch(process) { _ in source.withLock { $0 = nil } }
    source.withLock { $0 = watch }
  }

  private func spawn() throws(Failure) -> (ChildProcess, String) {
    guard let pipe = DataPipe() else { throw Failure(reason: "too many files are open.") }
    let log = StateFolder.openLog(folder.systemLog)
    guard log >= 0 else { throw Failure(reason: "\(folder.systemLog): \(unsafe String(cString: strerror(errno))).") }
    defer { close(log) }
    let input = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
    defer { close(input) }
    let child: ChildProcess
    do throws(ChildProcess.Failure) {
      child = try ChildProcess(
        [OwnProcess.program] + address.startArguments + arguments,
        streams: ChildProcess.Streams(input: input, output: pipe.writer, error: log), inNewSession: true)
    } catch {
      throw Failure(reason: "the phone cannot be started: \(unsafe String(cString: strerror(error.code))).")
    }
    pipe.closeWriter()
    guard let line = pipe.readLine(within: Self.startTimeout) else {
      child.send(signal: SIGKILL)
      child.wait()
      throw Failure(reason: "the phone does not respond; see \(folder.systemLog).")
    }
    if line != ControlAddress.ready { child.wait() }
    return (child, line)
  }
}

/// Watches a folder's entries: a phone adds its socket when it starts and removes its lock when it ends.
private final class FolderChange: Sendable {
  private let loop: EventLoop
  private let descriptor: CInt

  init(of folder: String, on loop: EventLoop) {
    self.loop = loop
    descriptor = inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC))
    unsafe inotify_add_watch(descriptor, folder, UInt32(IN_CREATE) | UInt32(IN_DELETE))
  }

  deinit { close(descriptor) }

  /// Returns after a change, or after `limit`.
  func wait(atMost limit: Duration) async {
    let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let timer = loop.schedule(after: limit) { continuation.yield() }
    let source = loop.watch(descriptor: descriptor, for: .reading) { _ in continuation.yield() }
    for await _ in changes { break }
    timer.cancel()
    source.cancel()
  }
}
