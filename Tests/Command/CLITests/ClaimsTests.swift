import BleperaAir
import BleperaAppLink
import BleperaBluetooth
import BleperaController
import BleperaHost
import BleperaLoop
import BleperaPropertyLists
import BleperaRadio
import BleperaRecording
import BleperaRules
import FoundationEssentials
import TestSupport
import Testing

@testable import BleperaCLI
@testable import BleperaLabCLI
@testable import BleperaReport
@testable import BleperaToolsCLI

/// Sentences of the pages that count or sum up, against what they are about.
@Suite struct ClaimsTests {
  @Test func `the page of the rules says how many values are measured, documented, reported and ours`() throws {
    let values = RuleSet.newest.values
    let text = try Self.text("docs/rules.md")
    #expect(text.contains("For iOS 26 the rules have \(RuleSet.count(values.map(\.standing))), that"))
    #expect(text.contains("; \(values.count { !$0.isUsed }) of them are not used yet"))
  }

  @Test func `the page of timers has the table of the code`() throws {
    let rows = ProcedureTimeout.all.map { row in
      let times = [row.phone, row.bluetoothd, row.other].map { time in
        time < .seconds(1) ? "\(Int(time / .milliseconds(1))) ms" : "\(Int(time / .seconds(1))) s"
      }
      return "| " + ([row.name] + times + [row.result, row.source]).joined(separator: " | ") + " |"
    }
    let page = try ProjectFile.text("docs/timers.md").split(separator: "\n").map(String.init)
    #expect(page.filter { $0.hasPrefix("| ") }.dropFirst() == rows[...])
  }

  @Test func `the page of controllers has the table of the code`() throws {
    let page = try ProjectFile.text("docs/controller.md").split(separator: "\n").map(String.init)
    let start = try #require(page.firstIndex(of: "<!-- RadioLimitation.ofControllers -->"))
    let rows = page[(start + 3)...].prefix { $0 != "<!-- end -->" }
    #expect(rows == RadioLimitation.ofControllers.map { "| \($0.iPhone) | \($0.instead) |" }[...])
  }

  @Test(arguments: ["README.md", "docs/rules.md", "CHANGELOG.md"])
  func `there are nineteen rules`(page: String) throws {
    #expect(RuleSet.rules.count == 19)
    #expect(try Self.text(page).contains("nineteen rules"))
  }

  @Test func `the page of the benchmarks has the table of instructions`() throws {
    typealias Costs = [String: [String: [String: Double]]]
    let costs = try JSONDecoder().decode(
      Costs.self, from: Data(ProjectFile.bytes("Benchmarks/Servers/instructions.json")))
    #expect(costs.count == 6)
    for (work, cost) in costs {
      let numbers = ["instructions", "allocations"].flatMap { kind in
        ["phone", "app"].map { Self.grouped(Int((cost[kind]?[$0] ?? 0).rounded())) }
      }
      let row = "| \(work) | \(numbers.joined(separator: " | ")) |"
      #expect(try Self.line(row, of: "Benchmarks/README.md") != nil, "\(row)")
    }
  }

  @Test func `the lab and the guide count the releases of BlueZ and the scenarios`() throws {
    let releases = VirtualBlueZVersion.allCases.map(\.rawValue)
    #expect(releases.count == 3)
    #expect(try Self.text("docs/virtual-bluez.md").contains("`--bluez-version \(releases[1])` of `blepera lab`"))
    #expect(try Self.text("docs/virtual-bluez.md").contains("`--bluez-version \(releases[2])`"))
    #expect(try ProjectFile.names(in: "scenarios").count == 14)
    #expect(try Self.text("docs/guide-tester.md").contains("Fourteen are [shipped]"))
    #expect(try ProjectFile.text("Tests/RealLane/test_scenarios.py").contains("'name', ['bit-collision'])"))
    #expect(try Self.text("docs/scenarios.md").contains("`make lane` plays `bit-collision` so"))
  }

  private static let memory = MemoryBudget()
  private static let limits: [(page: String, claim: String)] = [
    ("SECURITY.md", "| connections to a phone's socket | \(ControlServer.maximumClients) |"),
    ("SECURITY.md", "| a request line | \(mebibytes(ControlServer.maximumInput)) |"),
    ("SECURITY.md", "a connection | \(ControlServer.maximumRequests), or \(mebibytes(ControlServer.maximumInput)) |"),
    ("SECURITY.md", "| replies and messages that a client does not read | \(mebibytes(memory.output.one)) |"),
    ("SECURITY.md", "| events that a watcher does not read | \(mebibytes(memory.events.one)) |"),
    ("SECURITY.md", "| \(mebibytes(memory.input.all)) of unfinished lines and requests that wait;"),
    ("SECURITY.md", "; \(mebibytes(memory.output.all)) unread, of that \(mebibytes(memory.events.all)) with events |"),
    ("SECURITY.md", "| output that nobody reads (a pipe, a terminal) | \(mebibytes(LineOutput.limit)) each"),
    ("SECURITY.md", "| an attribute's value | \(AttributeValue.maximumLength) bytes |"),
    ("SECURITY.md", "| \(mebibytes(ProfileFile.maximumLength)), \(mebibytes(ReportCommand.longestTrace)), 64 MiB |"),
    (
      "docs/applink.md",
      "at most \(mebibytes(ControlServer.maximumInput)) to the phone and \(mebibytes(JSONLine.maximumLength))"
    ),
    ("docs/profiles.md", "reports up to \(grouped(FaultList.limit)) faults at once"),
    ("docs/report.md", "events (the first \(grouped(ReportSource.limit)) of a trace)"),
  ]

  @Test(arguments: limits)
  func `a page names a limit as it is`(page: String, claim: String) throws {
    #expect(try Self.text(page).contains(claim))
  }

  /// `16 MiB`.
  private static func mebibytes(_ count: Int) -> String { "\(count >> 20) MiB" }

  /// `1,000`.
  private static func grouped(_ number: Int) -> String {
    number < 1000 ? "\(number)" : "\(grouped(number / 1000)),\("\(1000 + number % 1000)".dropFirst())"
  }

  private static func line(_ start: String, of file: String) throws -> Substring? {
    try ProjectFile.text(file).split(separator: "\n").first { $0.hasPrefix(start) }
  }

  /// A page without its line breaks.
  private static func text(_ page: String) throws -> String {
    try ProjectFile.text(page).split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
