import ArgumentParser
import EventTrace
import GATT
import Policy

struct ScanCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scan",
    abstract: "Scan as an app on an iPhone does, and say what it, Android and BlueZ see.",
    usage: "blepera scan [<options>]",
    discussion: """
      Prints each device that is heard, and anew when it advertises something else: what an app on an iPhone makes of it \
      that scans for these services; what Android shows; and what BlueZ shows, which takes nothing back that a device \
      has said before. The services of an iPhone in the background are in its overflow area, where each is one bit of \
      128: an iPhone finds those that it asks for, by their bits, and cannot know whether another UUID has set them.

      It scans until Ctrl-C, on the machine's adapter or in a lab on that of the lab:

        blepera lab --serve profiles/heart-rate.plist --background -- \\
          blepera scan --services 180D --seconds 5

      bluetoothd tells of discoverable devices alone. Every second it is made to forget those that are not paired, trusted \
      or connected: it would mix what they have said before with what is on the air. The exit status is 1 if the radio \
      cannot be used; 'blepera doctor' says more about it.
      """)

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("The services that the app scans for; by default for any device.", valueName: "uuid"),
    transform: BluetoothUUID.argument)
  var services: [BluetoothUUID] = []

  @Flag(help: "Scan as an app in the background.")
  var background = false

  @Flag(help: "Scan while the iPhone's screen is off: every app is in the background then.")
  var screenOff = false

  @Option(help: ArgumentHelp("The version of iOS whose rules apply.", valueName: "version"))
  var ios = IOSVersion.newest

  @Option(help: ArgumentHelp("The adapter to be used; by default the first that is powered on.", valueName: "hciN"))
  var adapter: String?

  @Option(help: ArgumentHelp("End after so many seconds.", valueName: "seconds"))
  var seconds: Double?

  @Flag(help: "Print each event as a JSON object on one line.")
  var json = false

  func validate() throws {
    if let seconds, !(0.1...86400).contains(seconds) {
      throw ValidationError("'--seconds \(seconds)' is not between 0.1 and 86400 seconds.")
    }
  }

  var options: ScanSession.Options {
    ScanSession.Options(
      adapter: adapter, rules: RuleSet(ios), request: ScanRequest(services: services),
      place: screenOff ? .screenOff : background ? .background : .foreground,
      limit: seconds.map { .milliseconds(Int($0 * 1000)) })
  }

  func run() async throws {
    let terminal = Terminal(.output)
    let text = ScanText(terminal: terminal)
    let session = ScanSession(options) { [json] record in
      let now = Timestamp.now
      guard json else { return terminal.print(text.lines(record, at: now).joined(separator: "\n")) }
      var record = record
      record.time = now.date
      terminal.print(record.json)
    }
    if let failure = await session.run() { throw CommandFailure.of(failure) }
  }
}
