import ArgumentParser
import BleperaAppLink
import BleperaBluetooth
import BleperaRadio
import BleperaRules
import BleperaSessions

/// Settings of an emulated phone on any radio. Nil if an option was not given.
struct EmulationOptions: ParsableArguments {
  static let phoneServicesHelp: ArgumentHelp = "Publish an iPhone's own services before those of the apps."

  @Option(help: ArgumentHelp("The iOS version to emulate (default: 26).", valueName: "version"))
  var ios: IOSVersion?

  static let kindHelp = ArgumentHelp(
    "The kind of phone: with Apple's N1, as the iPhone 17, or earlier (default: earlier).", valueName: "kind")

  @Option(help: Self.kindHelp)
  var phoneKind: PhoneKindName?

  @Option(
    help: ArgumentHelp(
      "What the phone itself advertises, with or without an app: nearby-info (the default), handoff, find-my, several with "
        + "commas, or none.",
      valueName: "items"))
  var appleItems: AppleItemNames?

  @Flag(help: "Allow several apps in the foreground, as on an iPad.")
  var splitView = false

  @Option(
    help: ArgumentHelp(
      "How long an app written against CoreBluetooth runs on after its last callback has returned (default: 0.5 s, at "
        + "most 10).",
      valueName: "seconds"))
  var wakeTime: Double?

  @Flag(help: Self.phoneServicesHelp)
  var phoneServices = false

  @Option(
    help: ArgumentHelp(
      "The response to a pairing request (default: just-works); passkey shows six digits to enter at the central.",
      valueName: "mode"))
  var pairing: PairingMode?

  @Flag(help: "Never relaunch an app by itself: the user launches it.")
  var noRelaunch = false

  @Option(
    help: ArgumentHelp(
      "An environment variable that the phone keeps for an app that it starts again, besides PATH, HOME and the like; "
        + "may be repeated, or a list with commas.",
      valueName: "name"))
  var keepEnvironment: [String] = []

  func validate() throws {
    try PhoneKindName.validate(phoneKind, ios)
    if let ios, ios < .ios12, appleItems?.items.isEmpty == false {
      throw ValidationError("'--apple-items' other than none requires iOS 12 or later, from which on phones send some.")
    }
    if let wakeTime, !(0...10).contains(wakeTime) {
      throw ValidationError("'--wake-time \(wakeTime)' is not from 0 to 10 seconds, the time of a wake.")
    }
    if let name = keptVariables.first(where: { $0.isEmpty || $0.contains("=") }) {
      throw ValidationError("'--keep-environment \(name)' is not the name of a variable; its value is the app's own.")
    }
  }

  private var keptVariables: [String] {
    keepEnvironment.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
  }

  /// Refuses what only a virtual radio sends.
  func refuseVirtualItems() throws {
    guard appleItems?.items.contains(.findMy) == true else { return }
    throw ValidationError(
      "'--apple-items find-my' requires '--virtual': on an adapter the phone has one advertisement, under one address.")
  }

  /// Checks that somebody sees the passkey.
  static func validate(_ pairing: PairingMode?, isJSON: Bool, isTerminal: Bool) throws {
    if pairing == .passkey, !isJSON, !isTerminal {
      throw ValidationError("'--pairing passkey' requires a terminal that shows the passkey, or '--json'.")
    }
  }

  var pairingMode: PairingMode { pairing ?? .justWorks }

  var rules: RuleSet {
    let rules = RuleSet(ios ?? .newest).with(phoneKind: phoneKind?.kind ?? .earlier).with(splitView: splitView)
      .with(ownItems: appleItems?.items ?? [.nearbyInfo])
    return wakeTime.map { rules.with(wakeTime: .seconds($0)) } ?? rules
  }

  var relaunch: RelaunchOptions {
    var options = RelaunchOptions()
    options.isAllowed = !noRelaunch
    options.environment = Set(keptVariables)
    return options
  }

  func apply(to options: inout VirtualOptions) {
    options.rules = rules
    options.phoneServices = phoneServices
    options.pairing = pairingMode
    options.relaunch = relaunch
  }

  /// The options that were given, as command-line arguments.
  var arguments: [String] {
    var words: [String] = []
    if let ios { words += ["--ios", "\(ios.rawValue)"] }
    if let phoneKind { words += ["--phone-kind", phoneKind.kind.rawValue] }
    if let appleItems { words += ["--apple-items", appleItems.argument] }
    if splitView { words.append("--split-view") }
    if let wakeTime { words += ["--wake-time", "\(wakeTime)"] }
    if phoneServices { words.append("--phone-services") }
    if let pairing { words += ["--pairing", pairing.rawValue] }
    if noRelaunch { words.append("--no-relaunch") }
    words += keepEnvironment.flatMap { ["--keep-environment", $0] }
    return words
  }
}

/// What a phone sends of its own: `none`, or names with commas.
struct AppleItemNames: ExpressibleByArgument {
  let items: Set<PhoneItem>
  let argument: String

  init?(argument: String) {
    let names = argument.split(separator: ",", omittingEmptySubsequences: false).map { PhoneItem(rawValue: String($0)) }
    let items = names.compactMap(\.self)
    guard argument == "none" || items.count == names.count else { return nil }
    self.items = Set(items)
    self.argument = argument
  }

  static var allValueStrings: [String] { ["none"] + PhoneItem.allCases.map(\.rawValue) }
}

/// A version is its major number on the command line; a minor number changes no rule.
extension IOSVersion: ExpressibleByArgument {
  init?(argument: String) {
    let numbers = argument.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
    guard (1...3).contains(numbers.count), !numbers.contains(nil), let major = numbers[0],
      argument.hasPrefix("\(major)")
    else { return nil }
    self.init(rawValue: major)
  }

  static var allValueStrings: [String] { allCases.map { "\($0.rawValue)" } }

  var defaultValueDescription: String { "\(rawValue)" }
}

extension PairingMode: ExpressibleByArgument {
  /// What the user of a machine with a real adapter has to know at the start; nil for nothing.
  var notice: String? {
    switch self {
    case .justWorks:
      "Any device that connects to the phone can pair with it; '--pairing refuse' or '--pairing passkey' prevents that."
    case .passkey:
      "While the phone runs, devices pair with this machine only as centrals of the phone: bluetoothd asks one agent."
    case .refuse: nil
    }
  }
}

/// A kind of phone on the command line.
struct PhoneKindName: ExpressibleByArgument {
  let kind: PhoneKind

  init?(argument: String) {
    guard let kind = PhoneKind(rawValue: argument) else { return nil }
    self.kind = kind
  }

  static var allValueStrings: [String] { PhoneKind.allCases.map(\.rawValue) }

  /// Checks that phones of the kind run the version of iOS.
  static func validate(_ name: PhoneKindName?, _ ios: IOSVersion?) throws {
    guard let kind = name?.kind, let ios, !kind.runs(ios) else { return }
    throw ValidationError("'--phone-kind \(kind.rawValue)' requires iOS 26 or later; no such phone runs \(ios).")
  }
}
