import ArgumentParser
import BleperaBlueZ
import BleperaRadio
import BleperaSessions

/// Settings of a phone over BlueZ. Nil if an option was not given.
struct BlueZOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The adapter to use (default: the first that is powered on).", valueName: "hciN"))
  var adapter: String?

  @Flag(help: "Power the adapter on when it appears.")
  var powerOn = false

  @Flag(help: "At the end, remove from bluetoothd the bonds that centrals have made with the phone.")
  var forgetBonds = false

  @Flag(help: "Send an iPhone's packets and intervals as they are, by the kernel; needs CAP_NET_ADMIN.")
  var exact = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Minutes that the phone keeps running for preserved apps while no app runs (default: 10).",
      valueName: "minutes"))
  var linger: Double?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Disconnect a connected central that was subscribed before the phone restarted and has not subscribed again "
        + "within this time.",
      valueName: "seconds"))
  var disconnectStale: Double?

  func validate() throws {
    if let linger, !(0...100_000).contains(linger) {
      throw ValidationError("'--linger \(linger)' is not between 0 and 100000 minutes.")
    }
    if let disconnectStale, !(0.1...86400).contains(disconnectStale) {
      throw ValidationError("'--disconnect-stale \(disconnectStale)' is not between 0.1 and 86400 seconds.")
    }
  }

  /// Refuses the options with `--virtual`.
  func refuseAll() throws {
    if adapter != nil {
      throw ValidationError("'--adapter' cannot be combined with '--virtual', which has an adapter of its own.")
    }
    if powerOn {
      throw ValidationError("'--power-on' cannot be combined with '--virtual', whose radio is always on.")
    }
    if forgetBonds {
      throw ValidationError("'--forget-bonds' cannot be combined with '--virtual', whose bonds end with the command.")
    }
    if exact {
      throw ValidationError("'--exact' cannot be combined with '--virtual', whose packets are always an iPhone's.")
    }
    if linger != nil || disconnectStale != nil {
      throw ValidationError(
        "'--linger' and '--disconnect-stale' cannot be combined with '--virtual', whose phone ends with the command.")
    }
  }

  func radio(_ emulation: EmulationOptions) -> BlueZRadio.Options {
    var options = BlueZRadio.Options()
    options.adapter = adapter
    options.powersOn = powerOn
    options.pairing = emulation.pairingMode
    options.forgetsBonds = forgetBonds
    options.isExact = exact
    return options
  }

  func settings(_ emulation: EmulationOptions) -> RadioSettings {
    var settings = RadioSettings()
    settings.options = radio(emulation)
    settings.rules = emulation.rules
    settings.phoneServices = emulation.phoneServices
    settings.pairing = emulation.pairing
    settings.arguments = emulation.arguments + arguments
    return settings
  }

  var staleLimit: Duration? { disconnectStale.map { .milliseconds(Int($0 * 1000)) } }
  var lingerLimit: Duration { .milliseconds(Int((linger ?? 10) * 60_000)) }

  /// The options that were given, as command-line arguments.
  private var arguments: [String] {
    var words: [String] = []
    if let adapter { words += ["--adapter", adapter] }
    if powerOn { words.append("--power-on") }
    if forgetBonds { words.append("--forget-bonds") }
    if exact { words.append("--exact") }
    if let linger { words += ["--linger", "\(linger)"] }
    if let disconnectStale { words += ["--disconnect-stale", "\(disconnectStale)"] }
    return words
  }
}
