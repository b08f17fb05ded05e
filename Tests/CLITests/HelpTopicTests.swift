import BleperaProfile
import BleperaPropertyLists
import BleperaRules
import Testing

@testable import BleperaCLI

@Suite struct HelpTopicTests {
  /// A pipe, without color.
  private static func lines(_ topic: HelpTopic, columns: Int) -> [String] {
    topic.lines(
      for: Terminal(.output, isTerminal: false) { name in name == "COLUMNS" ? "\(columns)" : nil })
  }

  @Test func `the topic profile has every key of the schema with its type and meaning`() {
    let lines = Self.lines(.profile, columns: 1000)
    for key in Profile.schema.flatMap(\.keys) {
      let head = lines.indices.filter { lines[$0].hasPrefix("  \(key.name)  \(key.type.word)") }
      #expect(head.contains { lines[$0 + 1] == "      \(key.meaning)" }, "\(key.name)")
      #expect(!key.isRequired || head.contains { lines[$0].hasSuffix("required") }, "\(key.name)")
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

  @Test(arguments: HelpTopic.allCases)
  func `a topic fits the width`(topic: HelpTopic) {
    #expect(Self.lines(topic, columns: 80).allSatisfy { $0.hasPrefix("  ") || $0.count <= 80 })
  }

  /// What `Packaging/manual` relies on.
  @Test(arguments: HelpTopic.allCases)
  func `lines are indented by nothing, or as a term, an example or a meaning`(topic: HelpTopic) {
    for line in Self.lines(topic, columns: 1000) where !line.isEmpty {
      #expect([0, 2, 4, 6].contains(line.prefix { $0 == " " }.count))
    }
  }

  @Test(
    arguments: [
      (["help", "profile"], .profile), (["help", "rules"], .rules), (["help", "overflow"], .overflow), (["rules"], nil),
      (["help"], nil), (["help", "serve"], nil), (["help", "overflow", "encode"], nil),
    ] as [([String], HelpTopic?)])
  func `help names a topic`(words: [String], topic: HelpTopic?) {
    #expect(HelpTopic(words) == topic)
  }
}
