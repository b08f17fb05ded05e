import ArgumentParser
import BlueZ
import Control
import DBus
import Policy
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

      The exit status is 0 after Ctrl-C, and 1 if a profile has an error or the radio cannot be used; 'blepera doctor' \
      says more about the radio.
      """)

  @Argument(help: ArgumentHelp("The profiles, XML or binary property lists.", valueName: "file"))
  var files: [String]

  @Flag(
    exclusivity: .exclusive,
    help: ArgumentHelp("How the apps start: in front, or as ones that advertised there and then left."))
  var launch: LaunchFlag = .foreground

  @Option(help: ArgumentHelp("The iOS whose rules hold.", valueName: "version"))
  var ios: IOSVersion = .newest

  @OptionGroup var system: SystemOptions

  @Option(help: ArgumentHelp("The adapter to be used; by default the first that is powered on.", valueName: "hciN"))
  var adapter: String?

  @Flag(help: "Power the adapter on when it appears.")
  var powerOn = false

  @Option(
    help: ArgumentHelp(
      "The answer to a central that wants to pair; passkey shows six digits to enter at the central.",
      valueName: "mode"))
  var pairing: PairingMode = .justWorks

  @Flag(help: "Print each event as a JSON object on one line.")
  var json = false

  func validate() throws { try validate(isTerminal: Terminal(.output).isTerminal) }

  func validate(isTerminal: Bool) throws {
    if pairing == .passkey, !json, !isTerminal {
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
    var options = Peripheral.Options()
    options.adapter = adapter
    options.powersOn = powerOn
    options.pairing = pairing
    let session = ServeSession(
      printer: EventPrinter(isJSON: json), bus: .system, options: options, rules: RuleSet(ios),
      launch: launch.mode)
    let failure: String?
    do throws(ControlFailure) {
      failure = try await session.run(profiles, at: try system.address)
    } catch {
      failure = "\(error)"
    }
    guard let failure else { return }
    errors.print("\(errors.styled("error:", .red)) \(failure)")
    throw ExitCode(1)
  }
}

extension PairingMode: ExpressibleByArgument {}
