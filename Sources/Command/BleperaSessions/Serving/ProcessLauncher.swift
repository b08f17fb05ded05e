import BleperaAppLink
package import BleperaBluetooth
package import BleperaEventLoop
import BleperaLoop
package import BleperaPhone
package import BleperaPreservation
import Glibc
import Synchronization

/// The options for relaunching the processes of apps.
package struct RelaunchOptions: Hashable, Sendable {
  /// Whether apps are relaunched at all, since the phone then runs a command line that the app has sent.
  package var isAllowed = true
  /// The names of environment variables that apps receive besides the usual ones.
  package var environment: Set<String> = []

  package init() {}
}

/// Starts apps as separate processes with their original command line and folder, and the preserved part of their
/// environment. Their output goes to a log.
package final class ProcessLauncher: AppLauncher {
  private let loop: EventLoop
  private let folder: StateFolder
  private let options: RelaunchOptions
  /// The disk without syncing, because stopped processes do not survive a loss of power.
  private let disk = SystemDisk(syncs: false)
  private let watched = Mutex<[pid_t: EventSource]>([:])
  /// The start times of stopped processes and, with negative numbers, process groups. The kernel may reuse the number
  /// of a process that was killed meanwhile.
  private let stopped = Mutex<[pid_t: String]>([:])

  package init(loop: EventLoop, folder: StateFolder, options: RelaunchOptions = RelaunchOptions()) {
    self.loop = loop
    self.folder = folder
    self.options = options
    resumeFormer()
  }

  package func storable(_ process: LaunchDescription) -> LaunchDescription? {
    options.isAllowed ? process.keepingEnvironment(and: options.environment) : nil
  }

  package func isLaunchedByUserOnly(_ process: LaunchDescription?) -> Bool { !options.isAllowed || process == nil }

  package func launch(
    _ app: AppIdentity, _ process: LaunchDescription?, byUser: Bool, ended: @escaping @Sendable (String) -> Void
  ) throws(LaunchFailure) -> pid_t? {
    guard options.isAllowed else { throw LaunchFailure(reason: "--no-relaunch; start it yourself") }
    guard let process, !process.arguments.isEmpty else {
      throw LaunchFailure(reason: "the app has not sent its command line; start it yourself")
    }
    let log = folder.appLog(app.bundleIdentifier)
    let output = StateFolder.openLog(log)
    guard output >= 0 else { throw LaunchFailure(reason: "\(log): \(Self.text(errno))") }
    defer { close(output) }
    let input = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
    defer { close(input) }
    let child: ChildProcess
    do throws(ChildProcess.Failure) {
      child = try ChildProcess(
        ["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", process.folder] + process.arguments,
        environment: process.environment, inheritsEnvironment: false,
        streams: ChildProcess.Streams(input: input, output: output, error: output), inNewSession: true)
    } catch {
      throw LaunchFailure(reason: Self.text(error.code))
    }
    let source = loop.watch(child) { [weak self] end in
      self?.watched.withLock { $0[child.id] = nil }
      self?.resume(child.id)
      switch end {
      case .exited(let status): ended("ended with status \(status); \(log) has its output")
      case .signalled(let signal): ended("was ended by signal \(signal)")
      }
    }
    watched.withLock { $0[child.id] = source }
    return child.id
  }

  package func end(_ process: pid_t) {
    guard watched.withLock({ $0[process] != nil }) else { return }
    kill(process, SIGKILL)
  }

  // MARK: Suspended apps

  package func stop(_ process: pid_t, isOwn: Bool) {
    guard process > 1, !isOwn || watched.withLock({ $0[process] != nil }),
      let start = ProcessAge.start(of: process)
    else { return }
    let target = isOwn ? -process : process
    record { $0[target] = start }
    kill(target, SIGSTOP)
  }

  package func resume(_ process: pid_t) {
    for target in [-process, process] {
      guard let start = stopped.withLock({ $0[target] }) else { continue }
      Self.resume(target, start)
      record { $0[target] = nil }
    }
  }

  /// Resumes the process or group, unless its number belongs to another process now.
  private static func resume(_ target: pid_t, _ start: String) {
    // A group keeps its number after its first process has ended, as long as the group has processes.
    let now = ProcessAge.start(of: abs(target))
    if now == start || now == nil && target < 0 { kill(target, SIGCONT) }
  }

  /// Keeps the stopped processes in a file. If the phone is killed, the next phone resumes them, and they end.
  private func record(_ change: (inout [pid_t: String]) -> Void) {
    let text = stopped.withLock { processes in
      change(&processes)
      return processes.sorted { $0.key < $1.key }.map { "\($0) \($1)\n" }.joined()
    }
    // Without the file, the stopped processes of a killed phone are not resumed, and nothing else is lost.
    disk.keep(text, at: folder.stoppedProcesses)
  }

  private func resumeFormer() {
    guard let bytes = try? disk.read(folder.stoppedProcesses) else { return }
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count == 2, let process = pid_t(words[0]), process > 1 || process < -1 else { continue }
      Self.resume(process, String(words[1]))
    }
    record { $0 = [:] }
  }

  private static func text(_ code: CInt) -> String { unsafe String(cString: strerror(code)) }
}
