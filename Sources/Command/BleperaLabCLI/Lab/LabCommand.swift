import ArgumentParser
import BleperaCLI
import BleperaRecording
import BleperaReport
import BleperaSessions

struct LabCommand: AsyncParsableCommand, CommandRunner {
  static let configuration = CommandConfiguration(
    commandName: "lab",
    abstract: "Run a command beside phones on a virtual radio.",
    usage: "blepera lab [<options>] [-- <command> ...]",
    discussion: """
      The message bus of a lab has a virtual BlueZ with hci0; events go to standard error. Without a command the lab \
      prints the settings for other terminals.

        blepera lab --quiet --serve profiles/heart-rate.plist -- bluetoothctl
        blepera lab --app .build/debug/door-key -- python3 find.py

      The exit status is the command's, or 1 if the lab cannot be set up.
      """)

  @Option(
    name: .customLong("serve"),
    help: ArgumentHelp("A profile or a folder of them, a phone each.", valueName: "file"),
    completion: .propertyList)
  var files: [String] = []

  @Option(
    name: .customLong("app"),
    help: ArgumentHelp(
      "A command that is an app, with a phone of its own.", valueName: "command"))
  var apps: [String] = []

  @Option(
    help: ArgumentHelp("A device that is no phone: its file, or a profile.", valueName: "file"),
    completion: .propertyList)
  var accessory: [String] = []

  @Flag(exclusivity: .exclusive, help: LaunchFlag.help)
  var launch: LaunchFlag = .foreground

  @OptionGroup(title: "Phone") var emulation: EmulationOptions

  @Option(
    help: ArgumentHelp(
      "How many adapters, or names: hci8,hci9.",
      valueName: "adapters"))
  var adapters = AdapterNames(count: 1)

  @Flag(help: "Pair only where a program has an agent.")
  var noAgent = false

  @OptionGroup(title: "Virtual radio") var air: AirOptions

  @Flag(help: "Print each event as a JSON object on one line.")
  var json = false

  @Flag(name: .shortAndLong, help: "Print no events.")
  var quiet = false

  @OptionGroup var recording: RecordOptions

  @OptionGroup var page: ReportOptions

  @Argument(parsing: .postTerminator, help: ArgumentHelp("The command to run, after '--'.", valueName: "command"))
  var command: [String] = []

  func validate() throws {
    for (name, files) in [("--serve", files), ("--accessory", accessory)] where files.contains("-") {
      throw ValidationError("'\(name)' requires a file; the command reads standard input.")
    }
    guard !apps.contains(where: { $0.allSatisfy(\.isWhitespace) }) else {
      throw ValidationError("'--app' is empty; it is the command that starts the app.")
    }
    try emulation.checkNames(ofPhones: ProfileFile.paths(files).count + apps.count)
    guard !adapters.names.isEmpty else {
      throw ValidationError("'--adapters' is a number from 1 to 99, or names such as hci8,hci9.")
    }
    try EmulationOptions.validate(
      emulation.pairing, isJSON: json && !quiet, isTerminal: !quiet && Terminal(.error).isTerminal)
  }

  /// The options without the phones.
  var options: VirtualOptions {
    var options = VirtualOptions()
    options.ownAdapters = adapters.names
    options.agrees = !noAgent
    emulation.apply(to: &options)
    air.apply(to: &options)
    options.launch = launch.mode
    options.command = command
    return options
  }

  /// `A lab with heart-rate and smart-lock`.
  private var reportTitle: String {
    let names =
      ProfileFile.paths(files).map { ProfileFile(path: $0).name }
      + VirtualOptions.Phone.each([], commands: apps).map(\.name)
    return names.isEmpty ? "A lab without phones" : "A lab with \(names.joined(separator: " and "))"
  }

  func run() async throws {
    var options = options
    options.phones = VirtualOptions.Phone.each(try ProfileFiles.load(files), commands: apps)
    options.accessories = try ProfileFiles.loadAccessories(accessory, besides: options.phones.map(\.name))
    let page = try page.open()
    let collector = page.map { _ in
      ReportCollector(title: reportTitle, origin: command.isEmpty ? "blepera lab" : command.joined(separator: " "))
    }
    let printer = EventPrinter(
      isJSON: json, stream: .error, isQuiet: quiet, recorder: try recording.start(), collector: collector)
    let files = try air.captureFiles(beside: recording.path)
    options.capture(to: files)
    let session = VirtualSession(
      options, endProcess: ProcessEnd.perform, observe: printer.observer(firstPhoneAdapter: options.firstPhoneAdapter))
    let status = await session.run()
    printer.finish(files)
    if let page, let source = collector?.collected {
      do {
        try page.write(html: ReportPage([source], version: Release.version).html)
      } catch { throw ExitCode(status == 0 ? 1 : status) }
    }
    throw ExitCode(status)
  }
}

/// The adapters of a lab's command, by the names that programs also use on a real machine.
struct AdapterNames: ExpressibleByArgument, Equatable {
  let names: [String]

  private init(names: [String]) { self.names = names }

  init(count: Int) { self.init(names: (0..<count).map { "hci\($0)" }) }

  /// Reads the number of adapters, at most 99, or their names; no adapters if the text is neither.
  init(argument: String) {
    if let count = Int(argument) {
      self.init(count: (1...99).contains(count) ? count : 0)
      return
    }
    let names = argument.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    let numbers = names.compactMap { UInt8($0.dropFirst(3)) }
    let isValid = names == numbers.map { "hci\($0)" } && Set(names).count == names.count && names.count <= 99
    self.init(names: isValid ? names : [])
  }

  var defaultValueDescription: String { "\(names.count)" }
}
