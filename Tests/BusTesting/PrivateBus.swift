package import BleperaDBus
import Glibc

/// A private dbus-daemon that listens in its own folder; both are removed with the last reference, and with the
/// process that runs the tests, however that ends.
package final class PrivateBus: Sendable {
  package struct Failure: Error {
    package let cause: String

    package init(cause: String) { self.cause = cause }
  }

  package let address: BusAddress
  private let folder: TemporaryFolder
  /// While it is open the daemon lives.
  private let leash: Pipe
  private let shell: pid_t
  private let daemon: pid_t

  /// Returns once it listens.
  ///
  /// - Parameter denied: A method of the bus that nobody may call, until `allowAll`.
  package init(denying denied: String? = nil) throws {
    folder = try TemporaryFolder()
    _ = try folder.write(Self.configuration(folder.path, denying: denied), to: "bus.conf")
    let output = try Pipe()
    leash = try Pipe()
    // Ctrl-C reaches them too.
    let script = """
      trap '' INT
      dbus-daemon --config-file="$0/bus.conf" --nofork --nopidfile --print-address=1 --print-pid=1 &
      exec >&-
      read -r _
      kill -9 $!
      rm -rf "$0"
      """
    shell = try Self.spawn(["sh", "-c", script, folder.path], input: leash.reader, output: output.writer)
    output.closeWriter()
    address = BusAddress(output.readLine())
    guard let pid = pid_t(output.readLine()) else { throw Failure(cause: "dbus-daemon did not start") }
    daemon = pid
  }

  deinit {
    leash.closeWriter()
    _ = waitpid(shell, nil, 0)
  }

  private static func configuration(_ folder: String, denying denied: String?) -> String {
    let rule = denied.map { #"<deny send_interface="org.freedesktop.DBus" send_member="\#($0)"/>"# }
    return """
      <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
       "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
      <busconfig>
        <type>session</type>
        <listen>unix:path=\(folder)/socket</listen>
        <auth>EXTERNAL</auth>
        <policy context="default">
          <allow send_destination="*" eavesdrop="true"/>
          <allow eavesdrop="true"/>
          <allow own="*"/>
          \(rule ?? "")
        </policy>
      </busconfig>

      """
  }

  /// Lets everybody call what was denied, after the method `ReloadConfig` of the bus.
  package func allowAll() throws {
    _ = try folder.write(Self.configuration(folder.path, denying: nil), to: "bus.conf")
  }

  /// Ends it as a crash would. Harmless when repeated: the shell keeps the number until its own end.
  package func kill() { _ = Glibc.kill(daemon, SIGKILL) }

  /// Holds it: it takes nothing from its sockets any more.
  package func freeze() { _ = Glibc.kill(daemon, SIGSTOP) }

  /// The number of open descriptors of this process, whoever opened them.
  package static func openDescriptors() throws -> Int {
    guard let folder = unsafe opendir("/proc/self/fd") else { throw Failure(cause: "no /proc/self/fd") }
    defer { unsafe closedir(folder) }
    var count = 0
    while unsafe readdir(folder) != nil { count += 1 }
    return count
  }

  private static func spawn(_ arguments: [String], input: CInt, output: CInt) throws -> pid_t {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, input, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
    // The daemon complains on standard error of limits that it may not raise.
    unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    // The daemon must not inherit the tests' descriptors, above all the leash: a reader would wait for its end.
    for descriptor: CInt in 3..<4096 { unsafe posix_spawn_file_actions_addclose(&actions, descriptor) }
    var texts: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) }
    defer { for index in unsafe texts.indices { unsafe free(texts[index]) } }
    unsafe texts.append(nil)
    var environment: [UnsafeMutablePointer<CChar>?] = unsafe [strdup("PATH=/usr/local/bin:/usr/bin:/bin"), nil]
    defer { unsafe free(environment[0]) }
    var pid: pid_t = 0
    let code = unsafe posix_spawnp(&pid, arguments[0], &actions, nil, &texts, &environment)
    guard code == 0 else { throw Failure(cause: "\(arguments[0]) cannot be run: error \(code)") }
    return pid
  }
}
