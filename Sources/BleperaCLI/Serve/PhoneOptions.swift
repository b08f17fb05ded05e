import BleperaRadio
import ArgumentParser
import BleperaAppLink
import BleperaBlueZ
import BleperaBluetooth
import BleperaEventTrace
import BleperaRules
import BleperaSessions

/// Selects one of the user's phones.
struct PhoneName: ParsableArguments {
  @Option(
    name: .customLong("system"),
    help: ArgumentHelp("The name of the phone, where several run side by side.", valueName: "name"))
  var name = ControlAddress.defaultName

  var address: ControlAddress {
    get throws(ControlFailure) { try ControlAddress(name: name) }
  }
}

/// Selects an app of a running phone.
struct AppOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The app's bundle identifier or name (default: all apps).", valueName: "identifier"))
  var app: String?
}

/// The initial state of apps.
enum LaunchFlag: String, EnumerableFlag {
  case foreground
  case background

  var mode: LaunchMode {
    switch self {
    case .foreground: .foreground
    case .background: .leftForeground
    }
  }

  static let help = ArgumentHelp(
    "Initial state of the apps: in the foreground, or in the background after advertising in the foreground.")
}

/// Settings of the phone, as opposed to those of an app. Nil if an option was not given.
struct RadioOptions: ParsableArguments {
  static let phoneServicesHelp: ArgumentHelp = "Publish an iPhone's own services before those of the apps."

  @Option(help: ArgumentHelp("The iOS version to emulate (default: 26).", valueName: "version"))
  var ios: IOSVersion?

  @Flag(help: "Allow several apps in the foreground, as on an iPad.")
  var splitView = false

  @Flag(help: Self.phoneServicesHelp)
  var phoneServices = false

  @Option(help: ArgumentHelp("The adapter to use (default: the first that is powered on).", valueName: "hciN"))
  var adapter: String?

  @Flag(help: "Power the adapter on when it appears.")
  var powerOn = false

  @Option(
    help: ArgumentHelp(
      "The response to a pairing request (default: just-works); passkey shows six digits to enter at the central.",
      valueName: "mode"))
  var pairing: PairingMode?

  @Flag(help: "At the end, remove from bluetoothd the bonds that centrals have made with the phone.")
  var forgetBonds = false

  @Option(
    help: ArgumentHelp(
      "Minutes that the phone keeps running for preserved apps while no app runs (default: 10).",
      valueName: "minutes"))
  var linger: Double?

  @Flag(help: "Never start an app again: it comes back when it is started by hand.")
  var noRelaunch = false

  @Option(
    help: ArgumentHelp(
      "An environment variable that the phone keeps for an app that it starts again, besides PATH, HOME and the like; "
        + "may be repeated.",
      valueName: "name"))
  var keepEnvironment: [String] = []

  @Option(
    help: ArgumentHelp(
      "Disconnect a connected central that was subscribed before the phone restarted and has not subscribed again "
        + "within this time.",
      valueName: "seconds"))
  var disconnectStale: Double?

  func validate() throws {
    if let name = keepEnvironment.first(where: { $0.isEmpty || $0.contains("=") }) {
      throw ValidationError("'--keep-environment \(name)' is not the name of a variable; its value is the app's own.")
    }
    if let linger, !(0...100_000).contains(linger) {
      throw ValidationError("'--linger \(linger)' is not between 0 and 100000 minutes.")
    }
    if let disconnectStale, !(0.1...86400).contains(disconnectStale) {
      throw ValidationError("'--disconnect-stale \(disconnectStale)' is not between 0.1 and 86400 seconds.")
    }
  }

  var radio: BlueZRadio.Options {
    var options = BlueZRadio.Options()
    options.adapter = adapter
    options.powersOn = powerOn
    options.pairing = pairing ?? .justWorks
    options.forgetsBonds = forgetBonds
    return options
  }

  var settings: RadioSettings {
    var settings = RadioSettings()
    settings.options = radio
    settings.rules = rules
    settings.phoneServices = phoneServices
    settings.pairing = pairing
    settings.arguments = arguments
    return settings
  }

  var relaunch: RelaunchOptions {
    var options = RelaunchOptions()
    options.isAllowed = !noRelaunch
    options.environment = Set(keepEnvironment)
    return options
  }

  var rules: RuleSet { RuleSet(ios ?? .newest).with(splitView: splitView) }
  var staleLimit: Duration? { disconnectStale.map { .milliseconds(Int($0 * 1000)) } }
  var lingerLimit: Duration { .milliseconds(Int((linger ?? 10) * 60_000)) }

  /// The options that were given, as command-line arguments.
  var arguments: [String] {
    var words: [String] = []
    if let ios { words += ["--ios", "\(ios.rawValue)"] }
    if splitView { words.append("--split-view") }
    if phoneServices { words.append("--phone-services") }
    if let adapter { words += ["--adapter", adapter] }
    if powerOn { words.append("--power-on") }
    if let pairing { words += ["--pairing", pairing.rawValue] }
    if forgetBonds { words.append("--forget-bonds") }
    if noRelaunch { words.append("--no-relaunch") }
    words += keepEnvironment.flatMap { ["--keep-environment", $0] }
    if let linger { words += ["--linger", "\(linger)"] }
    if let disconnectStale { words += ["--disconnect-stale", "\(disconnectStale)"] }
    return words
  }
}

extension PairingMode: ExpressibleByArgument {}

extension ATTMTU {
  /// Checks the value of `--mtu`.
  static func validate(_ mtu: Int?) throws {
    guard let mtu, !range.contains(mtu) else { return }
    throw ValidationError("'--mtu \(mtu)' is not between \(range.lowerBound) and \(range.upperBound) bytes.")
  }
}

/// The file in which events are recorded in addition to the terminal.
struct RecordOptions: ParsableArguments {
  @Option(
    name: .customLong("record"),
    help: ArgumentHelp("Write the event trace to a file, for 'blepera replay'.", valueName: "file"))
  var path: String?

  /// Returns nil if nothing is recorded. A line that cannot be written is reported on standard error.
  ///
  /// - Throws: `ExitCode`, after an error message, if the file cannot be written.
  func start() throws -> TraceWriter? {
    guard let path else { return nil }
    do throws(TraceWriter.Failure) {
      return try TraceWriter(path) { failure in CommandFailure.report("\(failure)") }
    } catch {
      throw CommandFailure.exit("\(error)")
    }
  }
}

/// A version is its major number on the command line.
extension IOSVersion: ExpressibleByArgument {
  init?(argument: String) {
    guard let version = Self.allCases.first(where: { $0.argument == argument }) else { return nil }
    self = version
  }

  static var allValueStrings: [String] { allCases.map(\.argument) }

  var defaultValueDescription: String { argument }

  private var argument: String { "\(rawValue)" }
}
