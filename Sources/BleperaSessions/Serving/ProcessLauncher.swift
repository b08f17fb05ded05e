package import BleperaPhone
package import BleperaBluetooth
import BleperaAppLink
package import BleperaEventLoop
import BleperaLoop
package import Glibc
package import BleperaPreservation
import Synchronization

/// Starts apps as separate processes with their original command line, folder and environment; their output goes to a
/// log.
package final class ProcessLauncher: AppLauncher {
  private let loop: EventLoop
  private let folder: StateFolder
  private let watched = Mutex<[pid_t: EventSource]>([:])

  package init(loop: EventLoop, folder: StateFolder) {
    self.loop = loop
    self.folder = folder
  }

  package func launch(
    _ app: AppIdentity, _ process: LaunchDescription?, ended: @escaping @Sendable (String) -> Void
  ) throws(LaunchFailure) -> pid_t? {
    guard let process, !process.arguments.isEmpty else {
      throw LaunchFailure(reason: "the app has not said how it was started; start it by hand")
    }
    let log = folder.appLog(app.bundleIdentifier)
    let output = unsafe open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard output >= 0 else { throw LaunchFailure(reason: "\(log): \(Self.text(errno))") }
    defer { close(output) }
    let input = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
    defer { close(input) }
    let child: ChildProcess
    do throws(ChildProcess.Failure) {
      child = try ChildProcess(
        ["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", process.folder] + process.arguments,
        environment: process.environment, inheritsEnvironment: false,
        streams: ChildProcess.Streams(input: input, output: output, error: output), isApart: true)
    } catch {
      throw LaunchFailure(reason: Self.text(error.code))
    }
    let source = loop.watch(child) { [weak self] end in
      self?.watched.withLock { $0[child.id] = nil }
      switch end {
      case .exited(let status): ended("ended with status \(status); \(log) has what it said")
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

  private static func text(_ code: CInt) -> String { unsafe String(cString: strerror(code)) }
}
