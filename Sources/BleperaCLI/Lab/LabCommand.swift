import ArgumentParser
import BleperaRecording
import BleperaReport
import BleperaSessions

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

        blepera lab --quiet --serve profiles/heart-rate.plist -- bluetoothctl
        blepera lab --serve profiles/heart-rate.plist -- python3 gateway.py

      With --app, a phone's app is a program of yours, which the lab starts and ends: one that imports CoreBluetooth, or \
      that uses AppLink. The phone is named after the program. What the program prints goes to standard error.

        blepera lab --app .build/debug/door-key -- python3 find.py

      The exit status is the command's: 128 plus the signal's number if a signal ended it, 127 if it is not found. It is \
      1 if the lab cannot be set up, and 2 if a profile has an error. The lab removes everything that it has started, however \
      it ends.
      """)

  @Option(
    name: .customLong("serve"),
    help: ArgumentHelp("A profile for a phone of its own; may be repeated.", valueName: "file"),
    completion: .propertyList)
  var files: [String] = []

  @Option(
    name: .customLong("app"),
    help: ArgumentHelp(
      "A command that is an app, such as a program with CoreBluetooth, for a phone of its own; may be repeated.",
      valueName: "command"))
  var apps: [String] = []

  @Flag(exclusivity: .exclusive, help: LaunchFlag.help)
  var launch: LaunchFlag = .foreground

  @OptionGroup(title: "Phone") var emulation: EmulationOptions

  @Option(help: ArgumentHelp("The number of adapters for the command, hci0 first.", valueName: "number"))
  var adapters = 1

  @OptionGroup(title: "Virtual radio") var air: AirOptions

  @Flag(help: "Print each event as a JSON object on one line.")
  var json = false

  @Flag(help: "Print no events.")
  var quiet = false

  @OptionGroup var recording: RecordOptions

  @OptionGroup var page: ReportOptions

  @Argument(parsing: .postTerminator, help: ArgumentHelp("The command to run, after '--'.", valueName: "command"))
  var command: [String] = []

  func validate() throws {
    guard !apps.contains(where: { $0.allSatisfy(\.isWhitespace) }) else {
      throw ValidationError("'--app' is empty; it is the command that starts the app.")
    }
    guard (1...99).contains(adapters) else { throw ValidationError("'--adapters' must be between 1 and 99.") }
    try EmulationOptions.validate(
      emulation.pairing, isJSON: json && !quiet, isTerminal: !quiet && Terminal(.error).isTerminal)
  }

  /// The options without the phones.
  var options: VirtualOptions {
    var options = VirtualOptions()
    options.ownAdapters = adapters
    emulation.apply(to: &options)
    air.apply(to: &options)
    options.launch = launch.mode
    options.command = command
    return options
  }

  /// `A lab with heart-rate and smart-lock`.
  private var reportTitle: String {
    let names = files.map { ProfileFile(path: $0).name } + VirtualOptions.Phone.each([], commands: apps).map(\.name)
    return names.isEmpty ? "A lab without phones" : "A lab with \(names.joined(separator: " and "))"
  }

  func run() async throws {
    var options = options
    options.phones = VirtualOptions.Phone.each(try ProfileFiles.load(files), commands: apps)
    let page = try page.open()
    let collector = page.map { _ in
      ReportCollector(title: reportTitle, origin: command.isEmpty ? "blepera lab" : command.joined(separator: " "))
    }
    let printer = EventPrinter(
      isJSON: json, stream: .error, isQuiet: quiet, recorder: try recording.start(), collector: collector)
    let writer = try air.capture.start()
    options.capture = writer?.write
    let session = VirtualSession(
      options, observe: printer.observer(firstPhoneAdapter: options.firstPhoneAdapter))
    let status = await session.run()
    printer.finish(writer)
    if let page, let source = collector?.collected {
      do {
        try page.write(ReportPage([source], version: Blepera.version))
      } catch { throw ExitCode(status == 0 ? 1 : status) }
    }
    throw ExitCode(status)
  }
}
