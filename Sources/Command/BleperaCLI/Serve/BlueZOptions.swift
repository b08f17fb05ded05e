import ArgumentParser
import BleperaBlueZ
import BleperaRadio
import BleperaSessions

/// Settings of a phone over BlueZ; an option that was not given is nil.
struct BlueZOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The adapter (default: the first powered on).", valueName: "hciN"))
  var adapter: String?

  @Flag(help: ArgumentHelp("Power the adapter on when it appears.", visibility: .hidden))
  var powerOn = false

  @Flag(help: ArgumentHelp("Remove the bonds of centrals at the end.", visibility: .hidden))
  var forgetBonds = false

  @Flag(help: "Send an iPhone's packets; needs CAP_NET_ADMIN.")
  var exact = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Minutes to stay for preserved apps (default: 10).", valueName: "minutes", visibility: .hidden))
  var linger: Double?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Disconnect former subscribers after s seconds.", valueName: "s", visibility: .hidden))
  var disconnectStale: Double?

  func validate() throws {
    if let linger, !(0...100_000).contains(linger) {
      throw ValidationError.outOfRange("--linger", "0 to 100000 minutes", linger)
    }
    if let disconnectStale, !(0.1...86400).contains(disconnectStale) {
      throw ValidationError.outOfRange("--disconnect-stale", "0.1 to 86400 seconds", disconnectStale)
    }
  }

  /// Refuses the options with `--virtual` or `--controller`.
  func refuseAll(with other: RadioWithoutBlueZ) throws {
    let given = [
      "--adapter": adapter != nil, "--power-on": powerOn, "--forget-bonds": forgetBonds, "--exact": exact,
      "--disconnect-stale": disconnectStale != nil,
    ]
    for (option, reason) in other.reasons where given[option] == true {
      throw ValidationError("'\(option)' cannot be combined with '\(other.rawValue)', \(reason).")
    }
    if other == .virtual, linger != nil || disconnectStale != nil {
      throw ValidationError(
        "'--linger' and '--disconnect-stale' cannot be combined with '--virtual', whose phone ends with the command.")
    }
  }

  var radio: BlueZRadio.Options {
    var options = BlueZRadio.Options()
    options.adapter = adapter
    options.powersOn = powerOn
    options.forgetsBonds = forgetBonds
    options.isExact = exact
    return options
  }

  func settings(_ emulation: EmulationOptions, _ controller: ControllerOptions) -> RadioSettings {
    var settings = RadioSettings()
    settings.options = radio
    settings.controller = controller.controller
    settings.phone = emulation.phone
    settings.given = (emulation.options + controller.options(emulation) + options(linger: nil)).filter(\.isGiven)
      .map(\.text)
    return settings
  }

  var staleLimit: Duration? { disconnectStale.map { .milliseconds(Int($0 * 1000)) } }
  static let defaultLinger = 10.0
  var lingerLimit: Duration { .milliseconds(Int((linger ?? Self.defaultLinger) * 60_000)) }

  /// - Parameter linger: the default, in minutes; nil for a phone that does not end by itself.
  func options(linger defaultLinger: Double?) -> [PhoneOption] {
    [
      PhoneOption("--adapter", adapter) { $0 }, PhoneOption("--power-on", powerOn),
      PhoneOption("--forget-bonds", forgetBonds), PhoneOption("--exact", exact),
      PhoneOption("--linger", linger, default: defaultLinger) { "\($0)" },
      PhoneOption("--disconnect-stale", disconnectStale) { "\($0)" },
    ].compactMap(\.self)
  }
}

/// A radio without bluetoothd, by its option.
enum RadioWithoutBlueZ: String {
  case virtual = "--virtual"
  case controller = "--controller"

  /// The options of a phone on BlueZ that the radio does not have, and why.
  var reasons: KeyValuePairs<String, String> {
    switch self {
    case .virtual:
      [
        "--adapter": "which has an adapter of its own", "--power-on": "whose radio is always on",
        "--forget-bonds": "whose bonds end with the command", "--exact": "whose packets are always an iPhone's",
      ]
    case .controller:
      [
        "--adapter": "which names the adapter", "--power-on": "whose radio is on from the start",
        "--forget-bonds": "whose bonds are the phone's: 'blepera bonds forget --all' deletes them",
        "--exact": "whose packets are always an iPhone's", "--disconnect-stale": "whose links end with the phone",
      ]
    }
  }
}
