import ArgumentParser
import BleperaBlueZ
import BleperaBluetooth
import BleperaPhoneLink
import BleperaPreservation
import BleperaProfileApp
import BleperaRadio
import BleperaRecording
import BleperaSessions

struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Publish profiles and advertise them, until Ctrl-C.",
    usage: "blepera serve [<options>] <file> ...",
    discussion: """
      Each file is an app of one phone, each line an event. ? lists the keys.

        blepera serve --virtual profiles/heart-rate.plist
      """)

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
  @OptionGroup(title: "Virtual radio") var air: AirOptions

  @Flag(help: "Print each event as a JSON object on one line.")
  var json = false

  @OptionGroup var recording: RecordOptions

  func validate() throws {
    if files.contains("-") {
      throw ValidationError("'-' cannot be served, since an app that was terminated is launched from its file again.")
    }
    if isVirtual {
      try bluez.refuseAll()
      try emulation.checkNames(ofPhones: 1)
    } else {
      try air.refuseAll()
      try emulation.refuseVirtual()
      try kept.refuse()
    }
    try EmulationOptions.validate(emulation.pairing, isJSON: json, isTerminal: Terminal(.output).isTerminal)
  }

  func run() async throws {
    let profiles = try ProfileFiles.load(files)
    let identifiers = profiles.map(\.identifier)
    if let twice = identifiers.first(where: { identifier in identifiers.count { $0 == identifier } > 1 }) {
      throw CommandFailure.exit("two files are the app \(twice); give each its own CFBundleIdentifier", .faultyInput)
    }
    let printer = EventPrinter(isJSON: json, recorder: try recording.start())
    let files = try air.captureFiles(beside: recording.path)
    let status: CInt
    do {
      status = try await serve(profiles, printer, files)
    } catch {
      CommandFailure.report("\(error)")
      status = 1
    }
    printer.finish(files)
    if status != 0 { throw ExitCode(status) }
  }

  /// Returns the exit status.
  private func serve(
    _ profiles: [NamedProfile], _ printer: EventPrinter, _ files: CaptureFiles?
  ) async throws -> CInt {
    let keys = KeyboardControls(printer: printer, hasCentral: isVirtual)
    if isVirtual {
      var options = VirtualOptions()
      options.name = "serve"
      options.phones = [VirtualOptions.Phone(name: system.name, apps: profiles)]
      options.isFresh = kept.isFresh
      options.hasCentral = true
      options.endsWithApps = true
      options.launch = launch.mode
      options.seed = TraceHeader.randomSeed
      emulation.apply(to: &options)
      air.apply(to: &options)
      options.capture(to: files)
      let session = VirtualSession(
        options, at: try system.address, endProcess: keys.endProcess, observe: printer.observer(hasCentral: true))
      return try await keys.control(session, on: session.loop) { await session.run() }
    }
    let settings = bluez.settings(emulation)
    let starter = PhoneStarter(
      address: try system.address, folder: try StateFolder(name: system.name),
      arguments: settings.arguments)
    let session = ServeSession(
      starter: starter, radio: settings, profiles: profiles, launch: launch.mode, isJSON: json,
      isText: printer.isSilent ? nil : printer.onlyPrints, endProcess: keys.endProcess,
      observe: { [observe = printer.observer(), notice = emulation.pairingMode.notice] event in
        observe(event)
        if case .phoneStarted = event, let notice { printer.note(notice, on: .error) }
      })
    guard let failure = try await keys.control(session, on: session.loop, run: { await session.run() }) else {
      return 0
    }
    CommandFailure.report(failure)
    return 1
  }
}
