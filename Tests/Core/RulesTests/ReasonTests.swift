import BleperaBluetooth
import BleperaRules
import Testing

@Suite("Why fields are not advertised as requested")
struct ReasonTests {
  private static func text(_ reasons: [PlanReason]) -> [String] {
    reasons.map { "\(TraceWord.text($0.app)) \($0)" }
  }

  @Test("Every field that was moved, shortened or dropped has its reason", arguments: table) func reasons(air: Air) {
    #expect(Self.text(air.plan.reasons) == air.expected.split(separator: "\n").map(String.init))
  }

  private static let table: [Air] = [
    Air("everything is advertised as requested", "a foreground backgroundMode Fred 180D", ""),
    Air(
      "a UUID that does not fit", "a foreground backgroundMode LightBlue L1 L2",
      """
      a \(TraceWord.uuid("L2")): in the overflow area, bit 18 (R1)
      a "LightBlue": shortened to "LightBlu" (R1)
      """),
    Air(
      "a name that moves to the scan response",
      "a foreground backgroundMode 01234567 1801 1802 1803 1804 1805 1806 1807 1808 1809 180B 180C 180D 180E",
      """
      a "01234567": in the scan response (R1)
      """),
    Air(
      "an app in the background", "a suspended backgroundMode Fred 180D 180F",
      """
      a 180D: in the overflow area, bit 61 (R2)
      a 180F: in the overflow area, bit 115 (R2)
      a "Fred": not advertised (R2)
      """),
    Air(
      "an app without the background mode in the background", "a background foregroundOnly Fred 180D",
      """
      a 180D: not advertised (R4)
      a "Fred": not advertised (R4)
      """),
    Air(
      "two foreground apps: the first has priority, and a field that would not fit alone is not blamed on the other app",
      """
      a foreground backgroundMode Fred L1
      b foreground backgroundMode Ada L2 L3 180D 180D
      c foreground foregroundOnly - 180D
      """,
      """
      b \(TraceWord.uuid("L2")): in the overflow area, bit 18 (R11)
      b \(TraceWord.uuid("L3")): in the overflow area, bit 27 (R1)
      b 180D: advertised once (R1)
      b "Ada": not advertised (R11)
      c 180D: advertised once (R11)
      """),
    Air(
      "a name that is shortened because of another app's UUIDs",
      """
      a foreground backgroundMode - L1
      b foreground backgroundMode 0123456789
      """,
      """
      b "0123456789": shortened to "01234567" (R11)
      """),
    Air(
      "a service of a foreground and a background app is advertised and has its bit",
      """
      a foreground backgroundMode - 180D
      b background backgroundMode - 180D
      """,
      """
      b 180D: in the overflow area, bit 61 (R2)
      """),
  ]

  @Test("Withheld fields are reported") func withheld() {
    let requested = AdvertisementData(localName: "Ada", serviceUUIDs: [TraceWord.uuid("180F"), TraceWord.uuid("180D")])
    let effective = AdvertisementData(localName: "Fred", serviceUUIDs: [TraceWord.uuid("180D")])
    let advertiser = Advertiser(
      app: TraceWord.app("a"), state: .background, hasBackgroundMode: true, requested: requested, effective: effective)
    let plan = AdvertisementPlanner.plan([advertiser], rules: .newest)
    #expect(
      Self.text(plan.reasons) == [
        "a 180F: not before the next foreground (R12)", "a \"Ada\": not before the next foreground (R12)",
        "a 180D: in the overflow area, bit 61 (R2)",
        "a \"Fred\": not advertised (R2)",
      ])
    #expect(plan.overflowArea.bits == [61])
  }

  @Test("Between a reboot and the first unlock R15 is the reason for every field") func firstUnlock() {
    let plan = AdvertisementPlanner.plan(
      Air.advertisers("a notRunning backgroundMode - 180D\nb background foregroundOnly Fred"), rules: .newest,
      radio: .beforeFirstUnlock)
    #expect(Self.text(plan.reasons) == ["a 180D: not advertised (R15)", "b \"Fred\": not advertised (R15)"])
    #expect(plan.phone == nil)
  }

  @Test("While the radio is off R14 is the reason for every field") func powerOff() {
    let advertisers = Air.advertisers("a foreground backgroundMode Fred 180D\nb background backgroundMode - 180F")
    let plan = AdvertisementPlanner.plan(advertisers, rules: .newest, radio: .off)
    #expect(
      Self.text(plan.reasons) == [
        "a 180D: not advertised (R14)", "a \"Fred\": not advertised (R14)", "b 180F: not advertised (R14)",
      ])
    #expect(plan.phone == nil)
    #expect(plan.intervalKind == nil)
  }
}
