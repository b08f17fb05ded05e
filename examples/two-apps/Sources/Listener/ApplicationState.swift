import CoreBluetooth
import Synchronization

/// Whether the app is active, by the notifications of UIKit. With UIKit, `UIApplication.shared.applicationState` says so.
public final class ApplicationState: Sendable {
  private let isActive = Mutex(false)

  public init() {
    for (event, value) in [("DidBecomeActive", true), ("DidEnterBackground", false)] {
      let name = Notification.Name("UIApplication\(event)Notification")
      _ = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { [weak self] _ in
        self?.isActive.withLock { $0 = value }
      }
    }
  }

  public var text: String { isActive.withLock { $0 } ? "active" : "background" }
}
