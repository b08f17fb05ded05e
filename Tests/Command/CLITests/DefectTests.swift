import ArgumentParser
import BleperaAppLink
import BleperaBluetooth
import BleperaPhone
import BleperaRules
import Testing

@testable import BleperaCLI
@testable import BleperaCommands

@Suite struct DefectTests {
  @Test func `the list has each defect, its facts in a column of their own and no line beyond the terminal`() {
    let lines = DefectsReport().lines(for: .plain)
    #expect(lines.filter { !$0.isEmpty && !$0.hasPrefix(" ") } == PhoneDefect.allCases.map(\.rawValue))
    let facts = lines.filter { $0.hasPrefix("  ") && $0.dropFirst(2).first != " " }.map { String($0.prefix(10)) }
    #expect(facts.prefix(5) == ["  effect  ", "  iOS     ", "  seen    ", "  source  ", "  ours    "])
    #expect(
      lines.count { $0 == "  radio   virtual only" } == 2 && lines.count { $0 == "  radio   not over BlueZ" } == 1)
    #expect(lines.allSatisfy { $0.count <= 120 })
  }

  @Test func `the list as JSON has the same defects`() {
    let json = DefectsReport().json
    for defect in PhoneDefect.allCases {
      #expect(json.contains(#""name":"\#(defect.rawValue)""#))
      #expect(json.contains(#""versions":"\#(defect.report.versions)","#))
    }
  }

  @Test(arguments: [("on", true), ("off", false)])
  func `the command sends a request to the phone`(state: String, isOn: Bool) throws {
    let command = try #require(try Blepera.parseAsRoot(["defect", "reconnect-gap", state]) as? DefectCommand)
    #expect(command.request == ControlRequest(.defect, defect: .reconnectGap, isOn: isOn))
  }

  @Test func `a phone starts with the defects of its options, which its trace has too`() throws {
    let words = ["--defect", "write-stall", "--defect", "silent-ready", "--defect", "write-stall"]
    let options = try EmulationOptions.parse(words)
    #expect(options.phone.rules.defects == [.writeStall, .silentReady])
    #expect(options.options.map(\.text).suffix(2) == ["--defect silent-ready", "--defect write-stall"])
    try options.refuseVirtual()
    #expect(throws: (any Error).self) { try EmulationOptions.parse(["--defect", "parameter-storm"]).refuseVirtual() }
  }

  @Test func `the state of a phone has a line for each defect`() {
    let status = PhoneStatus(
      ios: 26, adapter: nil, radio: .noDaemon, screenLocked: false, apps: [], air: PhoneStatus.Air(), subscribers: [],
      defects: ["write-stall"], warnings: [])
    #expect(
      StatusText(terminal: .plain).lines(status).last == "defect      write-stall; 'blepera defects' has its source")
  }
}
