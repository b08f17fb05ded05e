import ArgumentParser
import BlueZ
import DBus
import Profile

struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Publish a profile's services and advertise them, until Ctrl-C.",
    usage: "blepera serve [<options>] <file>",
    discussion: """
      Prints a line for each event: what was published, who connected, what was read and written. The exit status is 0 \
      after Ctrl-C, and 1 if the profile has an error or the radio cannot be used; `blepera doctor` says more about the \
      radio.
      """)

  @Argument(help: ArgumentHelp("The profile, an XML or binary property list.", valueName: "file"))
  var file: String

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
    let file = ProfileFile(path: file)
    do {
      let check = try file.check()
      for diagnostic in check.diagnostics { errors.print(DiagnosticText(terminal: errors).line(diagnostic)) }
      guard let profile = check.profile else { throw ExitCode(1) }
      var options = Peripheral.Options()
      options.adapter = adapter
      options.powersOn = powerOn
      options.pairing = pairing
      let session = ServeSession(printer: EventPrinter(isJSON: json), bus: .system, options: options)
      if let failure = await session.run(profile, name: file.name) {
        errors.print("\(errors.styled("error:", .red)) \(failure)")
        throw ExitCode(1)
      }
    } catch let error as ProfileFile.Unreadable {
      errors.print("\(error)")
      throw ExitCode(1)
    }
  }
}

extension PairingMode: ExpressibleByArgument {}
