import ArgumentParser
import Testing

@testable import BleperaCLI

@Suite struct UnknownCommandTests {
  @Test(
    arguments: [
      ("serv a.plist", "there is no command 'serv'; did you mean 'serve'?"),
      ("Status", "there is no command 'Status'; did you mean 'status'?"),
      ("help nosuch", "there is no command 'nosuch'; 'blepera --help' lists the commands"),
      ("help profil", "there is no command 'profil'; did you mean 'profile'?"),
      ("profile", "there is no command 'profile'; 'blepera --help' lists the commands"), ("help profile", nil),
      ("serve a.plist", nil), ("help serve", nil), ("help", nil), ("--version", nil), ("", nil),
    ] as [(String, String?)])
  func `a word that is no command is refused with the nearest one`(words: String, text: String?) {
    #expect(Blepera.unknownCommand(words.split(separator: " ").map(String.init)) == text)
  }

  @Test(arguments: [("R2", ["R2"]), ("r16", ["R16"]), ("", (1...16).map { "R\($0)" })] as [(String, [String])])
  func `rules shows one rule or all`(word: String, rules: [String]) throws {
    let command = try Blepera.parseAsRoot(["rules"] + (word.isEmpty ? [] : [word]))
    let report = try #require(command as? RulesCommand).report
    #expect(report.rules.map(\.id) == rules)
    #expect(report.values.allSatisfy { value in word.isEmpty || value.rule == rules[0] })
  }
}
