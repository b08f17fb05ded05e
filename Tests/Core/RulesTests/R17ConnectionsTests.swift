import BleperaBluetooth
import BleperaRules
import Testing

@Suite("R17: connections")
struct R17ConnectionsTests {
  @Test("The phone listens less for pending connections while it sleeps", arguments: IOSVersion.allCases)
  func listening(version: IOSVersion) {
    let rules = RuleSet(version)
    #expect("\(rules.connectionTiming(isScreenOn: true))" == "30 ms of 300 ms")
    #expect("\(rules.connectionTiming(isScreenOn: false))" == "12.5 ms of 300 ms")
  }

  @Test(
    "A peripheral may be forgotten whose address changes, and that has no bond",
    arguments: [
      ("40:11:22:33:44:55", false, true), ("7F:11:22:33:44:55", false, true), ("40:11:22:33:44:55", true, false),
      ("C0:11:22:33:44:55", false, false), ("00:1A:7D:DA:71:13", false, false), ("3F:11:22:33:44:55", false, false),
    ])
  func forgetting(address: String, isBonded: Bool, isForgotten: Bool) {
    #expect(RuleSet.mayForget(PeripheralID(rawValue: address), isBonded: isBonded) == isForgotten)
  }
}
