import ArgumentParser
import BleperaBluetooth
import BleperaRules
import FoundationEssentials
import TestSupport
import Testing

@testable import BleperaCLI
@testable import BleperaCommands

@Suite struct RulesTests {
  /// The report of a whole command line behind `blepera rules`.
  static func report(_ words: String) throws -> RulesReport {
    let words = words.split(separator: " ").map(String.init)
    return try #require(try Blepera.parseAsRoot(["rules"] + words) as? RulesCommand).report
  }

  @Test(
    arguments: [
      ("", .ios26), ("--ios 11", .ios11), ("--ios 13", .ios13), ("--ios 14", .ios14), ("--ios 18", .ios18),
      ("--json --ios 26", .ios26), ("--ios 14.2", .ios14), ("--ios 26.1.1", .ios26),
    ] as [(String, IOSVersion)])
  func `a version is its number`(words: String, version: IOSVersion) throws {
    #expect(try Self.report(words) == RulesReport(RuleSet(version)))
  }

  @Test(arguments: ["9", "19", "iOS", "", "014", "14.", "14.x"])
  func `a version without a rule set is refused, and the others are named`(version: String) {
    do {
      _ = try Blepera.parseAsRoot(["rules", "--ios", version])
      Issue.record("accepted")
    } catch {
      #expect(Blepera.exitCode(for: error) == .validationFailure)
      #expect(
        Blepera.message(for: error).contains("The value '\(version)' is invalid for '--ios <version>'. Please provide"))
    }
  }

  @Test(arguments: IOSVersion.allCases, [40, 60, 80, 100, 140])
  func `every rule and every value is there, on lines that fit`(version: IOSVersion, columns: Int) {
    let report = RulesReport(RuleSet(version))
    let lines = report.lines(for: .plain(columns: columns))
    let words = lines.joined(separator: " ").split(separator: " ").joined(separator: " ")
    for rule in RuleSet.rules { #expect(words.contains("\(rule.id) \(rule.name)")) }
    for value in report.values { #expect(words.contains("\(value.name) \(value.value) \(value.standing)")) }
    #expect(words.contains("not used yet; iPhone 17 Pro Max"))
    #expect(words.contains(RuleSet.count(report.values.map(\.standing))))
    #expect(lines.allSatisfy { !$0.hasSuffix(" ") })
    if columns >= 80 { #expect(lines.filter { $0.count > columns } == []) }
  }

  @Test func `a value stands below its rule, and those of no rule last`() throws {
    let lines = try Self.report("").lines(for: .plain)
    func line(_ start: String) -> Int? {
      lines.firstIndex { $0.drop { $0 == " " }.hasPrefix(start) }
    }
    let order = try [
      "R1 ", "txPowerLevel", "R2 ", "R3 ", "foregroundInterval  181.25 ms", "R4 ", "R15", "relaunch.reboot",
      "no rule of iOS", "relaunchLimit",
    ].map { try #require(line($0), "\($0)") }
    #expect(order == order.sorted())
  }

  @Test func `color changes nothing but the color`() throws {
    let report = try Self.report("")
    let colored = report.lines(for: .colored)
    #expect(colored.contains { $0.contains("\u{1B}[32m181.25 ms\u{1B}[0m") })
    #expect(colored.map(\.withoutColor) == report.lines(for: .plain))
  }

  private struct Decoded: Decodable {
    struct Rule: Decodable { let id, name, meaning, scope, source: String }
    struct Value: Decodable, Equatable { let rule: String?, name, value, standing, source: String, used: Bool }
    let ios: Int
    let rules: [Rule]
    let values: [Value]
  }

  @Test(arguments: IOSVersion.allCases)
  func `with --json it is one line with everything`(version: IOSVersion) throws {
    let json = RulesReport(RuleSet(version)).json
    #expect(!json.contains("\n") && json.hasPrefix("{\"ios\":\(version.rawValue),\"rules\":[{\"id\""))
    let decoded = try JSONDecoder().decode(Decoded.self, from: Data(json.utf8))
    #expect(decoded.rules.map(\.id) == RuleID.allCases.map { "\($0)" })
    #expect(decoded.values.map(\.name) == RuleSet(version).values.map(\.name))
    #expect(decoded.values.map(\.standing) == RuleSet(version).values.map(\.standing.rawValue))
    #expect(decoded.values.map(\.used) == RuleSet(version).values.map(\.isUsed))
    #expect(decoded.values.last?.name == "relaunchLimit" && decoded.values.last?.rule == nil)
  }

  @Test func `the page shows what is printed, and has every rule`() throws {
    let transcripts = try PageTranscript.all(in: "docs/rules.md", of: "blepera rules")
    #expect(transcripts.count == 1)
    for transcript in transcripts {
      #expect(transcript.isShortened(from: try Self.report(transcript.words).lines(for: .plain)))
    }
    let page = try ProjectFile.text("docs/rules.md")
    for rule in RuleSet.rules {
      #expect(page.contains("\n| \(rule.id) | \(rule.name) | \(rule.meaning) |\n"))
    }
  }
}
