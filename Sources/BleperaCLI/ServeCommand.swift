import ArgumentParser
import BlueZ
import Control
import Preservation
import Profile

struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Publish profiles' services and advertise them, until Ctrl-C.",
    usage: "blepera serve [<options>] <file> ...",
    discussion: """
      Each file is an app; together they are the apps of one phone. Prints a line for each event: what was published, \
      who connected, what was read and written. In a terminal the keys f, b, s and l move the apps to the foreground, \
      into the background, suspend them and switch the screen; ? lists the keys. From elsewhere 'blepera background' \
      and its like do the same, and 'blepera status' shows what is on the air.

      With --virtual no Bluetooth is needed: the phone is on a virtual radio of its own, with a central that \
      shows what it hears, connects, reads and subscribes, and comes back when that has changed; c has it come back now.

        blepera serve --virtual profiles/heart-rate.plist

      The exit status is 0 after Ctrl-C, and 1 if a profile has an error or the radio cannot be used; 'blepera doctor' \
      says more about the radio.
      """)

  @Argument(help: ArgumentHelp("The profiles, XML or binary property lists.", valueName: "file"))
  var files: [String]

  @Flag(
    exclusivity: .exclusive,
    help: ArgumentHelp("How the apps start: in front, or as ones that advertised there and then left."))
  var launch: LaunchFlag = .foreground

  @OptionGroup var system: SystemOptions

  @Flag(
    name: .customLong("virtual"),
    help: "Serve on a virtual radio of its own, with a central that shows what it sees.")
  var isVirtual = false

  @OptionGroup var radio: RadioOptions

  @Flag(help: "Print each event as a JSON object on one line.")
  var json = false

  @OptionGroup var recording: RecordOptions

  func validate() throws {
    if isVirtual {
      if radio.adapter != nil {
        throw ValidationError("'--virtual' has an adapter of its own; leave '--adapter' out.")
      }
      if radio.powerOn { throw ValidationError("The radio of '--virtual' is on; leave '--power-on' out.") }
      if radio.linger != nil || radio.disconnectStale != nil {
        throw ValidationError("The phone of '--virtual' ends with it; leave '--linger' and '--disconnect-stale' out.")
      }
    }
    try Self.validate(radio.pairing, isJSON: json, isTerminal: Terminal(.output).isTerminal)
  }

  static func validate(_ pairing: PairingMode?, isJSON: Bool, isTerminal: Bool) throws {
    if pairing == .passkey, !isJSON, !isTerminal {
      throw ValidationError("'--pairing passkey' needs a terminal to show the passkey on, or '--json'.")
    }
  }

  func run() async throws {
    let errors = Terminal(.error)
    let files = ProfileFiles(files, colouredFor: errors)
    for line in files.faults { errors.print(line) }
    guard let profiles = files.profiles else { throw ExitCode(1) }
    let identifiers = profiles.map(\.identifier)
    if let twice = identifiers.first(where: { identifier in identifiers.count { $0 == identifier } > 1 }) {
      errors.print(
        "\(errors.styled("error:", .red)) two of the files are the app \(twice); give each its own CFBundleIdentifier")
      throw ExitCode(1)
    }
    let recorder = try recording.start()
    let failure: String?
    do {
      let printer = EventPrinter(isJSON: json, recorder: recorder)
      if isVirtual {
        let session = VirtualSession(printer: printer, options: radio.radio, rules: radio.rules, launch: launch)
        failure = try await session.run(profiles, at: try system.address)
      } else {
        let starter = SystemStarter(
          address: try system.address, folder: try StateFolder(name: system.name), options: radio.given)
        failure = await AppsSession(
          printer: printer, starter: starter, radio: radio, profiles: profiles, launch: launch
        ).run()
      }
    } catch {
      failure = "\(error)"
    }
    guard let failure else { return }
    errors.print("\(errors.styled("error:", .red)) \(failure)")
    throw ExitCode(1)
  }
}
