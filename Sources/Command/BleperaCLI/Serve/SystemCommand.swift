import ArgumentParser
import BleperaAppLink
import BleperaBlueZ
import BleperaBluetooth
import BleperaController
import BleperaPhone
import BleperaPreservation
import BleperaRadio
import BleperaRecording
import BleperaRules
import BleperaSessions
import Glibc

struct SystemCommand<Radio: VirtualRadioOptions>: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "system",
      abstract: "Run the emulated phone without apps of its own.",
      usage: "blepera system [<options>]",
      discussion: """
        'blepera serve' starts a phone where none runs, so this command is for containers and service managers. The phone \
        owns the radio, the published services and the preserved state of apps. It runs until Ctrl-C, SIGTERM or \
        'blepera shutdown', and leaves its state on disk for the next start. --help-hidden shows all options.
        """)
  }

  @OptionGroup var system: PhoneName

  @Flag(
    name: .customLong("virtual"),
    help: "Use a virtual radio, for programs of other terminals.")
  var isVirtual = false

  @OptionGroup var kept: FreshOption

  @OptionGroup(title: "Phone") var emulation: EmulationOptions
  @OptionGroup(title: "Phone on BlueZ") var bluez: BlueZOptions
  @OptionGroup(title: "Phone on a controller") var own: ControllerOptions
  @OptionGroup(title: "Virtual radio", visibility: .hidden) var air: Radio

  @Option(
    help: ArgumentHelp(
      "The state that apps receive in place of powered on.", valueName: "state"))
  var managerState: UnusableState?

  @Flag(help: "Print each event as a JSON object on one line.")
  var json = false

  /// Set when `serve` starts the phone: the phone ends when idle, and prints once that it is ready or why it is not.
  @Flag(help: .private)
  var detached = false

  func validate() throws {
    try air.check(isVirtual: isVirtual, own, bluez, emulation, kept)
  }

  func run() async throws {
    if isVirtual { return try await runVirtual() }
    var options = PhoneSession.Options()
    options.radio = bluez.radio
    options.phone = emulation.phone
    options.phone.unusableState = managerState?.state
    options.phone.staleLimit = bluez.staleLimit
    options.relaunch = emulation.relaunch
    options.settings =
      (emulation.options + own.options(emulation)
      + bluez.options(linger: detached ? BlueZOptions.defaultLinger : nil)).map(\.text)
    // The log of a phone that runs for days must not grow by a line for each request.
    options.omitsValues = detached
    options.mayBeService = !detached
    options.linger = detached || bluez.linger != nil ? bluez.lingerLimit : nil
    options.log = detached ? try? StateFolder(name: system.name).systemLog : nil
    let printer = EventPrinter(isJSON: json, stream: detached ? .error : .output)
    let failure: String?
    do {
      if let controller = try own.settings() {
        options.controller = controller
        options.phone.chosenName = emulation.deviceName.first
        options.phone.rules = options.phone.rules.with(nearbyInfoTag: .random(in: .min ... .max))
      }
      printer.begin()
      if !detached, let effects = own.controller?.effects { printer.note(effects, on: .error) }
      let session = PhoneSession(options: options, endProcess: ProcessEnd.perform, observe: printer.observer())
      let folder = try StateFolder(name: system.name)
      failure = try await session.run(folder, at: try system.address) {
        [detached, notice = own.notice(emulation.pairingMode)] in
        if detached { return answer(ControlAddress.ready) }
        if let notice { printer.note(notice, on: .error) }
      }
    } catch {
      failure = "\(error)"
    }
    printer.finish()
    guard let failure else { return }
    if detached { answer(failure) }
    throw CommandFailure.exit(failure)
  }

  private func runVirtual() async throws {
    let printer = EventPrinter(isJSON: json, stream: detached ? .error : .output)
    var phone = VirtualPhone(
      command: "system", address: try system.requiredAddress, isFresh: kept.isFresh, observe: observer(printer))
    phone.unusableState = managerState?.state
    phone.linger = detached ? bluez.lingerLimit : nil
    let status = try await air.run(phone, emulation, printer: printer)
    if status != 0 { throw ExitCode(status) }
  }
}

extension SystemCommand {
  /// Returns an observer that prints the events of a virtual phone, and sends one line to the process that started the
  /// phone.
  private func observer(_ printer: EventPrinter) -> SessionObserver {
    let observe = printer.observer()
    guard detached else { return observe }
    return { event in
      switch event {
      case .ready: answer(ControlAddress.ready)
      case .failed(let reason): answer(reason)
      default: break
      }
      observe(event)
    }
  }
}

/// Sends a line to the process that has started the phone, which reads only that line; later output goes to the log.
private func answer(_ line: String) {
  _ = LineOutput.write(Array((line + "\n").utf8), to: STDOUT_FILENO)
  dup2(STDERR_FILENO, STDOUT_FILENO)
}

/// The argument of `--manager-state`: a state that apps receive in place of powered on, and that does not change.
enum UnusableState: String, CaseIterable, ExpressibleByArgument {
  case unauthorized
  case unsupported

  var state: ManagerState {
    switch self {
    case .unauthorized: .unauthorized
    case .unsupported: .unsupported
    }
  }
}
