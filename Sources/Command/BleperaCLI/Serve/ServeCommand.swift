import ArgumentParser
import BleperaAppLink
import BleperaBlueZ
import BleperaBluetooth
import BleperaController
import BleperaPreservation
import BleperaProfileApp
import BleperaRadio
import BleperaSessions

struct ServeCommand<Radio: VirtualRadioOptions>: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "serve",
      abstract: "Publish profiles and advertise them, until Ctrl-C.",
      usage: "blepera serve [<options>] <file> ...",
      discussion: """
        Each file is an app of one phone, each line an event. ? lists the keys. --help-hidden shows all options.

          blepera serve --virtual profiles/heart-rate.plist
        """)
  }

  @Argument(help: ArgumentHelp("The profiles, property lists.", valueName: "file"), completion: .propertyList)
  var files: [String]

  @Flag(exclusivity: .exclusive, help: LaunchFlag.help)
  var launch: LaunchFlag = .foreground

  @OptionGroup var system: PhoneName

  @Flag(
    name: .customLong("virtual"),
    help: "Use a virtual radio with a central, no Bluetooth.")
  var isVirtual = false

  @OptionGroup var kept: FreshOption

  @OptionGroup(title: "Phone") var emulation: EmulationOptions
  @OptionGroup(title: "Phone on BlueZ") var bluez: BlueZOptions
  @OptionGroup(title: "Phone on a controller") var own: ControllerOptions
  @OptionGroup(title: "Virtual radio", visibility: .hidden) var air: Radio

  @Flag(help: "Print each event as a JSON object on one line.")
  var json = false

  @OptionGroup var recording: RecordOptions

  func validate() throws {
    if files.contains("-") {
      throw ValidationError("'-' cannot be served, since an app that was terminated is launched from its file again.")
    }
    try air.check(isVirtual: isVirtual, own, bluez, emulation, kept)
    try EmulationOptions.validate(emulation.pairing, isJSON: json, isTerminal: Terminal(.output).isTerminal)
  }

  func run() async throws {
    let profiles = try ProfileFiles.load(files)
    let identifiers = profiles.map(\.identifier)
    if let twice = identifiers.first(where: { identifier in identifiers.count { $0 == identifier } > 1 }) {
      throw CommandFailure.exit("two files have the app \(twice); give each its own CFBundleIdentifier", .faultyInput)
    }
    let printer = EventPrinter(isJSON: json, recorder: try recording.start())
    let keys = KeyboardControls(printer: printer, hasCentral: isVirtual)
    guard isVirtual else { return try await serve(profiles, printer, keys) }
    var phone = VirtualPhone(
      command: "serve", address: try system.requiredAddress, isFresh: kept.isFresh,
      observe: printer.observer(hasCentral: true))
    phone.keys = keys
    phone.apps = profiles
    phone.launch = launch.mode
    phone.trace = recording.path
    let status = try await air.run(phone, emulation, printer: printer)
    if status != 0 { throw ExitCode(status) }
  }

  private func serve(_ profiles: [NamedProfile], _ printer: EventPrinter, _ keys: KeyboardControls) async throws {
    let failure: String?
    do {
      failure = try await runSession(profiles, printer, keys)
    } catch {
      failure = "\(error)"
    }
    if let failure { CommandFailure.report(failure) }
    printer.finish()
    if failure != nil { throw ExitCode(1) }
  }

  /// Returns the reason that the session failed, a sentence; nil if it did not fail.
  private func runSession(
    _ profiles: [NamedProfile], _ printer: EventPrinter, _ keys: KeyboardControls
  ) async throws -> String? {
    let settings = bluez.settings(emulation, own)
    let starter = PhoneStarter(
      address: try system.address, folder: try StateFolder(name: system.name),
      arguments: settings.arguments)
    if !starter.isRunning, let effects = own.controller?.effects { printer.note(effects, on: .error) }
    let session = ServeSession(
      starter: starter, radio: settings, profiles: profiles, launch: launch.mode, isJSON: json,
      isText: printer.isSilent ? nil : printer.onlyPrints, endProcess: keys.endProcess,
      observe: { [observe = printer.observer(), notice = own.notice(emulation.pairingMode)] event in
        observe(event)
        if case .phoneStarted = event, let notice { printer.note(notice, on: .error) }
      })
    return try await keys.control(session, on: session.loop) { await session.run() }
  }
}
