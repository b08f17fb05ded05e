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
  /// The apps that the user has launched and that have not sent `hello` yet.
  private var launched: Set<String> = []

  /// Remembers an app that is removed.
  mutating func add(_ app: EndedApp) {
    quit.removeAll { $0.identity.bundleIdentifier == app.identity.bundleIdentifier }
    quit.append(app)
    if quit.count > Self.limit { quit.removeFirst() }
  }

  /// The apps that do not run, of those that are preserved and those that were quit.
  func ended(_ preserved: [EndedApp]) -> [EndedApp] {
    (preserved + quit).filter { !launched.contains($0.identity.bundleIdentifier) }
      .sorted { $0.identity.bundleIdentifier < $1.identity.bundleIdentifier }
  }

  mutating func begin(_ app: String) { launched.insert(app) }

  /// The launch has failed; false where the app has sent `hello`.
  mutating func fail(_ app: String) -> Bool { launched.remove(app) != nil }

  /// The app has sent `hello`.
  mutating func end(_ app: String) {
    launched.remove(app)
    quit.removeAll { $0.identity.bundleIdentifier == app }
  }
}
