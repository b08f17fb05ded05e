import ArgumentParser
import BlueZ
import Policy

/// What belongs to the phone, not to an app on it. Nil where nothing was said.
struct RadioOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The iOS whose rules hold; 26 where nothing is said.", valueName: "version"))
  var ios: IOSVersion?

  @Option(help: ArgumentHelp("The adapter to be used; by default the first that is powered on.", valueName: "hciN"))
  var adapter: String?

  @Flag(help: "Power the adapter on when it appears.")
  var powerOn = false

  @Option(
    help: ArgumentHelp(
      "The answer to a central that wants to pair, just-works where nothing is said; passkey shows six digits to "
        + "enter at the central.",
      valueName: "mode"))
  var pairing: PairingMode?

  @Option(
    help: ArgumentHelp(
      "Minutes that the phone stays for what is preserved, once no app runs; 10 where nothing is said.",
      valueName: "minutes"))
  var linger: Double?

  @Option(
    help: ArgumentHelp(
      "Disconnect a central that was subscribed before the phone was started anew, is connected, and has not "
        + "subscribed again within that time.",
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

  var radio: Peripheral.Options {
    var options = Peripheral.Options()
    options.adapter = adapter
    options.powersOn = powerOn
    options.pairing = pairing ?? .justWorks
    return options
  }

  var rules: RuleSet { ios.map { RuleSet($0) } ?? .newest }
  var staleLimit: Duration? { disconnectStale.map { .milliseconds(Int($0 * 1000)) } }
  var lingerLimit: Duration { .milliseconds(Int((linger ?? 10) * 60_000)) }

  /// The options that were given, as they are written.
  var given: [String] {
    var words: [String] = []
    if let ios { words += ["--ios", "\(ios.rawValue)"] }
    if let adapter { words += ["--adapter", adapter] }
    if powerOn { words.append("--power-on") }
    if let pairing { words += ["--pairing", pairing.rawValue] }
    if let linger { words += ["--linger", "\(linger)"] }
    if let disconnectStale { words += ["--disconnect-stale", "\(disconnectStale)"] }
    return words
  }
}

extension PairingMode: ExpressibleByArgument {}
