package import Profile

/// The dictionaries of a scenario.
extension SchemaSection {
  static let scenario = Self("", [.title, .seed, .phones, .centrals, .steps])
  static let phone = Self("Phones[]", [.itsName, .ios, .apps])
  static let app = Self("Phones[].Apps[]", [.itsName, .profile])
  static let central = Self("Centrals[]", [.itsName, .centralKind, .ios, .place])
  static let filter = Self(
    "Steps[].LookFor",
    [.wantedName, .wantedService, .wantedOverflow, .wantedMask, .wantedServices, .wantedPhone])

  static func step(_ kind: Scenario.Step.Kind) -> SchemaSection {
    Self("Steps[]", choice: "the step \(kind.rawValue)", [.kind, .note] + keys(of: kind))
  }

  /// Nil for a step of which nothing can be expected but that it is done.
  static func expectation(_ kind: Scenario.Step.Kind) -> SchemaSection? {
    let keys = expected(of: kind)
    return keys.isEmpty ? nil : Self("Steps[].Expect", choice: "the step \(kind.rawValue)", keys)
  }

  /// A step whose kind is not known: any key that one of them has may stand there.
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
    case .bluetooth: [.phone, .power]
    case .scan: [.central, .lookFor, .within, .expect]
    case .connect: [.central, .heardPhone, .within, .expect]
    case .pair, .disconnect: [.central]
    case .read, .subscribe, .unsubscribe: [.central, .characteristic, .expect]
    case .write: [.central, .characteristic, .written, .expect]
    case .receive: [.central, .characteristic, .within, .expect]
    case .check: [.central, .within, .expect]
    case .inspect: [.app, .within, .expect]
    case .wait: [.seconds, .realSeconds]
    case .fault: [.what, .central, .phone, .loss, .latency, .answerDelay, .app]
    }
  }

  private static func expected(of kind: Scenario.Step.Kind) -> [SchemaKey] {
    switch kind {
    case .serve, .foreground, .background, .suspend, .terminate, .quit, .crash, .lock, .unlock, .bluetooth, .reboot,
      .pair, .disconnect, .wait, .fault:
      []
    case .scan: [.found, .seenPhone, .seenName, .noName, .seenServices, .seenOverflow]
    case .connect: [.connected, .seenPhone, .linkServices, .noServices]
    case .check: [.connected, .seenPhone, .linkServices, .noServices]
    case .read: [.value, .error, .missing, .unconnected]
    case .write, .subscribe, .unsubscribe: [.error, .missing, .unconnected]
    case .receive: [.received, .value]
    case .inspect: [.state, .launches, .restoredServices, .restoredSubscribers]
    }
  }
}

extension Scenario {
  /// Every dictionary and key of the format, from which the checks and the tables of the documentation come.
  package static let schema: [SchemaSection] =
    [.scenario, .phone, .app, .central] + Step.Kind.allCases.map(SchemaSection.step)
    + [.filter] + Step.Kind.allCases.compactMap(SchemaSection.expectation)
}
