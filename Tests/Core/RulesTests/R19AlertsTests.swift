import BleperaBluetooth
import BleperaRules
import Testing

@Suite("R19: alerts")
struct R19AlertsTests {
  @Test("Each option asks for alerts of its events alone")
  func options() {
    var (connection, disconnection, notification) = (ConnectOptions(), ConnectOptions(), ConnectOptions())
    connection.notifiesOnConnection = true
    disconnection.notifiesOnDisconnection = true
    notification.notifiesOnNotification = true
    for (options, kind) in [
      (connection, NoticeKind.connection), (disconnection, .disconnection), (notification, .notification),
    ] {
      #expect(NoticeKind.allCases.filter { options.asksForAlert($0) } == [kind])
    }
    #expect(!NoticeKind.allCases.contains { ConnectOptions().asksForAlert($0) })
  }

  private static let ids = (1...3).map { AppID(rawValue: $0) }

  /// Three apps, opened in their order and suspended.
  private static func policy(isCentral: Bool = false) -> Policy {
    var policy = Policy(rules: .newest)
    for (index, id) in ids.enumerated() {
      let app = AppIdentity(name: "\(index)", hasBackgroundMode: false, isCentral: isCentral, isRestorable: true)
      _ = policy.launch(id, app, at: .seconds(index))
    }
    for id in ids { _ = policy.handle(.suspend(id), at: .seconds(3)) }
    return policy
  }

  @Test(
    "The app that asked and was in the foreground last is shown, if it is suspended",
    arguments: [
      ([0], [], 0), ([0, 1], [], 1), ([], [], nil), ([0, 1], [.toForeground(ids[0]), .suspend(ids[0])], 0),
      ([0, 2], [.toForeground(ids[2])], nil), ([0, 1], [.toForeground(ids[2])], 1),
      ([0, 1], [.terminated(ids[1], .memoryPressure)], 0),
    ] as [([Int], [Policy.Event], Int?)])
  func alerted(asking: [Int], events: [Policy.Event], expected: Int?) {
    var policy = Self.policy()
    for event in events { _ = policy.handle(event, at: .seconds(4)) }
    #expect(policy.alertedApp(of: asking.map { Self.ids[$0] }) == expected.map { Self.ids[$0] })
  }

  @Test("An app that the event wakes has no alert") func woken() {
    #expect(Self.policy(isCentral: true).alertedApp(of: Self.ids) == nil)
  }
}
