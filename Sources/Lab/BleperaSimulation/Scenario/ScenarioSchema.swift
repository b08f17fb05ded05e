import BleperaBluetooth
package import BleperaPropertyLists
import BleperaRules

/// Every key of a scenario, each declared once.
extension SchemaKey {
  static let title = Self("Title", .string, required: true, "a title of one line")
  static let seed = Self(
    "Seed", .integer, "seed for the random number generator of a virtual radio, 0 to 9223372036854775807; default: 0")
  static let phones = Self("Phones", .dictionaries, "the phones; Phones or Accessories is required")
  static let accessories = Self("Accessories", .dictionaries, "devices that are no phones, which are on; default: none")
  static let centrals = Self("Centrals", .dictionaries, "the centrals; default: none")
  static let steps = Self("Steps", .dictionaries, required: true, "what happens, in order")

  static let itsName = Self("Name", .string, required: true, "the name that steps use")
  static let ios = Self(
    "IOS", .integer,
    "the iOS version to emulate: \(IOSVersion.list); default: 26")
  static let phoneKind = Self(
    "PhoneKind", .string,
    "n1, a phone with Apple's N1, which requires iOS 26, 6s, a phone without data length, which requires at most iOS 15, "
      + "or earlier; default: earlier")
  static let splitView = Self(
    "SplitView", .boolean, "whether several apps may be in the foreground, as on an iPad; default: false")
  static let deviceName = Self(
    "DeviceName", .string, "the Device Name, \(DeviceName.form); default: iPhone, or iPad with SplitView")
  static let phoneServices = Self(
    "PhoneServices", .boolean, "whether the phone publishes an iPhone's own services too; default: false")
  static let memoryPressure = Self(
    "MemoryPressure", .number,
    "how often an hour a suspended app is terminated by chance, 0 to 3600; default: 0")
  static let publicAddress = Self(
    "PublicAddress", .boolean,
    "whether the phone has a public address, instead of an iPhone's private ones; default: false")
  static let pairing = Self(
    "Pairing", .string,
    "the response to a pairing request: just-works, refuse, passkey, which a scenario's central cannot enter, or compare, "
      + "a number that the user compares, and that a scenario's central does not show; default: just-works")
  static let apps = Self("Apps", .dictionaries, required: true, "the apps that are installed on it")
  static let profile = Self(
    "Profile", .profile, required: true, "the app's profile: a path from this file's folder, or the profile itself")
  static let accessoryProfile = Self(
    "Profile", .profile, required: true,
    "the accessory's file or a profile: a path from this file's folder, or the dictionary itself")
  static let centralKind = Self(
    "Kind", .string,
    "plain, which receives what is on the air, or iOS, which receives what iOS reports to an app; default: plain"
  )
  static let place = Self(
    "Place", .string, "where an app of the kind iOS is: foreground, background or screenOff; default: foreground")

  static let mtu = Self(
    "MTU", .integer, "the ATT_MTU that it requests on a virtual radio, 23 to 517 bytes; default: 185")

  static let kind = Self(
    "Do", .string, required: true, "the kind of step")
  static let note = Self("Note", .string, "a sentence that is printed with the step")
  static let app = Self("App", .string, "the app; default: the only app")
  static let anyApp = Self("App", .string, "the app; default: every app of the phone")
  static let phone = Self("Phone", .string, "the phone; default: the only phone")
  static let device = Self("Phone", .string, "the phone or accessory; default: the only one")
  static let forgotten = Self("Device", .string, "the phone, accessory or central that is forgotten; default: all")
  static let response = Self(
    "Response", .string, required: true, "yes or no to a number, or the six digits of a passkey")
  static let heardPhone = Self(
    "Phone", .string, "the phone or accessory; default: the one that the central discovered last")
  static let central = Self("Central", .string, "the central; default: the only central")
  static let power = Self(
    "Power", .string, required: true, "off, on, or of a phone reset, after which apps publish again")
  static let within = Self(
    "Within", .number, "time limit in seconds, 0.01 to 86400; default: 10")
  static let lookFor = Self("LookFor", .dictionary, "what the central scans for; default: anything")
  static let expect = Self("Expect", .dictionary, "what is expected; default: that the step succeeds")
  static let characteristic = Self("Characteristic", .uuid, required: true, "the characteristic's UUID")
  static let written = Self("Value", .bytes, "the value to write; this or Text is required")
  static let writtenText = Self("Text", .string, "the value to write as text, in place of Value")
  static let seconds = Self("Seconds", .number, required: true, "duration in seconds, 0.001 to 31536000")
  static let realSeconds = Self(
    "RealSeconds", .number, "duration in seconds on real adapters; default: Seconds")
  static let what = Self(
    "What", .string,
    "the fault, on a virtual radio: \(Quote.list(Scenario.Step.Fault.FaultKind.allCases.map(\.rawValue)))")
  static let defect = Self(
    "Defect", .string, "the defect of the phone: \(Quote.list(PhoneDefect.allCases.map(\.rawValue)))")
  static let isOn = Self("On", .boolean, "whether the phone has the defect from then on; default: true")
  static let answerDelay = Self(
    "AnswerDelay", .number, "seconds that the app takes to respond from then on, 0 to 60")
  static let loss = Self("Loss", .number, "probability from then on that an advertisement is missed, 0 to 1")
  static let latency = Self("Latency", .number, "latency of a packet of a connection from then on, in seconds, 0 to 5")
}

/// The keys of `LookFor` and `Expect`.
extension SchemaKey {
  static let wantedName = Self("LocalName", .string, "the local name is advertised")
  static let wantedService = Self("ServiceUUID", .uuid, "the UUID is advertised as such")
  static let wantedOverflow = Self("OverflowUUID", .uuid, "the UUID's bit of the overflow area is set")
  static let wantedMask = Self(
    "OverflowMask", .uuids,
    "the overflow area has the bits of these UUIDs and no others, which is the wrong way to look for a UUID")
  static let wantedServices = Self(
    "Services", .uuids, "the services that an app of the kind iOS scans for")
  static let wantedPhone = Self("Phone", .string, "the advertisement is from that phone or accessory")
  static let wantedNearbyInfo = Self(
    "NearbyInfo", .boolean,
    "true: the phone advertises Nearby Info, with or without an app; without the key an app advertises")

  static let found = Self("Found", .boolean, "whether a match is discovered within the limit; default: true")
  static let seenPhone = Self("Phone", .string, "the phone or accessory that is discovered or connected")
  static let seenName = Self("LocalName", .string, "the local name that is advertised")
  static let noName = Self("NoLocalName", .boolean, "true: no local name is advertised")
  static let seenServices = Self(
    "ServiceUUIDs", .uuids, "UUIDs that are advertised, possibly among others; an empty array: none is")
  static let seenOverflow = Self(
    "OverflowUUIDs", .uuids, "UUIDs whose bits of the overflow area are set; an empty array: there is no overflow area")

  static let connected = Self("Connected", .boolean, "whether the central is connected")
  static let linkServices = Self("ServiceUUIDs", .uuids, "services that the central discovers, possibly among others")
  static let noServices = Self("NoServiceUUIDs", .uuids, "services that the central does not discover")

  static let value = Self("Value", .bytes, "the value")
  static let text = Self("Text", .string, "the value as text, in place of Value")
  static let error = Self("Error", .attError, "the ATT error that the central receives")
  static let missing = Self("Missing", .boolean, "true: the central discovers no such characteristic")
  static let unconnected = Self("Connected", .boolean, "false: the central is no longer connected")
  static let received = Self("Received", .boolean, "whether it arrives within the limit; default: true")

  static let state = Self(
    "State", .string, "the state of the app: \(Quote.list(AppState.allCases.map(\.rawValue)))")
  static let launches = Self("Launches", .integer, "how many times the app was launched, by the user or by the system")
  static let restoredServices = Self(
    "RestoredServices", .uuids, "the services that were restored at its last launch; an empty array: none")
  static let restoredSubscribers = Self(
    "RestoredSubscribers", .strings, "the subscribers that were restored at its last launch; an empty array: none")
  static let appDiscovered = Self(
    "Discovered", .strings,
    "the phones and accessories that the app has discovered since its last launch, one for each report; an empty array: "
      + "none")
  static let appValue = Self("Value", .bytes, "the last value that the app has received from a peripheral")
  static let alerts = Self(
    "Alerts", .strings,
    "the alerts that the user is shown while the app is suspended, such as \"connected: Strap\"; an empty array: none")
}

/// The dictionaries of a scenario.
extension SchemaSection {
  static let scenario = Self("", [.title, .seed, .phones, .accessories, .centrals, .steps])
  static let phone = Self(
    "Phones[]",
    [
      .itsName, .ios, .phoneKind, .splitView, .deviceName, .phoneServices, .memoryPressure, .publicAddress, .pairing,
      .apps,
    ])
  static let app = Self("Phones[].Apps[]", [.itsName, .profile])
  static let accessory = Self("Accessories[]", [.itsName, .accessoryProfile])
  static let central = Self("Centrals[]", [.itsName, .centralKind, .ios, .place, .mtu])
  static let filter = Self(
    "Steps[].LookFor",
    [.wantedName, .wantedService, .wantedOverflow, .wantedMask, .wantedServices, .wantedPhone, .wantedNearbyInfo])

  static func step(_ kind: Scenario.Step.Kind) -> SchemaSection {
    Self("Steps[]", choice: "the step \(kind.rawValue)", [.kind, .note] + keys(of: kind))
  }

  /// Nil for a step that has no expectation except completion.
  static func expectation(_ kind: Scenario.Step.Kind) -> SchemaSection? {
    let keys = expected(of: kind)
    return keys.isEmpty ? nil : Self("Steps[].Expect", choice: "the step \(kind.rawValue)", keys)
  }

  /// A step of unknown kind: allows the keys of all kinds.
  static let anyStep: SchemaSection = {
    var seen: Set<String> = []
    let keys = Scenario.Step.Kind.allCases.flatMap { step($0).keys }.filter { seen.insert($0.name).inserted }
    return Self("Steps[]", [.kind] + keys.dropFirst().map { SchemaKey($0.name, $0.type, $0.meaning) })
  }()

  private static func keys(of kind: Scenario.Step.Kind) -> [SchemaKey] {
    switch kind {
    case .serve, .crash: [.app]
    case .foreground, .background, .suspend, .terminate, .quit: [.phone, .anyApp]
    case .lock, .unlock, .reboot: [.phone]
    case .bluetooth: [.device, .power]
    case .forget: [.device, .forgotten]
    case .answer: [.phone, .response]
    case .scan: [.central, .lookFor, .within, .expect]
    case .connect: [.central, .heardPhone, .within, .expect]
    case .pair, .disconnect: [.central]
    case .read, .subscribe, .unsubscribe: [.central, .characteristic, .expect]
    case .write: [.central, .characteristic, .written, .writtenText, .expect]
    case .receive: [.central, .characteristic, .within, .expect]
    case .check: [.central, .within, .expect]
    case .inspect: [.app, .within, .expect]
    case .wait: [.seconds, .realSeconds]
    case .fault: [.what, .defect, .isOn, .central, .device, .loss, .latency, .answerDelay, .app]
    }
  }

  private static func expected(of kind: Scenario.Step.Kind) -> [SchemaKey] {
    switch kind {
    case .serve, .foreground, .background, .suspend, .terminate, .quit, .crash, .lock, .unlock, .bluetooth, .reboot,
      .forget, .answer, .pair, .disconnect, .wait, .fault:
      []
    case .scan: [.found, .seenPhone, .seenName, .noName, .seenServices, .seenOverflow]
    case .connect: [.connected, .seenPhone, .linkServices, .noServices]
    case .check: [.connected, .seenPhone, .linkServices, .noServices]
    case .read: [.value, .text, .error, .missing, .unconnected]
    case .write, .subscribe, .unsubscribe: [.error, .missing, .unconnected]
    case .receive: [.received, .value, .text]
    case .inspect:
      [.state, .launches, .restoredServices, .restoredSubscribers, .appDiscovered, .appValue, .alerts]
    }
  }
}

extension Scenario {
  /// Every dictionary and key of the format, the source of the checks and of `blepera help scenario`.
  package static let schema: [SchemaSection] =
    [.scenario, .phone, .app, .accessory, .central] + Step.Kind.allCases.map(SchemaSection.step)
    + [.filter] + Step.Kind.allCases.compactMap(SchemaSection.expectation)
}
