package import BleperaAppLink
package import BleperaBluetooth
import BleperaLoop
import BleperaRules
package import Glibc

/// The links of apps, and what comes over them.
extension EmulatedPhone {
  /// Serves an app until its link closes. An app whose state is preserved stays known.
  ///
  /// - Parameters:
  ///   - mode: overrides the launch mode that the app states.
  ///   - peer: the app's process; nil for this process.
  package func attach(
    _ link: any AppLinkEnd<PhoneMessage, AppMessage>, into mode: LaunchMode? = nil, peer: pid_t? = nil
  ) {
    let connection = AppConnection(link: link, session: apps.addLink(), mode: mode, peer: peer)
    link.receive(on: loop) { [weak self] message in
      guard let self else { return link.close() }
      assumeIsolated { phone in
        guard let message else { return phone.linkEnded(connection.session) }
        if !phone.receive(message, over: connection) { link.close() }
      }
    }
  }

  /// Returns false where the link has to be closed.
  private func receive(_ message: AppMessage, over connection: AppConnection) -> Bool {
    guard let known = apps.app(ofLink: connection.session) else {
      let app = launched(message, over: connection)
      apps.setApp(app, ofLink: connection.session)
      return app != nil
    }
    guard let id = known, let record = apps[id], record.session == connection.session else { return false }
    return receive(message, from: id, record)
  }

  private func linkEnded(_ session: Int) {
    guard let app = apps.removeLink(session), let record = apps[app], let link = record.link, !isShutDown else {
      return
    }
    // Requests that an app was killed before it has read arrive after its end, as far as it is concerned.
    let unread = record.sentRequests.suffix(link.unreceivedMessages).compactMap(\.self)
    let returned = requests.take(unread, of: app)
    // The app was killed or has crashed: the phone cannot distinguish these.
    record.end()
    feed(.terminated(app, .crash))
    for (event, request) in returned {
      // A manager that is not preserved has taken its services with it, as `removeService` does.
      if let record = apps[app], !record.keeps(request.manager) {
        finish(request, .failure(.requestNotSupported), rule: nil)
        continue
      }
      requests.putBack(event, request)
      feed(.request(app, event, request.kind, manager: request.manager))
    }
  }

  /// Handles a message of an app in this process at once, as if it had come over the app's link.
  package func receive(_ message: AppMessage, of bundleIdentifier: String) {
    guard let id = apps.id(of: bundleIdentifier), let record = apps[id], let link = record.link else { return }
    if !receive(message, from: id, record) { link.close() }
  }

  /// Handles a message, or holds it: a suspended app does not run, and what it has sent takes effect when it runs
  /// again. Returns false for too many messages.
  private func receive(_ message: AppMessage, from id: AppID, _ record: AppRecord) -> Bool {
    let isSuspended = policy.state(of: id) == .suspended
    if isSuspended || record.holdsMessages { return record.hold(message) }
    handle(message, from: id)
    return true
  }
}
