import BleperaAppLink
import BleperaBluetooth
import BleperaLoop
import BleperaRules

/// Launches by the user, who taps the app's icon.
extension EmulatedPhone {
  /// The apps that do not run: those that are preserved, and those that were quit.
  var endedApps: [EndedApp] {
    launches.ended(
      apps.values.filter { $0.isTerminated && $0.launching == nil }
        .map { EndedApp(identity: $0.identity, process: $0.process) })
  }

  /// How long `launch` waits for `hello`; less than a client waits for a reply.
  private static let launchTimeout = Duration.seconds(10)

  /// Launches apps, and returns when each has sent `hello`. An app that runs is moved to the foreground.
  func launch(_ request: ControlRequest) async -> ControlReply {
    guard !policy.isScreenLocked else {
      return ControlReply(error: "the screen is locked; apps can be launched after 'blepera unlock'.")
    }
    let running = apps.ids.filter { id in
      apps[id].map { $0.isRunning && $0.identity.matches(request.app) } ?? false
    }
    let ended = endedApps.filter { $0.identity.matches(request.app) }
    guard !running.isEmpty || !ended.isEmpty else {
      let known = (apps.values.map(\.identity) + launches.quit.map(\.identity)).map(\.bundleIdentifier).sorted()
      return ControlReply(
        error: """
          no app to launch\(request.app.map { ": '\($0)'" } ?? ""). Known apps: \
          \(known.isEmpty ? "none" : known.joined(separator: ", ")); 'blepera serve FILE' starts another.
          """)
    }
    feed(running.map { .toForeground($0) })
    let (results, outcomes) = AsyncStream<String?>.makeStream()
    var timers: [any LoopTimer] = []
    for app in ended {
      let name = app.identity.bundleIdentifier
      guard let launcher else { return ControlReply(error: "\(name) can be launched by its user only.") }
      launches.begin(name, outcomes)
      do throws(LaunchFailure) {
        _ = try launcher.launch(app.identity, app.process, byUser: true) { [weak self] what in
          self?.assumeIsolated { $0.launchedProcessEnded(name, what) }
        }
      } catch {
        _ = launches.fail(name, error.reason)
      }
      timers.append(
        loop.schedule(after: Self.launchTimeout) { [weak self] in
          self?.assumeIsolated { $0.launches.answer(name, "has not sent hello in \(Self.launchTimeout)") }
        })
    }
    var failures: [String] = []
    for await failure in results.prefix(ended.count) { if let failure { failures.append(failure) } }
    for timer in timers { timer.cancel() }
    return failures.isEmpty ? .done : ControlReply(error: failures.joined(separator: " "))
  }

  /// Reports a launch that failed because the process ended before it sent `hello`.
  private func launchedProcessEnded(_ app: String, _ what: String) {
    let reason = "the process \(what) before it sent hello"
    guard launches.fail(app, reason) else { return }
    report(.relaunchFailed(app: app, reason: reason))
  }
}
