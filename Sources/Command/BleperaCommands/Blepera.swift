import ArgumentParser
import BleperaCLI

#if !BLEPERA_CORE
  import BleperaLabCLI
  import BleperaToolsCLI
#endif

/// Runs the command given by this process's arguments, and exits.
package func runBlepera() -> Never {
  #if BLEPERA_CORE
    Blepera.runProcess()
  #else
    Blepera.runProcess { LabSupervisor.run($0) }
  #endif
}

/// The `blepera` command. A build of the core omits the commands that need the lab or the tools.
struct Blepera: RootCommand {
  static let configuration = CommandConfiguration(
    commandName: "blepera",
    abstract: "A Bluetooth LE peripheral that behaves as an iPhone app does.",
    discussion: """
      \(firstSteps)

      'blepera help TOPIC' explains \(topicNames). Every command has --color always \
      or never. 'blepera --generate-completion-script bash' prints completions, or those for zsh or fish.
      """,
    version: Release.version,
    groupedSubcommands: groups)

  #if BLEPERA_CORE
    private static let firstSteps = """
      Look at this machine's Bluetooth, write a profile, then serve it:

        blepera doctor
        blepera init heart-rate -o heart.plist
        blepera serve heart.plist
      """

    private static let topicNames = "profile, accessory, rules and overflow"
    static var topics: [HelpTopic] { [.profile, .accessory, .rules, .overflow] }

    private static let groups = [
      CommandGroup(name: "Phone", subcommands: ServingCommands.phone(on: NoVirtualRadio.self)),
      CommandGroup(
        name: "Offline",
        subcommands: ServingCommands.profiles + ServingCommands.explanations + ServingCommands.overflow),
      CommandGroup(name: "Machine", subcommands: ServingCommands.central + ServingCommands.machine),
    ]
  #else
    private static let firstSteps = """
      Write a profile, serve it without Bluetooth, then look at this machine's:

        blepera init heart-rate -o heart.plist
        blepera serve --virtual heart.plist
        blepera doctor
      """

    private static let topicNames = "profile, accessory, scenario, rules and overflow"
    static var topics: [HelpTopic] { [.profile, .accessory, .scenario, .rules, .overflow] }

    private static let groups = [
      CommandGroup(name: "Phone", subcommands: ServingCommands.phone(on: AirOptions.self)),
      CommandGroup(
        name: "Offline",
        subcommands: ServingCommands.profiles + LabCommands.convert + ServingCommands.explanations),
      CommandGroup(name: "Laboratory", subcommands: LabCommands.laboratory),
      CommandGroup(name: "Tools", subcommands: ToolsCommands.all + ServingCommands.overflow),
      CommandGroup(name: "Machine", subcommands: ServingCommands.central + ServingCommands.machine),
    ]
  #endif
}
