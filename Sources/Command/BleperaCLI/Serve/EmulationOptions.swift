package import ArgumentParser
import BleperaAppLink
package import BleperaBluetooth
package import BleperaPhone
package import BleperaRadio
import BleperaRules
package import BleperaSessions

/// Settings of an emulated phone on any radio; an option that was not given is nil.
package struct EmulationOptions: ParsableArguments {
  static let phoneServicesHelp: ArgumentHelp = "Publish an iPhone's own services too."

  @Option(help: ArgumentHelp("The iOS version to emulate (default: 26).", valueName: "version"))
  var ios: IOSVersion?

  static let kindHelp = ArgumentHelp(
    "The kind of phone: n1 is the iPhone 17, 6s one without data length (default: earlier).", valueName: "kind")

  @Option(help: Self.kindHelp.hidden)
  var phoneKind: PhoneKindName?

  @Option(help: PhoneFile.help.hidden, completion: .propertyList)
  var like: PhoneFile?

  @Option(
    help: ArgumentHelp(
      "What it advertises of its own (default: nearby-info).", valueName: "items", visibility: .hidden))
  var appleItems: AppleItemNames?

  @Flag(help: ArgumentHelp("Allow several apps in the foreground, as on an iPad.", visibility: .hidden))
  var splitView = false

  /// The Device Names in the order of the phones.
  @Option(help: ArgumentHelp("The Device Name, 2A00 (default: iPhone or iPad).", valueName: "name"))
  package var deviceName: [String] = []

  @Option(
    help: ArgumentHelp(
      "How long a CoreBluetooth app runs after an event.", valueName: "seconds", visibility: .hidden))
  var wakeTime: Double?

  @Flag(help: Self.phoneServicesHelp.hidden)
  var phoneServices = false

  @Option(
    help: ArgumentHelp(
      "The response to a pairing request (default: just-works).", valueName: "mode"))
  package var pairing: PairingMode?

  @Option(help: ArgumentHelp("A defect of the phone; may be repeated.", valueName: "name"))
  var defect: [PhoneDefect] = []

  @Flag(help: ArgumentHelp("Never relaunch an app: the user launches it.", visibility: .hidden))
  var noRelaunch = false

  @Option(
    help: ArgumentHelp(
      "Variables to keep for relaunched apps.", valueName: "v", visibility: .hidden))
  var keepEnvironment: [String] = []

  package init() {}

  package func validate() throws {
    try like?.validate()
    let ios = ios ?? like?.phone?.ios
    try PhoneKindName.validate(phoneKind, ios ?? .newest)
    if let ios, ios < .ios12, appleItems?.items.isEmpty == false {
      throw ValidationError("'--apple-items' other than none requires iOS 12 or later, from which on phones send some.")
    }
    if let wakeTime, !(0...30).contains(wakeTime) {
      throw ValidationError.outOfRange("--wake-time", "0 to 30 seconds", wakeTime)
    }
    for name in deviceName {
      guard let fault = DeviceName.fault(of: name) else { continue }
      throw ValidationError("'--device-name' must have \(DeviceName.form), not \(fault).")
    }
    if let name = keptVariables.first(where: { $0.isEmpty || $0.contains("=") }) {
      throw ValidationError("'--keep-environment \(name)' is not the name of a variable; the app provides the value.")
    }
  }

  private var keptVariables: [String] {
    keepEnvironment.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
  }

  /// Refuses what a phone on bluetoothd does not have.
  func refuseVirtual() throws {
    if appleItems?.items.contains(.findMy) == true {
      throw ValidationError(
        "'--apple-items find-my' requires '--virtual' or '--controller': over BlueZ the phone has one advertisement."
      )
    }
    if pairing == .compare {
      throw ValidationError(
        "'--pairing compare' requires '--virtual' or '--controller': over BlueZ bluetoothd pairs, and asks one agent of "
          + "the computer about all devices.")
    }
    try refuse(PhoneDefect.ofLinkLayer, "the adapter's own")
    guard deviceName.isEmpty else {
      throw ValidationError(
        "'--device-name' requires '--virtual' or '--controller'; over BlueZ the name is the adapter's alias, which "
          + "'bluetoothctl system-alias NAME' sets.")
    }
  }

  /// Refuses defects that the link layer does not have.
  func refuse(_ defects: Set<PhoneDefect>, _ owner: String) throws {
    guard let defect = defect.first(where: defects.contains) else { return }
    throw ValidationError("'--defect \(defect.rawValue)' requires '--virtual': the link layer is \(owner).")
  }

  /// Refuses more names than there are phones.
  package func checkNames(ofPhones count: Int) throws {
    guard deviceName.count > count else { return }
    throw ValidationError(
      "'--device-name' is given \(Quote.counted(deviceName.count, "time")), for \(Quote.counted(count, "phone")).")
  }

  /// Refuses `passkey` where neither a terminal nor `--json` shows the passkey.
  package static func validate(_ pairing: PairingMode?, isJSON: Bool, isTerminal: Bool) throws {
    if pairing == .passkey, !isJSON, !isTerminal {
      throw ValidationError("'--pairing passkey' requires a terminal that shows the passkey, or '--json'.")
    }
  }

  var pairingMode: PairingMode { pairing ?? .justWorks }

  var rules: RuleSet {
    var rules = RuleSet(ios, phoneKind, like: like).with(splitView: splitView)
      .with(ownItems: appleItems?.items ?? [.nearbyInfo])
    rules.defects = Set(defect)
    return wakeTime.map { rules.with(wakeTime: .seconds($0)) } ?? rules
  }

  package var relaunch: RelaunchOptions {
    var options = RelaunchOptions()
    options.isAllowed = !noRelaunch
    options.environment = Set(keptVariables)
    return options
  }

  package var phone: PhoneSettings {
    var settings = PhoneSettings(rules: rules)
    settings.phoneServices = phoneServices
    settings.pairing = pairingMode
    return settings
  }

  /// The options of each phone, without its Device Name; an option that was not given is nil.
  package var options: [PhoneOption] {
    let rules = rules
    return [
      PhoneOption("--ios", ios, default: rules.version) { "\($0.rawValue)" },
      PhoneOption("--phone-kind", phoneKind?.kind, default: rules.phoneKind) { $0.rawValue },
      PhoneOption("--like", like) { $0.path },
      PhoneOption("--apple-items", appleItems?.items, default: rules.version < .ios12 ? [] : [.nearbyInfo]) { items in
        items.isEmpty ? "none" : items.map(\.rawValue).sorted().joined(separator: ",")
      },
      PhoneOption("--split-view", splitView),
      PhoneOption("--wake-time", wakeTime, default: rules.wakeTime.value / .seconds(1)) { "\($0)" },
      PhoneOption("--phone-services", phoneServices),
      PhoneOption("--pairing", pairing, default: .justWorks) { $0.rawValue },
      PhoneOption("--no-relaunch", noRelaunch),
    ].compactMap(\.self)
      + Set(defect).map(\.rawValue).sorted().map { PhoneOption(text: "--defect \($0)", isGiven: true) }
      + Set(keptVariables).sorted().map { PhoneOption(text: "--keep-environment \($0)", isGiven: true) }
  }
}

extension ArgumentHelp {
  /// The help of an option that only `--help-hidden` shows.
  var hidden: ArgumentHelp {
    var help = self
    help.visibility = .hidden
    return help
  }
}

/// An option of a phone: as it was given, or its default.
package struct PhoneOption: Equatable {
  /// The option with its value, such as `--ios 26`, or a flag, such as `--exact`.
  package let text: String
  let isGiven: Bool
}

extension PhoneOption {
  /// Returns nil for an option that has no default and was not given.
  init?<Value>(_ name: String, _ value: Value?, default: Value? = nil, _ text: (Value) -> String) {
    guard let effective = value ?? `default` else { return nil }
    self.init(text: "\(name) \(text(effective))", isGiven: value != nil)
  }

  init?(_ name: String, _ isGiven: Bool) {
    guard isGiven else { return nil }
    self.init(text: name, isGiven: true)
  }
}

/// The argument of `--apple-items`: `none`, or the names of the items, separated by commas.
struct AppleItemNames: ExpressibleByArgument {
  let items: Set<PhoneItem>

  init?(argument: String) {
    let names = argument.split(separator: ",", omittingEmptySubsequences: false).map { PhoneItem(rawValue: String($0)) }
    let items = names.compactMap(\.self)
    guard argument == "none" || items.count == names.count else { return nil }
    self.items = Set(items)
  }

  static var allValueStrings: [String] { ["none"] + PhoneItem.allCases.map(\.rawValue) }
}

/// Parses a version, such as 26 or 26.5.1; only the major number chooses the rules.
extension IOSVersion: ExpressibleByArgument {
  package init?(argument: String) {
    let numbers = argument.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
    guard (1...3).contains(numbers.count), !numbers.contains(nil), let major = numbers[0],
      argument.hasPrefix("\(major)")
    else { return nil }
    self.init(rawValue: major)
  }

  package static var allValueStrings: [String] { allCases.map { "\($0.rawValue)" } }

  package var defaultValueDescription: String { "\(rawValue)" }
}

extension PairingMode: ExpressibleByArgument {
  /// The warning for users of a real adapter at the start; nil if there is none.
  var notice: String? {
    switch self {
    case .justWorks:
      "Any device that connects to the phone can pair with it; '--pairing refuse' or '--pairing passkey' prevents that."
    case .passkey:
      "While the phone runs, devices pair with this machine only as centrals of the phone: bluetoothd asks one agent."
    case .refuse, .compare: nil
    }
  }
}

/// The argument of `--phone-kind`.
package struct PhoneKindName: ExpressibleByArgument {
  package let kind: PhoneKind

  package init?(argument: String) {
    guard let kind = PhoneKind(rawValue: argument) else { return nil }
    self.kind = kind
  }

  package static var allValueStrings: [String] { PhoneKind.allCases.map(\.rawValue) }

  /// Checks that phones of the kind run the version of iOS.
  package static func validate(_ name: PhoneKindName?, _ ios: IOSVersion?) throws {
    guard let kind = name?.kind, let ios, !kind.runs(ios) else { return }
    throw ValidationError("'--phone-kind \(kind.rawValue)' requires \(kind.versions); no such phone runs \(ios).")
  }
}
