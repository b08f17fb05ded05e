import ArgumentParser
import Testing

@testable import BleperaCLI
@testable import BleperaCommands

@Suite struct UnknownCommandTests {
  @Test(
    arguments: [
      ("serv a.plist", "there is no command 'serv'; did you mean 'serve'?"),
      ("Status", "there is no command 'Status'; did you mean 'status'?"),
      ("help nosuch", "there is no command 'nosuch'; 'blepera --help' lists the commands"),
      ("help profil", "there is no command 'profil'; did you mean 'profile'?"),
      ("profile", "there is no command 'profile'; 'blepera --help' lists the commands"), ("help profile", nil),
      ("overflow decod 00", "there is no command 'overflow decod'; did you mean 'overflow decode'?"),
      ("help scenario runn", "there is no command 'scenario runn'; did you mean 'scenario run'?"),
      ("preserved zzzzz", "there is no command 'preserved zzzzz'; 'blepera preserved --help' lists the commands"),
      ("bonds forgt", "there is no command 'bonds forgt'; did you mean 'bonds forget'?"),
      ("overflow --help", nil), ("scenario run a.plist", nil), ("help overflow", nil), ("check overflow", nil),
      ("serve a.plist", nil), ("help serve", nil), ("help", nil), ("--version", nil), ("", nil),
    ] as [(String, String?)])
  func `a word that is no command is refused with the nearest one`(words: String, text: String?) {
    #expect(Blepera.unknownCommand(words.split(separator: " ").map(String.init)) == text)
  }

  @Test(
    arguments: [
      ("serve --nosuch", "Unknown option '--nosuch'"), ("check --nosuch", "Unknown option '--nosuch'"),
      ("report --nosuch a", "Unknown option '--nosuch'"), ("serve", "Missing expected argument '<file> ...'"),
      ("overflow find 3 -1", "The value '-1' is invalid for '<bit>': expected a bit from 0 to 127"),
      ("overflow find -1", "The value '-1' is invalid for '<bit>': expected a bit from 0 to 127"),
      ("serve --json", "Missing expected argument '<file> ...'"),
    ])
  func `an unknown option is reported although an argument is missing`(words: String, text: String) throws {
    let words = words.split(separator: " ").map(String.init)
    do { _ = try Blepera.parseAsRoot(words) } catch {
      #expect(Blepera.message(for: Blepera.unknownOption(words, behind: error)) == text)
    }
  }

  @Test(
    arguments: [
      ("check --color never a", "check a", .never), ("--color=always status", "status", .always),
      ("lab -- tool --color x", "lab -- tool --color x", .auto), ("check a --color auto", "check a", .auto),
    ] as [(String, String, Terminal.Color)])
  func `every command has an option for colors`(words: String, rest: String, color: Terminal.Color) throws {
    var words = words.split(separator: " ").map(String.init)
    #expect(try Blepera.takeColor(&words) == color)
    #expect(words == rest.split(separator: " ").map(String.init))
  }

  @Test(arguments: [("check --color blue a", "blue"), ("check --color", ""), ("lab --color -- x", "")])
  func `a value of color is one of three`(words: String, value: String) throws {
    var words = words.split(separator: " ").map(String.init)
    let error = #expect(throws: ValidationError.self) { try Blepera.takeColor(&words) }
    #expect(error?.message == "'--color \(value)' is not one of auto, always and never.")
  }

  @Test(arguments: [("R2", ["R2"]), ("r16", ["R16"]), ("", (1...19).map { "R\($0)" })] as [(String, [String])])
  func `rules shows one rule or all`(word: String, rules: [String]) throws {
    let command = try Blepera.parseAsRoot(["rules"] + (word.isEmpty ? [] : [word]))
    let report = try #require(command as? RulesCommand).report
    #expect(report.rules.map(\.id) == rules)
    #expect(report.values.allSatisfy { value in word.isEmpty || value.rule == rules[0] })
  }
}
