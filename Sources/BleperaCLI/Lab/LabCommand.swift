import ArgumentParser
import BleperaAir
import BleperaBluetooth
import BleperaRules
import BleperaSessions
import BleperaVirtualBlueZ

struct LabCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lab",
    abstract: "Run a command on a virtual radio with phones, without hardware.",
    usage: "blepera lab [<options>] [-- <command> ...]",
    discussion: """
      Starts a message bus of its own with a virtual BlueZ, and phones that serve profiles there. Once the phones are on \
      the air, the lab runs the command, which finds the bus at DBUS_SYSTEM_BUS_ADDRESS: a scan, a gateway, its tests. \
      The command's own adapter is hci0; the adapters of the phones follow. Events of the phones are printed to \
      standard error. A phone is named after the last part of its bundle identifier; 'blepera background --system NAME' \
      and similar commands control it from within the lab, and BLEPERA_PHONES lists the names. Without a command the lab \
      prints the settings for other terminals and runs until Ctrl-C.

        blepera lab --serve profiles/heart-rate.plist -- bluetoothctl
        blepera lab --serve profiles/heart-rate.plist -- pytest

      The exit status is the command's: 128 plus the signal's number if a signal ended it, 127 if it is not found. It is \
      1 if a profile has an error or the lab cannot be set up. The lab removes everything that it has started, however \
      it ends.
      """)

  @Option(
    name: .customLong("serve"),
    help: ArgumentHelp("A profile for a phone of its own; may be repeated.", valueName: "file"))
  var files: [String] = []

  @Flag(exclusivity: .exclusive, help: LaunchFlag.help)
  var launch: LaunchFlag = .foreground

  @Option(help: ArgumentHelp("The iOS version to emulate.", valueName: "version"))
  var ios: IOSVersion = .newest

  @Flag(help: RadioOptions.phoneServicesHelp)
  var phoneServices = false

  @Flag(help: "Give the phones public addresses, which do not change.")
  var publicAddress = false

  @Option(help: ArgumentHelp("The number of adapters for the command, hci0 first.", valueName: "number"))
  var adapters = 1

  @Option(help: ArgumentHelp("The BlueZ version to emulate.", valueName: "version"))
  var bluezVersion: LabBlueZVersion = .bookworm

  @Flag(help: "Behave like bluetoothd -E, which applies advertising intervals in 5.66 too.")
  var experimental = false

  @Option(help: ArgumentHelp("Packet loss, 0 to 100.", valueName: "percent"))
  var loss = 0.0

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Signal strength at every receiver, -127 to 20.", valueName: "dBm"))
  var rssi = -50

  @Option(help: ArgumentHelp("The ATT_MTU that the phones exchange, 23 to 517.", valueName: "bytes"))
  var mtu = ATTMTU.iPhone

  @Option(
    help: ArgumentHelp("Seed for the random number generator; equal seeds give equal runs.", valueName: "number"))
  var seed: UInt64 = 0

  @Option(
    help: ArgumentHelp(
      "How often an hour a suspended app is terminated by chance, 0 to 3600; --seed decides when and which.",
      valueName: "rate"))
  var memoryPressure = 0.0

  @Flag(help: "Print each event as a JSON object on one line.")
  var json = false

  @Flag(help: "Print no events.")
  var quiet = false

  @OptionGroup var recording: RecordOptions

  @Argument(parsing: .postTerminator, help: ArgumentHelp("The command to run, after '--'.", valueName: "command"))
  var command: [String] = []

  func validate() throws {
    guard (1...99).contains(adapters) else { throw ValidationError("'--adapters' must be between 1 and 99.") }
    guard (0...100).contains(loss) else { throw ValidationError("'--loss' must be between 0 and 100 percent.") }
    guard (0...3600).contains(memoryPressure) else {
      throw ValidationError("'--memory-pressure' must be between 0 and 3600 terminations an hour.")
    }
    guard (-127...20).contains(rssi) else { throw ValidationError("'--rssi' must be between -127 and 20 dBm.") }
    try ATTMTU.validate(mtu)
  }

  /// The options without the phones.
  var options: LabSession.Options {
    var options = LabSession.Options()
    options.ownAdapters = adapters
    options.behavior = bluezVersion.behavior(isExperimental: experimental)
    options.conditions = AirConditions(loss: loss / 100, rssi: rssi)
    options.seed = seed
    options.mtu = mtu
    options.rules = RuleSet(ios)
    options.phoneServices = phoneServices
    options.memoryPressure = memoryPressure
    options.launch = launch.mode
    options.usesPublicAddresses = publicAddress
    options.command = command
    return options
  }

  func run() async throws {
    let phones = try ProfileFiles.load(files)
    var options = options
    options.phones = phones
    let printer = EventPrinter(isJSON: json, stream: .error, isQuiet: quiet, recorder: try recording.start())
    let session = LabSession(options, observe: printer.observer(firstPhoneAdapter: adapters))
    let status = await session.run()
    printer.finish()
    throw ExitCode(status)
  }
}

/// A BlueZ release that the virtual BlueZ was compared with.
enum LabBlueZVersion: String, CaseIterable, ExpressibleByArgument {
  /// Debian 12.
  case bookworm = "5.66"
  /// Debian 13.
  case trixie = "5.82"

  func behavior(isExperimental: Bool) -> DaemonBehavior {
    switch self {
    case .bookworm: DaemonBehavior(minor: 66, isExperimental: isExperimental)
    case .trixie: DaemonBehavior(minor: 82, isExperimental: isExperimental)
    }
  }
}
