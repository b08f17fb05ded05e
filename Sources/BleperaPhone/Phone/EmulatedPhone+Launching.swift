import BleperaAppLink
import BleperaBluetooth
import BleperaRules

/// An app that has been on the phone since the phone's start and does not run.
struct EndedApp {
  let identity: AppIdentity
  let process: LaunchDescription?
}

/// Launches by the user, who taps the app's icon.
extension EmulatedPhone {
  /// How many apps that are no longer on the phone it can launch; the one that ended first is forgotten.
  private static let mostQuitApps = 64

  /// The apps that do not run: those that are preserved, and those that were quit.
  var endedApps: [EndedApp] {
    let preserved = apps.values.filter { $0.link == nil && $0.relaunching == nil }
      .map { EndedApp(identity: $0.identity, process: $0.process) }
    return (preserved + quitApps).filter { !launchedApps.contains($0.identity.bundleIdentifier) }
      .sorted { $0.identity.bundleIdentifier < $1.identity.bundleIdentifier }
  }

  /// Remembers an app that is removed, so that the user can launch it.
  func rememberQuit(_ app: AppRecord) {
    quitApps.removeAll { $0.identity.bundleIdentifier == app.identity.bundleIdentifier }
    quitApps.append(EndedApp(identity: app.identity, process: app.process))
    if quitApps.count > Self.mostQuitApps { quitApps.removeFirst() }
  }

  /// An app that runs is moved to the foreground.
  func launch(_ request: ControlRequest) -> ControlReply {
    guard !policy.isScreenLocked else {
      return ControlReply(error: "the screen is locked; apps can be launched after 'blepera unlock'.")
    }
    let running = apps.ids.filter { id in
      apps[id].map { $0.link != nil && $0.identity.isMeant(by: request.app) } ?? false
    }
    let ended = endedApps.filter { $0.identity.isMeant(by: request.app) }
    guard !running.isEmpty || !ended.isEmpty else {
      let known = (apps.values.map(\.identity) + quitApps.map(\.identity)).map(\.bundleIdentifier).sorted()
      return ControlReply(
        error: """
          no app to launch\(request.app.map { ": '\($0)'" } ?? ""). Known apps: \
          \(known.isEmpty ? "none" : known.joined(separator: ", ")); 'blepera serve FILE' starts another.
          """)
    }
    feed(running.map { .toForeground($0) })
    for app in ended {
      let name = app.identity.bundleIdentifier
      guard let launcher else { return ControlReply(error: "\(name) can be launched by hand only.") }
      launchedApps.insert(name)
      do throws(LaunchFailure) {
        _ = try launcher.launch(app.identity, app.process, byUser: true) { [weak self] what in
          self?.assumeIsolated { $0.launchedProcessEnded(name, what) }
        }
      } catch {
        launchedApps.remove(name)
        return ControlReply(error: "\(name) cannot be launched: \(error.reason).")
      }
    }
    return .done
  }

  /// Reports a launch that failed because the process ended before it sent `hello`.
  private func launchedProcessEnded(_ app: String, _ what: String) {
    guard launchedApps.remove(app) != nil else { return }
    report(.relaunchFailed(app: app, reason: "the process \(what) before it said hello"))
  }
}
