import ArgumentParser
import BleperaAppLink
import BleperaBluetooth
import BleperaController
import BleperaRules
import BleperaSessions

struct ScanCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scan",
    abstract: "Scan as an app on an iPhone does.",
    usage: "blepera scan [<options>]",
    discussion: """
      Prints each discovered device, and prints it again when its advertisement changes: what an app on an iPhone that \
      scans for these services receives, what Android shows, and what BlueZ shows, which merges earlier data of a \
      device. The services of an iPhone in the background are in its overflow area, where each is one bit of 128: an \
      iPhone discovers the requested services by their bits, and cannot know whether another UUID has set them.

      The command scans until Ctrl-C, on the machine's adapter or on that of a lab:

        blepera lab --serve profiles/heart-rate.plist --background -- \\
          blepera scan --services 180D --seconds 5

      With --controller the phone's own host scans, and keeps advertisement and scan response apart. \
      bluetoothd reports discoverable devices only. The command removes devices that are not paired, trusted or connected \
      from bluetoothd every second, since bluetoothd would merge earlier data with what is on the air. The exit status \
      is 1 if the radio cannot be used; 'blepera doctor' diagnoses it.
      """)

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("The services that the app scans for (default: any device).", valueName: "uuid"),
    transform: BluetoothUUID.list)
  var services: [[BluetoothUUID]] = []

  @Flag(help: "Scan as an app in the background.")
  var background = false

  @Flag(help: "Scan while the iPhone's screen is off, with every app in the background.")
  var screenOff = false

  @Flag(help: "Scan as an app with a Live Activity: in the background without services too, from iOS 26 on.")
  var liveActivity = false

  @Option(help: ArgumentHelp("The iOS version to emulate.", valueName: "version"))
  var ios = IOSVersion.newest

  @Option(help: ArgumentHelp("The adapter to use (default: the first that is powered on).", valueName: "hciN"))
  var adapter: String?

  @OptionGroup var own: ControllerOptions

  @Option(help: ArgumentHelp("Stop after this many seconds.", valueName: "seconds"))
  var seconds: Double?

  @Flag(help: "Print each event as a JSON object on one line.")
  var json = false

  func validate() throws {
    if let seconds, !(0.1...86400).contains(seconds) {
      throw ValidationError.outOfRange("--seconds", "0.1 to 86400", seconds)
    }
    if adapter != nil, own.controller != nil {
      throw ValidationError("'--adapter' cannot be combined with '--controller', which names the adapter.")
    }
    guard liveActivity else { return }
    guard background || screenOff else {
      throw ValidationError(
        "'--live-activity' requires '--background' or '--screen-off'; it changes nothing elsewhere.")
    }
    guard RuleSet(ios).liveActivityScans.value else {
      throw ValidationError("'--live-activity' requires iOS 26 or later.")
    }
  }

  var options: ScanSession.Options {
    ScanSession.Options(
      adapter: adapter, rules: RuleSet(ios), request: ScanRequest(services: Array(services.joined())),
      place: screenOff ? .screenOff : background ? .background : .foreground,
      hasLiveActivity: liveActivity, limit: seconds.map { .milliseconds(Int($0 * 1000)) })
  }

  func run() async throws {
    var options = options
    do { options.controller = try own.settings() } catch { throw CommandFailure.exit("\(error)") }
    OutputQueues.begin(.output, isJSON: json)
    OutputQueues.begin(.error)
    let terminal = Terminal(.output)
    let text = ScanText(terminal: terminal)
    let show = { @Sendable [json] (record: ScanRecord) in
      let now = Timestamp.now
      guard json else { return terminal.print(text.lines(record, at: now), as: 1) }
      var record = record
      record.time = now.date
      terminal.print(record.json)
    }
    if let effects = own.controller?.effects { Terminal(.error).print(effects) }
    if json { show(.started) }
    let session = ScanSession(options, observe: show)
    let failure = await session.run()
    OutputQueues.finish()
    if let failure { throw CommandFailure.exit(failure) }
  }
}
