package import AppLink
import FoundationEssentials
package import Glibc
package import Policy

/// Apps that come and go.
extension System {
  /// Serves an app until its link closes. An app that the system keeps outlives that.
  ///
  /// - Parameters:
  ///   - mode: how it is launched, whatever it says itself.
  ///   - peer: its process; nil where it is this one.
  package func attach(
    _ link: any AppLinkEnd<SystemMessage, AppMessage>, into mode: LaunchMode? = nil, peer: pid_t? = nil
  ) async {
    lastSession += 1
    let session = lastSession
    var app: AppID?
    for await message in link.incoming {
      guard let id = app else {
        app = greet(message, link, session, mode, peer)
        if app == nil { return link.close() }
        continue
      }
      guard apps[id]?.session == session else { return link.close() }
      handle(message, from: id)
    }
    guard let app, apps[app]?.session == session, apps[app]?.link != nil, !isShutDown else { return }
    // Killed or crashed: the system cannot tell.
    apps[app]?.link = nil
    feed(.ended(app, .crash))
  }

  /// The user's force quit, or the system's choice: the app is told, and its link closed.
  func terminate(_ id: AppID, _ cause: TerminationCause) {
    report(.terminated(app: identifier(id), cause), of: id)
    guard let link = apps[id]?.link else { return }
    apps[id]?.link = nil
    link.send(.willTerminate(TerminationReason(cause)))
    link.close()
  }

  /// Forgets an app, and takes back what it published.
  func forget(_ id: AppID) {
    guard let app = apps[id] else { return }
    if let process = app.relaunching { launcher?.end(process) }
    for service in app.serviceIDs { removeService(service, of: id) }
    awaiting.forget(id)
    waiting = waiting.filter { $0.value.app != id }
    report(.ended(app: app.identity.bundleIdentifier), of: id)
    apps[id] = nil
    preserve()
  }

  // MARK: Launching

  /// Takes an app that says who it is; nil where it is refused.
  private func greet(
    _ message: AppMessage, _ link: any AppLinkEnd<SystemMessage, AppMessage>, _ session: Int, _ mode: LaunchMode?,
    _ peer: pid_t?
  ) -> AppID? {
    func refuse(_ reason: String) -> AppID? {
      link.send(.refused(reason: reason))
      return nil
    }
    guard case .hello(let version, let identity, let intent, let process) = message else {
      return refuse("the first message has to be hello")
    }
    guard version == appLinkVersion else {
      return refuse("this system speaks version \(appLinkVersion) of AppLink, the app version \(version)")
    }
    guard !isShutDown else { return refuse("the phone is being shut down") }
    if let refusal = refusal(of: identity) { return refuse(refusal) }
    let former = apps.first { $0.value.identity.bundleIdentifier == identity.bundleIdentifier }?.key
    let isRelaunched = former.map { apps[$0]?.relaunching != nil && apps[$0]?.relaunching == peer } ?? false
    // An update of the app without the identifier that it had has nothing to restore.
    if let former, apps[former]?.identity.restoreIdentifier != identity.restoreIdentifier {
      feed(.ended(former, .forceQuit))
    }
    let id = former.flatMap { apps[$0] == nil ? nil : $0 } ?? nextApp()
    let isGone = apps[id] != nil
    if isGone {
      apps[id]?.link = link
      apps[id]?.session = session
      apps[id]?.identity = identity
    } else {
      apps[id] = AppRecord(link: link, session: session, identity: identity, since: today)
    }
    apps[id]?.process = process
    apps[id]?.ended = nil
    if let waste = apps[id]?.relaunching, !isRelaunched { launcher?.end(waste) }
    apps[id]?.relaunching = nil
    preserve()
    link.send(.welcome(version: appLinkVersion))
    let asked = isRelaunched ? LaunchMode.relaunched : mode ?? LaunchMode(intent ?? .foreground, isGone: isGone)
    feed(.launched(id, AppDescription(identity), into: asked))
    // Where it is restored it has heard that already (R9).
    if !isGone, state != .unknown { notify(id, .didUpdateState(state)) }
    return id
  }

  private func nextApp() -> AppID {
    lastApp += 1
    return AppID(rawValue: lastApp)
  }

  /// Why an app cannot run here; nil where it can.
  private func refusal(of identity: AppIdentity) -> String? {
    if let running = apps.values.first(where: {
      $0.link != nil && $0.identity.bundleIdentifier == identity.bundleIdentifier
    }) {
      return "the app \(running.identity.bundleIdentifier) runs already; quit it with 'blepera quit --app' first"
    }
    guard let restore = identity.restoreIdentifier,
      let other = apps.values.first(where: {
        $0.identity.restoreIdentifier == restore && $0.identity.bundleIdentifier != identity.bundleIdentifier
      })
    else { return nil }
    let name = other.identity.bundleIdentifier
    return "the restoration identifier '\(restore)' is that of the app \(name), which "
      + (other.link == nil ? "is preserved; forget it with 'blepera preserved forget \(name)'" : "runs")
  }

  /// Starts the app's process again.
  func relaunch(_ id: AppID, _ reason: StateReason) {
    guard let app = apps[id], let launcher else { return feed(.relaunchFailed(id)) }
    if let waste = app.relaunching { launcher.end(waste) }
    report(.relaunching(app: app.identity.bundleIdentifier, reason), of: id)
    do throws(LaunchFailure) {
      let session = app.session
      apps[id]?.relaunching = try launcher.launch(app.identity, app.process) { [weak self] what in
        self?.assumeIsolated { $0.processEnded(id, session, what) }
      }
    } catch {
      relaunchFailed(id, error.reason)
    }
  }

  /// What ended before it said who it is has failed; what has linked itself to the system is heard of by its link.
  private func processEnded(_ id: AppID, _ session: Int, _ what: String) {
    guard let app = apps[id], app.session == session, app.link == nil else { return }
    apps[id]?.relaunching = nil
    relaunchFailed(id, "the process \(what) before it said anything")
  }

  private func relaunchFailed(_ id: AppID, _ reason: String) {
    report(.relaunchFailed(app: identifier(id), reason: reason), of: id)
    feed(.relaunchFailed(id))
  }

  // MARK: What apps ask for

  private func handle(_ message: AppMessage, from id: AppID) {
    guard let app = apps[id] else { return }
    switch message {
    case .hello: break
    case .addService(let service, let definition): addService(service, definition, of: id)
    case .removeService(let service):
      removeService(service, of: id)
      preserve()
    case .removeAllServices:
      for service in app.serviceIDs { removeService(service, of: id) }
      preserve()
    case .startAdvertising(let request): startAdvertising(request, of: id)
    case .stopAdvertising:
      feed(.stopAdvertising(id))
      preserve()
    case .updateValue(let characteristic, let value, _): update(characteristic, value, of: id)
    case .respond(let request, let error, let value): respond(to: request, error, value, from: id)
    }
  }
}

extension LaunchMode {
  fileprivate init(_ intent: LaunchIntent, isGone: Bool) {
    switch intent {
    case .foreground: self = .foreground
    case .leftForeground: self = .leftForeground
    case .background: self = isGone ? .relaunched : .leftForeground
    }
  }
}

extension TerminationReason {
  fileprivate init(_ cause: TerminationCause) {
    switch cause {
    case .forceQuit: self = .forceQuit
    case .memoryPressure, .crash: self = .memoryPressure
    case .exceededLimits: self = .exceededLimits
    case .reboot: self = .reboot
    }
  }
}
