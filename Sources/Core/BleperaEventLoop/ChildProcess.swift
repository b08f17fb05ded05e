package import CBleperaGLib
import Glibc

/// A program that this process has started.
package struct ChildProcess: Hashable, Sendable {
  /// How the process ended.
  package enum End: Hashable, Sendable {
    case exited(CInt)
    case signalled(CInt)

    /// Decodes a status in the form that `waitpid` returns.
    package init(status: CInt) {
      let signal = status & 0x7F
      self = signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
    }
  }

  /// The standard input, output and error of the program; nil inherits ours.
  package struct Streams: Sendable {
    package var input: CInt?
    package var output: CInt?
    package var error: CInt?

    package init(input: CInt? = nil, output: CInt? = nil, error: CInt? = nil) {
      self.input = input
      self.output = output
      self.error = error
    }
  }

  /// Why the program could not be started: an `errno`.
  package struct Failure: Error, Hashable, Sendable {
    package let code: CInt
  }

  package let id: pid_t
  private let leadsGroup: Bool

  /// POSIX_SPAWN_SETSID, which the headers do not expose to Swift.
  private static let newSession: CInt = 0x80
  /// The default limit of descriptors per process.
  private static let descriptors: CInt = 1024

  /// Starts the program that the first of `arguments` names, found in `PATH` unless the name contains a slash. No
  /// signal is blocked in the program, and SIGPIPE terminates it. From then on this process does not ignore SIGCHLD, as
  /// it may do since its start: the kernel would keep no program's status.
  ///
  /// - Parameters:
  ///   - environment: variables that are set in addition to this process's, or alone.
  ///   - inNewSession: runs the program in its own session, so that no terminal signal reaches it, and without our
  ///     other descriptors.
  ///   - hasOwnGroup: runs the program in its own process group, which gets the signals that are sent to it.
  package init(
    _ arguments: [String], environment: [String: String] = [:], inheritsEnvironment: Bool = true,
    streams: Streams = Streams(), inNewSession: Bool = false, hasOwnGroup: Bool = false
  ) throws(Failure) {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    for case (let from?, let to) in [(streams.input, 0), (streams.output, 1), (streams.error, 2)] as [(CInt?, CInt)] {
      unsafe posix_spawn_file_actions_adddup2(&actions, from, to)
    }
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    var reset = sigset_t()
    unsafe sigemptyset(&reset)
    unsafe sigaddset(&reset, SIGPIPE)
    unsafe sigaddset(&reset, SIGCHLD)
    unsafe posix_spawnattr_setsigdefault(&attributes, &reset)
    var flags = CInt(POSIX_SPAWN_SETSIGMASK) | CInt(POSIX_SPAWN_SETSIGDEF)
    if inNewSession {
      flags |= Self.newSession
      for descriptor in 3..<Self.descriptors { unsafe posix_spawn_file_actions_addclose(&actions, descriptor) }
    }
    if hasOwnGroup { flags |= CInt(POSIX_SPAWN_SETPGROUP) }
    unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
    var words: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) }
    defer { for index in unsafe words.indices { unsafe free(words[index]) } }
    unsafe words.append(nil)
    var settings: [UnsafeMutablePointer<CChar>?] =
      unsafe inheritsEnvironment ? Self.inherited(without: environment) : []
    unsafe settings += environment.map { unsafe strdup("\($0.key)=\($0.value)") }
    defer { for index in unsafe settings.indices { unsafe free(settings[index]) } }
    unsafe settings.append(nil)
    Self.stopIgnoringChildren()
    var id: pid_t = 0
    let code = unsafe posix_spawnp(&id, arguments.first ?? "", &actions, &attributes, &words, &settings)
    guard code == 0 else { throw Failure(code: code) }
    self.id = id
    leadsGroup = hasOwnGroup
  }

  /// A copy of this process's environment without the names in `environment`.
  private static func inherited(without environment: [String: String]) -> [UnsafeMutablePointer<CChar>?] {
    var settings: [UnsafeMutablePointer<CChar>?] = unsafe []
    var next = unsafe environ
    while let text = unsafe next.pointee {
      let setting = unsafe String(cString: text)
      let name = String(setting.prefix { $0 != "=" })
      if environment[name] == nil { unsafe settings.append(strdup(text)) }
      unsafe next += 1
    }
    return unsafe settings
  }

  private static func stopIgnoringChildren() {
    var action = sigaction()
    unsafe sigaction(SIGCHLD, nil, &action)
    let handler = unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
    let ignored = unsafe unsafeBitCast(SIG_IGN, to: Int.self)
    if handler == ignored { signal(SIGCHLD, SIG_DFL) }
  }

  /// The programs that this thread starts from now on get none of its ambient capabilities, such as a service manager's
  /// unit gives them; the process keeps its own.
  package static func passOnNoCapabilities() { _ = blepera_clear_ambient_capabilities() }

  /// CAP_NET_ADMIN.
  package static let networkAdministration: CInt = 12

  /// Leaves this thread one of its capabilities, or none for -1; the programs that it becomes or starts get no more.
  ///
  /// - Returns: whether the kernel has allowed that.
  package static func keep(capability: CInt) -> Bool { blepera_keep_capability(capability) == 0 }

  /// Replaces this process with a program that has one more variable, the capabilities of this thread and no blocked
  /// signal; returns if the program cannot be run.
  package static func become(_ program: String, _ arguments: [String], environment: [String: String]) {
    var words: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) } + [nil]
    var settings = unsafe inherited(without: environment)
    unsafe settings += environment.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
    // Threads of Swift's pool block signals.
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe pthread_sigmask(SIG_SETMASK, &none, nil)
    unsafe execve(program, &words, &settings)
  }

  /// Replaces this process with a program that the kernel kills when the thread that started this process ends; exits
  /// with a shell's status if the program is not found or cannot be run.
  ///
  /// - Parameter parent: the process of that thread.
  package static func become(_ arguments: [String], endingWith parent: pid_t) -> Never {
    // The parent may have ended before.
    guard blepera_end_with_parent_thread() == 0, getppid() == parent else { exit(1) }
    var words: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) } + [nil]
    unsafe execvp(arguments[0], &words)
    let isMissing = errno == ENOENT
    unsafe perror(arguments[0])
    exit(isMissing ? 127 : 126)
  }

  package func send(signal: CInt) { _ = kill(leadsGroup ? -id : id, signal) }

  /// Waits for the process and blocks this thread.
  @discardableResult
  package func wait() -> End {
    var status: CInt = 0
    while unsafe waitpid(id, &status, 0) < 0, errno == EINTR {}
    return End(status: status)
  }
}
