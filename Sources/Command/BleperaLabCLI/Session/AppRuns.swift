import BleperaAppLink
import BleperaBluetooth
import BleperaEventLoop
import BleperaLoop
import BleperaSessions
import Glibc

/// The apps of a lab that are commands; each is a process with its own process group.
struct AppRuns {
  struct Run {
    let process: ChildProcess
    /// The end of the process; nil while it runs.
    var end: ChildProcess.End?
    var source: EventSource?
  }

  /// The time that an app has to end after SIGTERM, before the supervisor kills it.
  static let endTimeout = Duration.seconds(2)
  /// The phone's name, which the libraries of apps read.
  static let phoneVariable = "BLEPERA_SYSTEM"

  /// The runs by the number of the phone.
  fileprivate var runs: [Int: Run] = [:]
  /// Whether the session still waits for apps to start.
  fileprivate(set) var isStarting = false
  fileprivate var isLate = false
  fileprivate var limit: EventSource?
  fileprivate var look: EventSource?
}

extension VirtualSession {
  /// Starts the apps that are commands, and returns when each of them advertises, scans or connects.
  ///
  /// - Returns: the exit status of the session if an app does not; nil if all do.
  func startApps(on radio: VirtualBus) async -> CInt? {
    let numbers = options.phones.indices.filter { options.phones[$0].command != nil }
    guard !numbers.isEmpty, !isOver else { return nil }
    for number in numbers {
      do throws(ChildProcess.Failure) { try startApp(number, on: radio) } catch {
        return fail("cannot run sh: \(unsafe String(cString: strerror(error.code)))")
      }
    }
    limitApps(to: options.appTimeout)
    apps.isStarting = true
    defer { (apps.isStarting, apps.look) = (false, nil) }
    wakeOften()
    var reason: String?
    await wait {
      let missing = numbers.filter { !phones[$0].assumeIsolated { $0.isUsedByApps } }
      let ends = missing.compactMap { number in apps.runs[number]?.end.map { unadvertised(number, $0) } }
      reason = ends.first ?? (apps.isLate ? missing.first.map(late) : nil)
      return missing.isEmpty || reason != nil || isOver
    }
    if let reason { return fail(reason) }
    guard options.launch == .leftForeground, !isOver else { return nil }
    for number in numbers { _ = await phones[number].perform(ControlRequest(.background)) }
    return nil
  }

  /// Checks often, because a phone reports no event for a scan that finds nothing.
  private func wakeOften() {
    apps.look = loop.schedule(after: .milliseconds(50)) { [weak self] in
      self?.assumeIsolated { this in
        // The timer must not be released by its own callback.
        let timer = this.apps.look
        this.wakeOften()
        this.wake()
        withExtendedLifetime(timer) {}
      }
    }
  }

  private func startApp(_ number: Int, on radio: VirtualBus) throws(ChildProcess.Failure) {
    let phone = options.phones[number]
    let ofApp = [(name: AppRuns.phoneVariable, value: phone.name), (LabFolder.appVariable, radio.folder)]
    let variables = settings(of: radio) + ofApp
    // Apps do not share standard output, which belongs to the lab's command.
    let input = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
    defer { close(input) }
    // The loop's thread lives as long as the process.
    let words = LabSupervisor.ending(withThisThreadOf: options.program, ["sh", "-c", phone.command ?? ""])
    let process = try ChildProcess(
      words,
      environment: Dictionary(uniqueKeysWithValues: variables.map { ($0.name, $0.value) }),
      streams: .init(input: input, output: STDERR_FILENO), hasOwnGroup: true)
    apps.runs[number] = AppRuns.Run(process: process)
    apps.runs[number]?.source = loop.watch(process) { [weak self] end in
      self?.assumeIsolated { this in
        this.apps.runs[number]?.end = end
        this.wake()
      }
    }
  }

  /// Ends the apps that are commands; the processes that the phones have started end with their phones.
  func endApps() async {
    let running = apps.runs.values.filter { $0.end == nil }
    guard !running.isEmpty else { return }
    for app in running {
      app.process.send(signal: SIGTERM)
      // The phone may have stopped the app.
      app.process.send(signal: SIGCONT)
    }
    limitApps(to: AppRuns.endTimeout)
    await wait { apps.isLate || apps.runs.values.allSatisfy { $0.end != nil } }
  }

  private func limitApps(to time: Duration) {
    apps.isLate = false
    apps.limit = loop.schedule(after: time) { [weak self] in
      self?.assumeIsolated { this in
        this.apps.isLate = true
        this.wake()
      }
    }
  }

  // MARK: Failures

  private func unadvertised(_ number: Int, _ end: ChildProcess.End) -> String {
    let phone = options.phones[number]
    return switch end {
    case .exited(let status) where status == Self.notFound:
      "\(phone.name): command not found: \(phone.command ?? "")"
    case .exited(let status): "\(phone.name): the app ended with status \(status) before it advertised"
    case .signalled(let signal): "\(phone.name): the app was ended by signal \(signal) before it advertised"
    }
  }

  private func late(_ number: Int) -> String {
    let isConnected = phones[number].assumeIsolated { $0.appCounts.running > 0 }
    let advice =
      isConnected
      ? "it has connected to the phone, and must advertise, scan or connect when its manager is poweredOn"
      : "no app has connected to the phone: the program must create a manager, or connect by AppLink"
    let limit = "\(options.appTimeout.components.seconds) s"
    return "\(options.phones[number].name): the app has not advertised, scanned or connected within \(limit); \(advice)"
  }
}
