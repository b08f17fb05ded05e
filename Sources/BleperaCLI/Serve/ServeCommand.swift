import BleperaRadio
import ArgumentParser
import BleperaAppLink
import BleperaBlueZ
import BleperaBluetooth
import BleperaPreservation
import BleperaProfileApp
import BleperaSessions

struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Publish the services of profiles and advertise them, until Ctrl-C.",
    usage: "blepera serve [<options>] <file> ...",
    discussion: """
      Each file is an app; together they are the apps of one phone. Prints a line for each event: which services were \
      published, which centrals connected, what was read and written. In a terminal the keys f, b, s and l move the apps \
      to the foreground, to the background, suspend them and lock or unlock the screen; ? lists the keys. From \
      elsewhere, 'blepera background' and similar commands do the same, and 'blepera status' shows what is on the air.

      With --virtual no Bluetooth is needed: the phone uses a virtual radio of its own, with a central that reports what \
      it discovers, connects, reads and subscribes, and connects again after the advertisement has changed; c connects \
      it now.

        blepera serve --virtual profiles/heart-rate.plist

      The exit status is 0 after Ctrl-C, and 1 if a profile has an error or the radio cannot be used; 'blepera doctor' \
      diagnoses the radio.
      """)

  @Argument(help: ArgumentHelp("The profiles, XML or binary property lists.", valueName: "file"))
  var files: [String]

  @Flag(exclusivity: .exclusive, help: LaunchFlag.help)
  var launch: LaunchFlag = .foreground

  @OptionGroup var system: PhoneName

  @Flag(
    name: .customLong("virtual"),
    help: "Use a virtual radio, with a central that reports what it discovers.")
  var isVirtual = false

  @Option(help: ArgumentHelp("The ATT_MTU of --virtual, 23 to 517 (default: 185).", valueName: "bytes"))
  var mtu: Int?

  @Flag(help: "With --virtual: advertise under a public address, which does not change.")
  var publicAddress = false

  @OptionGroup var radio: RadioOptions

  @Flag(help: "Print each event as a JSON object on one line.")
  var json = false

  @OptionGroup var recording: RecordOptions

  func validate() throws {
    if mtu != nil, !isVirtual {
      throw ValidationError("'--mtu' requires '--virtual'; bluetoothd has its own, ExchangeMTU in main.conf.")
    }
    try ATTMTU.validate(mtu)
    if isVirtual {
      if radio.adapter != nil {
        throw ValidationError("'--adapter' cannot be combined with '--virtual', which has an adapter of its own.")
      }
      if radio.powerOn {
        throw ValidationError("'--power-on' cannot be combined with '--virtual', whose radio is always on.")
      }
      if radio.forgetBonds {
        throw ValidationError("'--forget-bonds' cannot be combined with '--virtual', whose bonds end with the command.")
      }
      if radio.noRelaunch || !radio.keepEnvironment.isEmpty {
        throw ValidationError(
          "'--no-relaunch' and '--keep-environment' cannot be combined with '--virtual', whose apps are the command's.")
      }
      if radio.linger != nil || radio.disconnectStale != nil {
        throw ValidationError(
          "'--linger' and '--disconnect-stale' cannot be combined with '--virtual', whose phone ends with the command.")
      }
    }
    if publicAddress, !isVirtual {
      throw ValidationError("'--public-address' requires '--virtual': over BlueZ the adapter's address is on the air.")
    }
    try Self.validate(radio.pairing, isJSON: json, isTerminal: Terminal(.output).isTerminal)
  }

  static func validate(_ pairing: PairingMode?, isJSON: Bool, isTerminal: Bool) throws {
    if pairing == .passkey, !isJSON, !isTerminal {
      throw ValidationError("'--pairing passkey' requires a terminal that shows the passkey, or '--json'.")
    }
  }

  func run() async throws {
    let profiles = try ProfileFiles.load(files)
    let identifiers = profiles.map(\.identifier)
    if let twice = identifiers.first(where: { identifier in identifiers.count { $0 == identifier } > 1 }) {
      throw CommandFailure.exit("two files are the app \(twice); give each its own CFBundleIdentifier")
    }
    let printer = EventPrinter(isJSON: json, recorder: try recording.start())
    let failure: String?
    do { failure = try await serve(profiles, printer) } catch { failure = "\(error)" }
    printer.finish()
    if let failure { throw CommandFailure.exit(failure) }
  }

  /// Returns why the session failed, a sentence; nil after Ctrl-C.
  private func serve(_ profiles: [NamedProfile], _ printer: EventPrinter) async throws -> String? {
    let keys = KeyboardControls(printer: printer, hasCentral: isVirtual)
    if isVirtual {
      let session = VirtualServeSession(
        pairing: radio.radio.pairing, rules: radio.rules, phoneServices: radio.phoneServices, launch: launch.mode,
        mtu: mtu ?? ATTMTU.iPhone, usesPublicAddress: publicAddress, observe: printer.observer(hasCentral: true),
        willExit: keys.restoreTerminal)
      let address = try system.address
      return try await keys.control(session, on: session.loop) { try await session.run(profiles, at: address) }
    }
    let starter = PhoneStarter(
      address: try system.address, folder: try StateFolder(name: system.name), arguments: radio.arguments)
    let session = ServeSession(
      starter: starter, radio: radio.settings, profiles: profiles, launch: launch.mode, isJSON: json,
      observe: { [observe = printer.observer(), notice = radio.radio.pairing.notice] event in
        observe(event)
        if case .phoneStarted = event, let notice { printer.note(notice, on: .error) }
      }, willExit: keys.restoreTerminal)
    return try await keys.control(session, on: session.loop) { await session.run() }
  }
}
