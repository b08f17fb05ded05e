import BleperaAir
import BleperaBluetooth
import BleperaHost
import BleperaLoop
import BleperaPhoneLink
import BleperaPropertyLists
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

  @Test(arguments: ["README.md", "docs/rules.md", "CHANGELOG.md"])
  func `there are nineteen rules`(page: String) throws {
    #expect(RuleSet.rules.count == 19)
    #expect(try Self.text(page).contains("nineteen rules"))
  }

  @Test func `few files of Sources have more than 300 lines, and none more than 400`() throws {
    let files = try FileManager.default.subpathsOfDirectory(atPath: "\(ProjectFile.root)/Sources")
    let lengths = try files.filter { $0.hasSuffix(".swift") }
      .map { try ProjectFile.bytes("Sources/\($0)").count { $0 == UInt8(ascii: "\n") } }
    #expect(lengths.count > 300 && lengths.allSatisfy { $0 <= 400 })
    #expect(lengths.count { $0 > 300 } <= 12)
    #expect(lengths.count { $0 > 250 } * 10 < lengths.count)
    let claim = "a dozen files of `Sources` at most have more than 300, none more than 400"
    #expect(try Self.text("CONTRIBUTING.md").contains(claim))
  }

  @Test func `a folder of Sources has about twenty files at most`() throws {
    let files = try FileManager.default.subpathsOfDirectory(atPath: "\(ProjectFile.root)/Sources")
    let folders = files.filter { $0.hasSuffix(".swift") }.map {
      $0.split(separator: "/").dropLast().joined(separator: "/")
    }
    #expect(Dictionary(grouping: folders, by: \.self).values.allSatisfy { $0.count <= 22 })
    #expect(try Self.text("CONTRIBUTING.md").contains("A folder of `Sources` with about twenty files gets subfolders."))
  }

  @Test func `CONTRIBUTING says what make test runs`() throws {
    let row = try #require(try Self.line("| `make test` |", of: "CONTRIBUTING.md"))
    let parts = try ProjectFile.text("Scripts/test").matches(of: /(?:Part|lane)\("([a-z-]+)",/).map { String($0.1) }
    #expect(parts.count == 11)
    let builds = ["unit-build", "second-lane", "unit-real-time"]
    for name in parts where !builds.contains(name) {
      let target = name == "packages-check" ? "packages-test" : name
      #expect(row.contains("`\(target)`"), "\(target)")
    }
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
    #expect(releases.count == 2)
    #expect(try Self.text("docs/virtual-bluez.md").contains("`--bluez-version \(releases[1])` of `blepera lab`"))
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

  /// Claims of earlier pages that are false.
  @Test(arguments: [
    ("README.md", "come from published sources"), ("ARCHITECTURE.md", "no limitations. "),
    ("docs/commands.md", "exactly an iPhone's packets"), ("docs/corebluetooth.md", "unmodified"),
    ("docs/guide-gateway.md", "builds blepera"), ("CONTRIBUTING.md", "never more than 300"),
    ("CONTRIBUTING.md", "commit builds and passes"), ("CONTRIBUTING.md", "everything below up to"),
    ("README.md", "names its source"), ("docs/profiles.md", "all faults at once"),
    ("docs/json.md", "a line for every event"), ("docs/scenarios.md", "plays `killed-overnight`"),
    ("docs/virtual-bluez.md", "are these releases"), ("docs/lab.md", "on the command's bus too"),
  ])
  func `a page claims no more than is so`(page: String, claim: String) throws {
    #expect(try !Self.text(page).contains(claim))
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
