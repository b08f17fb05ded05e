import BleperaBluetooth
import Testing

@Suite("What iOS ends an app for")
struct AppIdentityTests {
  private static let texts: [(ManagerID.Role, String)] = [
    (
      .central,
      "State restoration of CBCentralManager is only allowed for applications that have specified the "
        + "\"bluetooth-central\" background mode"
    ),
    (
      .peripheral,
      "State restoration of CBPeripheralManager is only allowed for applications that have specified the "
        + "\"bluetooth-peripheral\" background mode"
    ),
  ]

  @Test("A restoration identifier without the background mode of the role", arguments: texts)
  func restoration(role: ManagerID.Role, text: String) {
    for mode in ManagerID.Role.allCases {
      let identity = AppIdentity(bundleIdentifier: "a", name: "a", backgroundModes: [mode.backgroundMode])
      #expect(identity.exception(creating: ManagerID(role, .restorable("key"))) == (mode == role ? nil : text))
      #expect(identity.exception(creating: ManagerID(role, .number(0))) == nil)
    }
  }

  @Test("An app is notified of its end where the user quits it while it runs", arguments: TerminationCause.allCases)
  func announced(cause: TerminationCause) {
    let states = AppState.allCases.filter { cause.isAnnounced(to: $0) }
    #expect(states == (cause == .forceQuit ? [.inactive, .foreground, .background] : []))
  }
}
