package import BleperaController
import BleperaEventLoop
import Glibc

/// Takes the capability for an adapter of the kernel from the process that uses the adapter, and from its apps: another
/// process keeps the capability, and opens the adapter.
///
/// Capabilities are a thread's own. So the process that uses the adapter gives its capabilities up and then runs its own
/// command line once more, in which all threads are without.
package enum ControllerRights {
  /// The hidden argument of the process that keeps the capability, which the number of the adapter follows.
  private static let keep = "keep-adapter"
  /// The variable with the descriptor of the socket to that process.
  private static let variable = "BLEPERA_KEEPER"

  /// Called by each process before it has other threads. Runs the process that keeps the capability, and does not
  /// return, if the arguments request that.
  package static func resume(_ arguments: [String]) {
    if arguments.count == 3, arguments[1] == keep, let adapter = UInt16(arguments[2]) {
      // A service manager signals all processes of a service at once; this one has to end after the phone.
      for number in [SIGABRT, SIGHUP, SIGINT, SIGQUIT, SIGTERM] { signal(number, SIG_IGN) }
      guard ChildProcess.keep(capability: ChildProcess.networkAdministration) else { exit(1) }
      var keeper = ChannelKeeperProcess(socket: STDIN_FILENO, adapter: adapter)
      keeper.run()
      exit(0)
    }
    guard let text = unsafe getenv(variable), let socket = CInt(unsafe String(cString: text)), socket > STDERR_FILENO
    else { return }
    unsafe unsetenv(variable)
    guard fcntl(socket, F_SETFD, FD_CLOEXEC) == 0 else { return }
    ChannelKeeper.ofProcess = ChannelKeeper(socket: socket)
  }

  /// Called by a command that uses a controller, before it does anything else. For an adapter of the kernel it returns
  /// in a process that has no capabilities.
  package static func drop(for place: ControllerPlace) throws(ControllerFailure) {
    guard case .kernel(let adapter) = place, ChannelKeeper.ofProcess == nil else { return }
    var ends: [CInt] = [-1, -1]
    let kind = CInt(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw ControllerFailure(place, .system(errno)) }
    let null = unsafe open("/dev/null", O_WRONLY | O_CLOEXEC)
    do throws(ChildProcess.Failure) {
      _ = try ChildProcess(
        [OwnProcess.program, keep, "\(adapter)"],
        streams: ChildProcess.Streams(input: ends[1], output: null, error: null), inNewSession: true)
    } catch {
      throw ControllerFailure(place, .system(error.code))
    }
    close(ends[1])
    close(null)
    guard ChildProcess.keep(capability: -1) else { throw ControllerFailure(place, .rights) }
    _ = fcntl(ends[0], F_SETFD, 0)
    ChildProcess.become(OwnProcess.program, CommandLine.arguments, environment: [variable: "\(ends[0])"])
    throw ControllerFailure(place, .system(errno))
  }
}
