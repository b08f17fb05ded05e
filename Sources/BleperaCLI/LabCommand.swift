import ArgumentParser
import Policy
import VirtualBlueZ

struct LabCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lab",
    abstract: "Run a command on a virtual radio with phones, without hardware.",
    usage: "blepera lab [<options>] [-- <command> ...]",
    discussion: """
      Starts a message bus of its own with a virtual BlueZ on it, and phones that serve profiles there. Once they are \
      on the air it runs the command, which finds all of it where DBUS_SYSTEM_BUS_ADDRESS points: a scan, a gateway, \
      its tests. The command's own adapter is hci0, the phones' are those that follow it. Events of the phones go to \
      standard error. A phone is named after its bundle identifier's last part; 'blepera background --system NAME' \
      and its like reach it from within the lab, and the names are in BLEPERA_PHONES. Without a command it prints the \
      settings for other terminals and stays until Ctrl-C.

        blepera lab --serve profiles/heart-rate.plist -- bluetoothctl
        blepera lab --serve profiles/heart-rate.plist -- pytest

      The exit status is the command's: 128 and the signal's number if a signal ended it, 127 if it is not found. It is \
      1 if a profile has an error or the lab cannot be set up. Nothing is left behind, however it ends.
      """)

  @Option(
    name: .customLong("serve"),
    help: ArgumentHelp("A profile for a phone of its own; may be given several times.", valueName: "file"))
  var files: [String] = []

  @Flag(
    exclusivity: .exclusive,
    help: ArgumentHelp("How the apps start: in front, or as ones that advertised there and then left."))
  var launch: LaunchFlag = .foreground

  @Option(help: ArgumentHelp("The iOS whose rules hold.", valueName: "version"))
  var ios: IOSVersion = .newest

  @Option(help: ArgumentHelp("How many adapters are the command's own, hci0 first.", valueName: "number"))
  var adapters = 1

  @Option(help: ArgumentHelp("The BlueZ to behave as.", valueName: "version"))
  var bluezVersion: LabBlueZVersion = .bookworm

  @Flag(help: "Behave as bluetoothd -E does, which heeds intervals in 5.66 too.")
  var experimental = false

  @Option(help: ArgumentHelp("How much of what is sent gets lost, 0 to 100.", valueName: "percent"))
  var loss = 0.0

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The signal strength at every receiver, -127 to 20.", valueName: "dBm"))
  var rssi = -50

  @Option(help: ArgumentHelp("What chance is drawn from; the same gives the same.", valueName: "number"))
  var seed: UInt64 = 0

  @Flag(help: "Print each event as a JSON object on one line.")
  var json = false

  @Flag(help: "Print no events.")
  var quiet = false

  @OptionGroup var recording: RecordOptions

  @Argument(parsing: .postTerminator, help: ArgumentHelp("What to run, after '--'.", valueName: "command"))
  var command: [String] = []

  func validate() throws {
    guard (1...99).contains(adapters) else { throw ValidationError("'--adapters' takes 1 to 99.") }
    guard (0...100).contains(loss) else { throw ValidationError("'--loss' takes 0 to 100 percent.") }
    guard (-127...20).contains(rssi) else { throw ValidationError("'--rssi' takes -127 to 20 dBm.") }
  }

  /// All but the phones.
  var options: LabSession.Options {
    var options = LabSession.Options()
    options.ownAdapters = adapters
    options.behavior = bluezVersion.behavior(isExperimental: experimental)
    options.conditions = AirConditions(loss: loss / 100, rssi: rssi)
    options.seed = seed
    options.rules = RuleSet(ios)
    options.launch = launch
    options.command = command
    return options
  }

  func run() async throws {
    let errors = Terminal(.error)
    let files = ProfileFiles(files, colouredFor: errors)
    for line in files.faults { errors.print(line) }
    guard let phones = files.profiles else { throw ExitCode(1) }
    var options = options
    options.phones = phones
    let recorder = try recording.start()
    let printer = EventPrinter(isJSON: json, stream: .error, isQuiet: quiet, recorder: recorder)
    let session = LabSession(options, printer: printer)
    throw ExitCode(await session.run())
  }
}
