import BleperaAppLink
import BleperaBluetooth

/// The notifications of `UIApplication`, derived from the messages of the phone: the app's launch and its transitions.
/// Neither a wake nor a launch into the background is a transition (openradar 14295449; jigarm, "Delegate methods
/// called when opening app", iOS 10).
struct AppLifecycle {
  /// The names of the notifications.
  enum Notice: String {
    case didFinishLaunching = "UIApplicationDidFinishLaunchingNotification"
    case didBecomeActive = "UIApplicationDidBecomeActiveNotification"
    case willResignActive = "UIApplicationWillResignActiveNotification"
    case didEnterBackground = "UIApplicationDidEnterBackgroundNotification"
    case willEnterForeground = "UIApplicationWillEnterForegroundNotification"
    case willTerminate = "UIApplicationWillTerminateNotification"
  }

  /// The app's state; nil before the phone has sent a state.
  private(set) var state: ProcessInfo.ApplicationState?
  /// Whether a phone that replaces a lost one has yet to send the app's state; nil before the first phone's welcome.
  /// For the new phone the app is inactive at first, which the app does not notice.
  private var isJoining: Bool?

  /// Handles a message, and returns what to post.
  mutating func receive(_ message: PhoneMessage) -> [Notice] {
    switch message {
    case .welcome:
      defer { isJoining = isJoining != nil }
      return isJoining == nil ? [.didFinishLaunching] : []
    case .didChangeState(let new):
      guard let new = ProcessInfo.ApplicationState(new), isJoining != true || new != .inactive else { return [] }
      isJoining = false
      defer { state = new }
      return notices(to: new)
    case .willTerminate: return [.willTerminate]
    case .refused, .peripheral, .central: return []
    }
  }

  private func notices(to new: ProcessInfo.ApplicationState) -> [Notice] {
    switch (state, new) {
    case (.inactive, .active), (nil, .active): [.didBecomeActive]
    case (.active, .inactive): [.willResignActive]
    case (.inactive, .background): [.didEnterBackground]
    case (.active, .background): [.willResignActive, .didEnterBackground]
    case (.background, .inactive): [.willEnterForeground]
    case (.background, .active): [.willEnterForeground, .didBecomeActive]
    case (nil, .inactive), (nil, .background), (.active, .active), (.inactive, .inactive), (.background, .background):
      []
    }
  }
}

extension ProcessInfo {
  /// The app's state, as `UIApplication.State` on iOS.
  public enum ApplicationState: Int, Sendable {
    /// In the foreground.
    case active
    /// Launched, or between the foreground and the background.
    case inactive
    /// In the background, also where the system has launched the app.
    case background

    fileprivate init?(_ state: AppState) {
      switch state {
      case .foreground: self = .active
      case .inactive: self = .inactive
      case .background, .suspended: self = .background
      case .notRunning: return nil
      }
    }
  }
}
