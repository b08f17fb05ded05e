import ArgumentParser

/// The `blepera` command.
struct Blepera: AsyncParsableCommand {
  static let version = "0.1.0"

  static let configuration = CommandConfiguration(
    commandName: "blepera",
    abstract: "A Bluetooth LE peripheral that behaves as an iPhone app does.",
    discussion: """
      blepera publishes the services of property-list profiles, through BlueZ or on a virtual radio. Start without \
      Bluetooth, then look at this machine's:

        blepera serve --virtual profiles/heart-rate.plist
        blepera doctor
      """,
    version: version,
    groupedSubcommands: [
      CommandGroup(
        name: "Phone",
        subcommands: [
          ServeCommand.self, SystemCommand.self, StatusCommand.self, LaunchCommand.self, ForegroundCommand.self,
          BackgroundCommand.self,
          SuspendCommand.self,
          LockCommand.self, UnlockCommand.self, BluetoothCommand.self, NotifyCommand.self, QuitCommand.self,
          TerminateCommand.self,
          RebootCommand.self,
          ShutdownCommand.self, PreservedCommand.self,
        ]),
      CommandGroup(
        name: "Offline",
        subcommands: [
          CheckCommand.self, InitCommand.self, ConvertCommand.self, ExplainCommand.self, RulesCommand.self,
          OverflowCommand.self,
        ]),
      CommandGroup(
        name: "Laboratory",
        subcommands: [LabCommand.self, ScenarioCommand.self, ReplayCommand.self, ReportCommand.self]),
      CommandGroup(name: "Central", subcommands: [ScanCommand.self, CloneCommand.self]),
      CommandGroup(name: "Machine", subcommands: [DoctorCommand.self]),
    ])
}

/// Runs the command given by this process's arguments; exits after an error.
public func runBlepera() async { await Blepera.main() }
