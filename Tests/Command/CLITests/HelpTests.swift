import ArgumentParser
import Testing

@testable import BleperaCLI
@testable import BleperaCommands

@Suite struct HelpTests {
  /// Every command and command of commands, with its name.
  private static let all: [(name: String, command: any ParsableCommand.Type)] =
    [("", Blepera.self)]
    + Blepera.commands.flatMap { command in
      let name = command.configuration.commandName ?? ""
      return [(name, command)]
        + command.configuration.subcommands.map { ("\(name) \($0.configuration.commandName ?? "")", $0) }
    }

  @Test(arguments: all.map(\.name))
  func `a help is at most 64 lines, of at most 80 columns, and has an example or an explanation`(name: String) throws {
    let command = try #require(Self.all.first { $0.name == name }).command
    let lines = Blepera.helpMessage(for: command, columns: 80).split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 64)
    #expect(lines.filter { $0.count > 80 } == [])
    #expect(!command.configuration.abstract.isEmpty && command.configuration.abstract.hasSuffix("."))
  }

  @Test(arguments: all.map(\.name).filter { !$0.isEmpty }, [100, 120])
  func `a wide terminal is not filled beyond its width`(name: String, columns: Int) throws {
    let command = try #require(Self.all.first { $0.name == name }).command
    let lines = Blepera.helpMessage(for: command, columns: columns).split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= columns })
  }

  @Test func `each command is in the list of commands`() {
    let lines = Blepera.helpMessage(columns: 80).split(separator: "\n")
    for (name, _) in Self.all where !name.isEmpty && !name.contains(" ") {
      #expect(lines.contains { $0.hasPrefix("  \(name) ") }, "\(name)")
    }
  }
}
