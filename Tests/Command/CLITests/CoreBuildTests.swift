import ArgumentParser
import BleperaSessions
import Testing

@testable import BleperaCLI

/// The commands as a build with `BLEPERA_CORE` has them.
@Suite struct CoreBuildTests {
  private struct Root: RootCommand {
    static let configuration = CommandConfiguration(
      commandName: "blepera",
      groupedSubcommands: [
        CommandGroup(
          name: "All",
          subcommands: ServingCommands.phone(on: NoVirtualRadio.self) + ServingCommands.profiles
            + ServingCommands.explanations + ServingCommands.overflow + ServingCommands.central
            + ServingCommands.machine)
      ])
    static var topics: [HelpTopic] { [.profile, .accessory, .rules, .overflow] }
  }

  private static let refusal =
    "'--virtual' requires the virtual radio, without which this blepera was built: build it without BLEPERA_CORE."

  @Test(
    arguments: [
      ("serve --virtual a.plist", refusal), ("system --virtual", refusal),
      ("serve --virtual --exact a.plist", refusal),
      ("serve --memory-pressure 5 a.plist", "Unknown option '--memory-pressure'"),
      ("system --experimental", "Unknown option '--experimental'"),
      (
        "serve --fresh a.plist",
        "'--fresh' requires '--virtual'; over BlueZ, 'blepera preserved forget' removes an app's state."
      ),
    ])
  func `the virtual radio and its options are refused`(words: String, text: String) throws {
    do {
      _ = try Root.parseAsRoot(words.split(separator: " ").map(String.init))
      Issue.record("\(words) is accepted")
    } catch {
      #expect(Root.message(for: error) == text)
      #expect(Root.exitCode(for: error) == .validationFailure)
    }
  }

  @Test func `a phone on an adapter has its options`() throws {
    let words = ["serve", "--adapter", "hci1", "--exact", "--ios", "18", "a.plist"]
    let command = try #require(try Root.parseAsRoot(words) as? ServeCommand<NoVirtualRadio>)
    #expect(
      command.bluez.settings(command.emulation, command.own).arguments == [
        "--ios", "18", "--adapter", "hci1", "--exact",
      ])
    let help = Root.helpMessage(for: ServeCommand<NoVirtualRadio>.self)
    #expect(!help.contains("VIRTUAL RADIO") && help.contains("--controller <place>"))
  }

  @Test(
    arguments: [
      ("lab", "there is no command 'lab'; 'blepera --help' lists the commands"), ("serve a.plist", nil),
      ("help scenario", "there is no command 'scenario'; 'blepera --help' lists the commands"), ("help profile", nil),
    ] as [(String, String?)])
  func `commands and topics of the lab are unknown`(words: String, text: String?) {
    #expect(Root.unknownCommand(words.split(separator: " ").map(String.init)) == text)
  }
}
