package import BleperaBluetooth

/// R19: an app without `bluetooth-central` is not woken; the user sees the requested alert, and may open the app.
extension ConnectOptions {
  /// Whether the app has asked for an alert of such an event of the peripheral.
  package func asksForAlert(_ kind: NoticeKind) -> Bool {
    switch kind {
    case .connection: notifiesOnConnection
    case .disconnection: notifiesOnDisconnection
    case .notification: notifiesOnNotification
    case .subscribe, .unsubscribe, .callback, .discovery, .response, .change, .connectionEvent, .power: false
    }
  }
}

extension Policy {
  /// The app whose alert the user sees, among the apps that have asked for one: the app that entered the foreground
  /// last, if it is suspended and the event does not wake it.
  package func alertedApp(of ids: [AppID]) -> AppID? {
    let running = ids.compactMap(app).filter { $0.termination == nil }
    let latest = running.max { ($0.foregroundEntry ?? .zero, $0.id) < ($1.foregroundEntry ?? .zero, $1.id) }
    guard let latest, latest.phase == .suspended, !latest.identity.hasCentralBackgroundMode else { return nil }
    return latest.id
  }
}
