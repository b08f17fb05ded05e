import BleperaBluetooth
import BleperaRules
import TestSupport
import Testing

@Suite("Defects that are reported of iPhones")
struct PhoneDefectTests {
  @Test("Each has a sentence for its effect, versions, counts and numbered threads", arguments: PhoneDefect.allCases)
  func report(defect: PhoneDefect) {
    let report = defect.report
    #expect(defect.rawValue.wholeMatch(of: /[a-z]+(-[a-z]+)*/) != nil)
    #expect(report.effect.hasSuffix("."))
    for text in [report.versions, report.counts, report.source, report.ours] {
      #expect(text?.isEmpty != true && text?.hasSuffix(".") != true)
    }
    #expect(report.source.contains { $0.isNumber })
  }

  @Test("No version of iOS has one by itself", arguments: IOSVersion.allCases)
  func none(ios: IOSVersion) { #expect(RuleSet(ios).defects.isEmpty) }

  @Test("The page has a row for each, with the same words, and no other row")
  func page() throws {
    let rows = try ProjectFile.text("docs/defects.md").split(separator: "\n").filter { $0.hasPrefix("| `") }
    let expected = PhoneDefect.allCases.map { defect in
      let report = defect.report
      return "| `\(defect.rawValue)` | \(report.effect) | \(report.versions) | \(report.source) |"
    }
    #expect(rows.map(String.init) == expected)
  }

  @Test("A scan of a phone with the defect does not read the overflow area", arguments: [false, true])
  func backgroundLost(hasDefect: Bool) {
    var rules = RuleSet.newest
    if hasDefect { rules.defects = [.backgroundLost] }
    let service = BluetoothUUID("180D")!
    var central = IOSCentral(rules)
    _ = central.handle(.scan(ScanRequest(services: [service])), at: .zero)
    func actions(_ number: Int, _ structure: ADStructure) -> [IOSCentral.Action] {
      let received = ReceivedAdvertisement(AdvertisingData([structure]))
      return central.handle(.received(PeripheralID(rawValue: "C0:00:00:00:00:0\(number)"), received), at: .zero)
    }
    func isDiscovered(_ actions: [IOSCentral.Action]) -> Bool {
      actions.contains { if case .discovered = $0 { true } else { false } }
    }
    #expect(isDiscovered(actions(1, OverflowArea([service]).structure)) == !hasDefect)
    #expect(isDiscovered(actions(2, .serviceUUIDs(UUIDList.lists(of: [service])[0], complete: true))))
  }
}
