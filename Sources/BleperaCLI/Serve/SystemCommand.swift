import ArgumentParser
import BleperaBlueZ
import BleperaBluetooth
import BleperaPreservation
import BleperaRadio
import BleperaSessions
import Glibc

struct SystemCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "system",
    abstract: "Run the emulated phone without apps; apps connect and disconnect.",
    discussion: """
      'blepera serve' starts a phone where none runs, so this command is for containers and service managers. The phone \
      owns the radio, the published services and the preserved state of apps. It runs until Ctrl-C, SIGTERM or \
      'blepera shutdown', and leaves its state on disk for the next start.
      """)

  @OptionGroup var system: PhoneName
  @OptionGroup var radio: RadioOptions

  @Option(
    help: ArgumentHelp(
      "What apps are told of Bluetooth, which they then cannot use.",
      valueName: "state"))
  var managerState: UnusableState?

  @Flag(help: "Print each event as a JSON object on one line.")
  var json = false

  /// Set when `serve` starts the phone: the phone ends when idle, and prints once that it is ready or why it is not.
  @Flag(help: .hidden)
  var detached = false

  func run() async throws {
    var options = PhoneSession.Options()
    options.radio = radio.radio
    options.rules = radio.rules
    options.relaunch = radio.relaunch
    options.phoneServices = radio.phoneServices
    options.unusableState = managerState?.state
    // The log of a phone that runs for days must not grow by a line for each request.
    options.omitsValues = detached
    options.staleLimit = radio.staleLimit
    options.linger = detached || radio.linger != nil ? radio.lingerLimit : nil
    let printer = EventPrinter(isJSON: json, stream: detached ? .error : .output)
    printer.begin()
    let session = PhoneSession(options: options, observe: printer.observer())
    let failure: String?
    do {
      let folder = try StateFolder(name: system.name)
      failure = try await session.run(folder, at: try system.address) {
        guard detached else {
          if let notice = radio.radio.pairing.notice { printer.note(notice, on: .error) }
          return
        }
        Terminal(.output).print(PhoneStarter.ready)
        // The starting process has stopped reading.
        dup2(STDERR_FILENO, STDOUT_FILENO)
      }
    } catch {
      failure = "\(error)"
    }
    printer.finish()
    guard let failure else { return }
    if detached { Terminal(.output).print(failure) }
    throw CommandFailure.exit(failure)
  }
}

/// The states of `CBManagerState` that last.
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
