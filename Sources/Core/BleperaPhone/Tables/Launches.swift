import BleperaBluetooth

/// An app that has been on the phone since the phone's start and does not run.
struct EndedApp {
  let identity: AppIdentity
  let process: LaunchDescription?
}

/// The apps that were quit, which the user can launch, and the apps whose launch is in progress.
struct Launches {
  /// The maximum number of apps in `quit`; the app that ended first is forgotten.
  static let limit = 64

  /// The apps that are no longer on the phone, in the order in which they ended.
  private(set) var quit: [EndedApp] = []
  /// The apps that the user has launched and that have not sent `hello` yet, each with the request that waits.
  private var launched: [String: Outcomes] = [:]

  /// Receives nil for an app that has sent `hello`, else why the app does not run.
  typealias Outcomes = AsyncStream<String?>.Continuation

  /// Remembers an app that is removed.
  mutating func add(_ app: EndedApp) {
    quit.removeAll { $0.identity.bundleIdentifier == app.identity.bundleIdentifier }
    quit.append(app)
    if quit.count > Self.limit { quit.removeFirst() }
  }

  /// The apps that do not run, of those that are preserved and those that were quit.
  func ended(_ preserved: [EndedApp]) -> [EndedApp] {
    (preserved + quit).filter { launched[$0.identity.bundleIdentifier] == nil }
      .sorted { $0.identity.bundleIdentifier < $1.identity.bundleIdentifier }
  }

  mutating func begin(_ app: String, _ outcomes: Outcomes) { launched[app] = outcomes }

  /// The launch has failed; false where the app has sent `hello`.
  mutating func fail(_ app: String, _ reason: String) -> Bool {
    launched.removeValue(forKey: app)?.yield("\(app) was not launched: \(reason).") != nil
  }

  mutating func failAll(_ reason: String) { for app in launched.keys.sorted() { _ = fail(app, reason) } }

  /// The app has sent `hello`.
  mutating func end(_ app: String) {
    launched.removeValue(forKey: app)?.yield(nil)
    quit.removeAll { $0.identity.bundleIdentifier == app }
  }

  /// Answers the request of an app that is slow; the launch continues.
  func answer(_ app: String, _ reason: String) { launched[app]?.yield("\(app) \(reason).") }
}
