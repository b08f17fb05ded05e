import BleperaAppLink
import BleperaBluetooth
import Testing

@testable import CoreBluetooth

@Suite("The notifications of an app")
struct AppLifecycleTests {
  private static let welcome = PhoneMessage.welcome(version: 1)

  private static func states(_ states: AppState...) -> [PhoneMessage] { states.map { .didChangeState($0) } }

  private static let launched: [AppLifecycle.Notice] = [.didFinishLaunching, .didBecomeActive]

  private static let lives: [(String, messages: [PhoneMessage], notices: [AppLifecycle.Notice])] = [
    ("launched by hand", [welcome] + states(.inactive, .foreground), launched),
    ("launched while the screen is locked", [welcome] + states(.background, .suspended), [.didFinishLaunching]),
    (
      "launched, and in the background before it was active", [welcome] + states(.inactive, .background),
      [.didFinishLaunching, .didEnterBackground]
    ),
    (
      "launched by the system, and opened",
      [welcome] + states(.background, .suspended, .background, .inactive, .foreground),
      [.didFinishLaunching, .willEnterForeground, .didBecomeActive]
    ),
    (
      "suspended from the foreground", [welcome] + states(.inactive, .foreground, .inactive, .suspended),
      launched + [.willResignActive, .didEnterBackground]
    ),
    (
      "inactive for a while", [welcome] + states(.inactive, .foreground, .inactive, .foreground),
      launched + [.willResignActive, .didBecomeActive]
    ),
    (
      "on a phone that replaces a lost one, in the foreground",
      [welcome] + states(.inactive, .foreground) + [welcome] + states(.inactive, .foreground, .inactive, .background),
      launched + [.willResignActive, .didEnterBackground]
    ),
    (
      "on a phone that replaces a lost one, in the background",
      [welcome] + states(.inactive, .foreground, .inactive, .background) + [welcome] + states(.inactive, .background),
      launched + [.willResignActive, .didEnterBackground]
    ),
    ("quit", [welcome] + states(.inactive, .foreground) + [.willTerminate(.forceQuit)], launched + [.willTerminate]),
  ]

  @Test("are those of its transitions", arguments: lives)
  private func notices(_ life: String, messages: [PhoneMessage], notices: [AppLifecycle.Notice]) {
    var lifecycle = AppLifecycle()
    #expect(messages.flatMap { lifecycle.receive($0) } == notices)
  }
}
