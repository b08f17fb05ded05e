import BleperaProfile
import BleperaPropertyLists
import BleperaRules
import BleperaSimulation
import Testing

@testable import BleperaCLI
@testable import BleperaCommands
@testable import BleperaLabCLI

@Suite struct HelpTopicTests {
  /// A pipe, without color.
  private static func lines(_ topic: HelpTopic, columns: Int) -> [String] {
    topic.lines(
      for: Terminal(.output, isTerminal: false) { name in name == "COLUMNS" ? "\(columns)" : nil })
  }

  @Test(arguments: [
    (HelpTopic.profile, Profile.schema), (.accessory, AccessoryDescription.schema), (.scenario, Scenario.schema),
  ])
  func `a topic has every key of its schema with its type and meaning, and the kinds that have it`(
    topic: HelpTopic, schema: [SchemaSection]
  ) throws {
    let lines = Self.lines(topic, columns: 10_000)
    for section in schema {
      let heading = try #require(lines.firstIndex(of: section.path.isEmpty ? "The file" : section.path))
      let part = lines[(heading + 1)...].prefix { $0.hasPrefix(" ") }
      let isForAll = { key in schema.allSatisfy { $0.path != section.path || $0.keys.contains(key) } }
      for key in section.keys {
        let head = "  \(key.name)  \(key.type.word)\(key.isRequired ? ", required" : "")"
        let found = part.indices.filter { part[$0] == head }.map { part[$0 + 1] }
        let owner = section.choice?.split(separator: " ").last ?? ""
        #expect(
          found.contains {
            isForAll(key)
              ? $0 == "      \(key.meaning)"
              : $0.hasSuffix(": \(key.meaning)")
                && $0.dropLast(key.meaning.count + 2).split(whereSeparator: { " ,".contains($0) }).contains(owner)
          }, "\(section.path) \(key.name)")
      }
    }
  }

  @Test func `the topic rules has every rule`() {
    let lines = Self.lines(.rules, columns: 1000)
    for rule in RuleSet.rules {
      #expect(lines.contains("  \(rule.id) \(rule.name)  \(rule.scope)"))
      #expect(lines.contains("      \(rule.meaning)"))
    }
  }

  @Test func `the topic overflow shows the bit and the bytes of a service`() {
    let text = Self.lines(.overflow, columns: 1000).joined(separator: "\n")
    #expect(text.contains("The service 180D is bit 61:"))
    #expect(text.contains("    AD    14FF4C000100000000000000200000000000000000\n"))
  }

  @Test(arguments: Blepera.topics)
  func `a topic fits the width`(topic: HelpTopic) {
    #expect(Self.lines(topic, columns: 80).allSatisfy { $0.hasPrefix("  ") || $0.count <= 80 })
  }

  /// The format on which `Packaging/manual` relies.
  @Test(arguments: Blepera.topics)
  func `lines are indented by nothing, or as a term, an example or a meaning`(topic: HelpTopic) {
    for line in Self.lines(topic, columns: 1000) where !line.isEmpty {
      #expect([0, 2, 4, 6].contains(line.prefix { $0 == " " }.count))
    }
  }

  @Test(
    arguments: [
      (["help", "profile"], .profile), (["help", "accessory"], .accessory), (["help", "scenario"], .scenario),
      (["help", "rules"], .rules),
      (["help", "overflow"], .overflow), (["rules"], nil),
      (["help"], nil), (["help", "serve"], nil), (["help", "overflow", "encode"], nil),
    ] as [([String], HelpTopic?)])
  func `help names a topic`(words: [String], topic: HelpTopic?) {
    #expect(Blepera.topic(words) == topic)
  }
}
