import ArgumentParser
import BleperaBlueZ
import BleperaBluetooth
import BleperaDBus
import BleperaEventLoop
import BleperaLoop
import BleperaProfile
import BleperaProfileApp
import BleperaRules

struct ExplainCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Print what an iPhone and BlueZ advertise for profiles.",
    usage: """
      blepera explain [<options>] <file> ...
      blepera explain --link [--peer-mtu <bytes>] [--ios <version>] [--json]
      """,
    discussion: """
      For each state: every byte of both, by AD structure, the overflow area with the UUID of each bit, what centrals \
      discover, which requests the app responds to, what it receives as a central, and by which rule. The foreground and the background are shown side \
      by side if the terminal has 99 columns. Several profiles are several apps of one phone, in launch order. Errors of \
      a profile are reported as by 'blepera check', with exit status 2.

      BlueZ's packets are those of the bluetoothd that runs here, or of the one that --bluez-version and --experimental \
      name; without either, of 5.66 without -E, as in Debian 12. With --exact they are an iPhone's, as the kernel sends \
      them for 'blepera serve --exact'. With --controller they are those that a controller sends for 'blepera serve \
      --controller', without BlueZ. With --link the packets are those of the first second of a connection, of an iPhone \
      that is the peripheral and of one that is the central; with --peer-mtu also how many bytes an app may send.
      """)

  @Argument(
    help: ArgumentHelp("A profile, a property list; a folder for all in it, - for standard input.", valueName: "file"),
    completion: .propertyList)
  var files: [String] = []

  @Flag(help: "Print what an iPhone sends when it is connected, with sources.")
  var link = false

  @Option(
    help: ArgumentHelp(
      "With --link: the ATT_MTU that the peer offers; prints how many bytes an app may send.", valueName: "bytes"))
  var peerMTU: Int?

  @Option(
    help: ArgumentHelp(
      "With --peer-mtu: the data length of the link, 27 without data length (default: 251).", valueName: "bytes"))
  var dataLength: Int?

  @Option(help: ArgumentHelp("The state of the apps (default: foreground and background).", valueName: "state"))
  var state: ExplainedState?

  @Option(help: ArgumentHelp("The iOS version to emulate (default: 26).", valueName: "version"))
  var ios: IOSVersion?

  @Option(help: EmulationOptions.kindHelp)
  var phoneKind: PhoneKindName?

  @Option(help: PhoneFile.help, completion: .propertyList)
  var like: PhoneFile?

  @Option(
    help: ArgumentHelp(
      "The bluetoothd to print, such as 5.82 or next (default: the one that runs here).", valueName: "version"))
  var bluezVersion: BluetoothDaemon?

  @Flag(help: "It runs with -E, or with Experimental = true in main.conf.")
  var experimental = false

  @Flag(help: "Print what BlueZ advertises with --exact of 'blepera serve'.")
  var exact = false

  @Flag(help: "Print what a controller sends with --controller of 'blepera serve'.")
  var controller = false

  @Flag(help: "Print a JSON object on one line.")
  var json = false

  func validate() throws {
    try like?.validate()
    try PhoneKindName.validate(phoneKind, ios ?? like?.phone?.ios ?? .newest)
    guard link || !files.isEmpty else { throw ValidationError("Missing expected argument '<file> ...'") }
    guard !link || files.isEmpty && state == nil && named == nil && !exact && !controller else {
      throw ValidationError("'--link' is about the phone alone, and takes no file and no option for advertisements.")
    }
    guard !controller || named == nil && !exact else {
      throw ValidationError("'--controller' is about a phone without BlueZ, and takes no option for BlueZ's packets.")
    }
    guard link || peerMTU == nil else { throw ValidationError("'--peer-mtu' requires '--link'.") }
    guard peerMTU != nil || dataLength == nil else { throw ValidationError("'--data-length' requires '--peer-mtu'.") }
    for (name, value, range) in [("--peer-mtu", peerMTU, 23...65_535), ("--data-length", dataLength, DataLength.range)]
    {
      guard let value, !range.contains(value) else { continue }
      throw ValidationError.outOfRange(name, "\(range.lowerBound) to \(range.upperBound) bytes", Double(value))
    }
  }

  func run() async throws {
    let terminal = Terminal(.output)
    guard !link else {
      let rules = RuleSet(ios, phoneKind, like: like)
      return LinkExplanation(rules, peerMTU: peerMTU, dataLength: dataLength).print(on: terminal, asJSON: json)
    }
    let apps = ExplainedApp.all(of: try ProfileFiles.load(files))
    let running =
      named == nil && !controller
      ? ExplainedDaemon.running(await MachineProbe.look(bus: .system, on: EventLoop(name: "blepera"))) : nil
    explanation(of: apps, running: running).print(on: terminal, asJSON: json)
  }

  /// The bluetoothd that the options name; nil without them.
  private var named: BluetoothDaemon? {
    guard bluezVersion != nil || experimental else { return nil }
    return (bluezVersion ?? .ofDebian12).with(isExperimental: experimental)
  }

  func explanation(of apps: [ExplainedApp], running: ExplainedDaemon? = nil) -> Explanation {
    Explanation(
      apps, in: state.map { [$0] } ?? [.foreground, .background],
      RuleSet(ios, phoneKind, like: like).with(ownItems: [.nearbyInfo]),
      controller ? nil : named.map { ExplainedDaemon(daemon: $0, origin: .given) } ?? running ?? .assumed,
      exact: exact)
  }
}

/// The state of the apps of `blepera explain`.
enum ExplainedState: String, CaseIterable, Encodable, ExpressibleByArgument {
  case foreground
  case background
  /// In the background, after the app's background time.
  case suspended
}

/// An app of `blepera explain`.
struct ExplainedApp: Equatable {
  let id: AppID
  let identifier: String
  let identity: AppIdentity
  /// The requested advertisement; nil if the app does not advertise.
  let fields: AdvertisementData?
  /// The kinds of requests that the app's services allow.
  let requests: [CentralRequest]
  let responses: [WriteResponses]
  /// The peripheral manager; nil for an app that has the central role alone.
  let manager: ManagerID?
  /// The central manager; nil for an app without the central role.
  let central: ExplainedCentral?
  /// The share of characteristics for which each kind of request needs pairing.
  let pairing: [CentralRequest: PairingNeed]
  /// The longest `AnswerDelay` for each kind of request, without zero.
  let delays: [CentralRequest: Duration]

  init(_ profile: Profile, fileName: String, number: Int) {
    id = AppID(rawValue: number)
    identifier = profile.bundleIdentifier ?? fileName
    identity = profile.appDescription(fileName: fileName)
    fields = profile.advertisement
    let characteristics = profile.services.flatMap(\.characteristics).map(\.definition)
    responses = WriteResponses.all(of: profile)
    central = profile.central.map(ExplainedCentral.init)
    manager = profile.isPeripheral ? ManagerID(.peripheral, .number(0)) : nil
    let all = profile.services.flatMap(\.characteristics)
    var pairing: [CentralRequest: PairingNeed] = [:]
    var delays: [CentralRequest: Duration] = [:]
    for request in CentralRequest.allCases {
      let possible = all.filter { request.isPossible($0.definition) }
      let paired = possible.filter { request.needsPairing($0.definition) }
      if !paired.isEmpty { pairing[request] = paired.count == possible.count ? .all : .some }
      if request.isDelayed, let delay = possible.map(\.answerDelay).max(), delay > .zero { delays[request] = delay }
    }
    self.pairing = pairing
    self.delays = delays
    requests = CentralRequest.allCases.filter { request in characteristics.contains(where: request.isPossible) }
  }
}

extension ExplainedApp {
  var isPeripheral: Bool { manager != nil }

  /// The apps of the profiles, in their order.
  static func all(of profiles: [NamedProfile]) -> [ExplainedApp] {
    profiles.enumerated().map { ExplainedApp($1.profile, fileName: $1.name, number: $0 + 1) }
  }
}

extension ExplainedApp: Encodable {
  private enum CodingKeys: CodingKey {
    case identifier, name, backgroundMode, centralBackgroundMode, localName, serviceUUIDs, responses
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(identifier, forKey: .identifier)
    try container.encode(identity.name, forKey: .name)
    try container.encode(identity.hasBackgroundMode, forKey: .backgroundMode)
    if central != nil { try container.encode(identity.hasCentralBackgroundMode, forKey: .centralBackgroundMode) }
    try container.encodeIfPresent(fields?.localName, forKey: .localName)
    try container.encodeIfPresent(fields?.serviceUUIDs.map { "\($0)" }, forKey: .serviceUUIDs)
    if !responses.isEmpty { try container.encode(responses, forKey: .responses) }
  }
}

/// The result of `blepera explain`.
struct Explanation: CommandReport, Equatable {
  let ios: Int
  /// Nil for a controller, which sends an iPhone's packets.
  let bluetoothd: ExplainedDaemon?
  /// Whether BlueZ sends the packets of `--exact`.
  let exact: Bool
  let apps: [ExplainedApp]
  let states: [StateExplanation]

  init(
    _ apps: [ExplainedApp], in states: [ExplainedState], _ rules: RuleSet, _ bluetoothd: ExplainedDaemon? = .assumed,
    exact: Bool = false
  ) {
    ios = rules.version.rawValue
    self.bluetoothd = bluetoothd
    self.apps = apps
    self.exact = exact
    self.states = states.map { StateExplanation($0, apps, rules, bluetoothd?.daemon, isExact: exact) }
  }

  func lines(for terminal: Terminal) -> [String] { ExplanationText(terminal: terminal).lines(self) }
}

/// A profile as input of the rules.
extension Profile {
  /// - Parameter fileName: the app's name if the profile has none.
  func appDescription(fileName: String) -> AppIdentity {
    AppIdentity(
      bundleIdentifier: bundleIdentifier ?? bundleName ?? fileName, name: bundleName ?? fileName,
      backgroundModes: backgroundModes, rules: rules)
  }
}
