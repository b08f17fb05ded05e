import BleperaEventLoop
import BleperaPreservation
import BleperaSessions
import Glibc

/// The process of a lab that runs the message bus, and outlives the lab to clean up.
///
/// The process runs this program with a hidden argument. Its input is a lifeline that only the lab can write to. When
/// the lifeline closes, because the lab has closed the bus or has ended in any way, the supervisor hangs up the lab's
/// command, ends the daemon, kills the apps and removes the folder.
package enum LabSupervisor {
  /// The hidden arguments. A folder follows the first; a process, and the program that ends with it, follow the second.
  static let supervise = "supervise-lab"
  private static let endWith = "end-with"
  /// The exit status if dbus-daemon is not installed.
  static let isMissing: CInt = 127
  /// The line that the lab writes before it knows the number of the command's process.
  static let announcement = "?"
  /// The folder of a daemon that was installed with this program, as in a package for Python.
  private static let ownPrograms = "../libexec/blepera"

  /// The arguments that start a program so that the kernel kills it when the calling thread, or its process, ends.
  static func ending(withThisThreadOf program: String, _ arguments: [String]) -> [String] {
    [program, endWith, "\(getpid())"] + arguments
  }

  /// Runs the supervisor, or a program that ends with its parent, and does not return, if the arguments request one.
  package static func run(_ arguments: [String]) {
    guard arguments.count > 2 else { return }
    if arguments[1] == supervise { superviseLab(in: arguments[2]) }
    if arguments[1] == endWith, arguments.count > 3, let parent = pid_t(arguments[2]) {
      ChildProcess.become(Array(arguments[3...]), endingWith: parent)
    }
  }

  private static func superviseLab(in path: String) -> Never {
    // A service manager signals all processes of a service at once; the supervisor has to end after the lab.
    for number in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] { signal(number, SIG_IGN) }
    guard let folder = LabFolder(path) else { exit(1) }
    let daemon = try? startDaemon(in: path)
    // The lab reads the daemon's output to its end, so only the daemon may keep it open. Standard error would keep a
    // terminal in use after the lab has ended.
    let null = unsafe open("/dev/null", O_WRONLY | O_CLOEXEC)
    for descriptor in [STDOUT_FILENO, STDERR_FILENO] { dup2(null, descriptor) }
    var command = ""
    while let line = readLine() { command = line }
    if command == announcement {
      let bus = "\(VirtualSession.busVariable)=unix:path=\(path)/bus,"
      for process in LabFolder.processes(with: bus) { kill(process, SIGHUP) }
    } else if let process = pid_t(command) {
      kill(process, SIGHUP)
    }
    daemon?.send(signal: SIGKILL)
    folder.remove()
    exit(daemon?.wait() == .exited(isMissing) ? isMissing : 0)
  }

  private static func startDaemon(in folder: String) throws(ChildProcess.Failure) -> ChildProcess {
    let file = "\(folder)/bus.conf"
    SystemDisk(syncs: false).keep(configuration(folder), at: file)
    let (input, log) = unsafe (open("/dev/null", O_RDONLY | O_CLOEXEC), StateFolder.openLog("\(folder)/log"))
    defer {
      close(input)
      close(log)
    }
    let path = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? "/usr/bin:/bin"
    let own = OwnProcess.program.split(separator: "/").dropLast().joined(separator: "/")
    return try ChildProcess(
      ending(
        withThisThreadOf: OwnProcess.program,
        ["dbus-daemon", "--config-file=\(file)", "--nofork", "--nopidfile", "--print-address=1"]),
      environment: ["PATH": "\(path):/\(own)/\(ownPrograms)"],
      streams: .init(input: input, error: log))
  }

  /// The configuration of the bus. Any client may own any name, such as org.bluez. Each connection has the limits of a
  /// stock system bus, such as 128 pending replies; only the number of connections is taken from a session bus.
  private static func configuration(_ folder: String) -> String {
    """
    <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
     "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
    <busconfig>
      <type>session</type>
      <listen>unix:path=\(folder)/bus</listen>
      <auth>EXTERNAL</auth>
      <policy context="default">
        <allow send_destination="*" eavesdrop="true"/>
        <allow eavesdrop="true"/>
        <allow own="*"/>
      </policy>
      <limit name="max_completed_connections">100000</limit>
      <limit name="max_connections_per_user">100000</limit>
    </busconfig>

    """
  }
}
