import BleperaBluetooth
import BleperaProfile
import BleperaPropertyLists

/// Filters and expectations of steps.
extension ScenarioChecker {
  private mutating func expectation(_ kind: Scenario.Step.Kind, _ step: Fields) -> Fields? {
    guard let field = step[.expect], let section = SchemaSection.expectation(kind) else { return nil }
    return fields(of: field.node, section, field.path)
  }

  mutating func scan(_ step: Fields) -> Scenario.Step.Action? {
    let central = central(step)
    var filter = Scenario.Filter()
    if let field = step[.lookFor], let wanted = fields(of: field.node, .filter, field.path) {
      filter.localName = wanted.string(.wantedName)
      filter.serviceUUID = wanted[.wantedService].flatMap { uuid($0) }
      filter.overflowUUID = wanted[.wantedOverflow].flatMap { uuid($0) }
      filter.overflowMask = uuids(wanted, .wantedMask)
      filter.services = uuids(wanted, .wantedServices)
      filter.phone = mention(wanted, .wantedPhone, of: devices, device)
      filter.isNearbyInfo = only(true, wanted, .wantedNearbyInfo)
      if let central { check(wanted, for: central) }
    }
    let within = within(step)
    var discovery = Scenario.ScanExpectation()
    if let expected = expectation(.scan, step) {
      discovery.isExpected = flag(expected, .found) ?? true
      discovery.phone = mention(expected, .seenPhone, of: devices, device)
      discovery.localName = expected.string(.seenName).map { .exactly($0) }
      if only(true, expected, .noName) {
        discovery.localName = .absent
        contradiction(expected, .seenName, .noName)
      }
      discovery.serviceUUIDs = uuids(expected, .seenServices)
      discovery.overflowUUIDs = uuids(expected, .seenOverflow)
      if !discovery.isExpected {
        for key in [SchemaKey.seenPhone, .seenName, .noName, .seenServices, .seenOverflow] {
          contradiction(expected, key, .found)
        }
      }
    }
    return central.map { .scan(central: $0, filter, within: within, discovery) }
  }

  /// An iPhone's app does not receive the overflow area itself; other centrals have no `Services`.
  private mutating func check(_ wanted: Fields, for central: String) {
    guard let kind = kinds[central] else { return }
    let (foreign, advice) =
      switch kind {
      case .plain:
        ([SchemaKey.wantedServices], "ServiceUUID or OverflowUUID: Services is for a central of the kind iOS")
      case .iOS:
        (
          [.wantedService, .wantedOverflow, .wantedMask, .wantedNearbyInfo],
          "Services: Core Bluetooth reports nothing else to an app"
        )
      }
    for key in foreign {
      guard let field = wanted[key] else { continue }
      faults.error(
        at: field.node.offset, field.path, found: "\(key.name) of \(central), a central of the kind \(kind.rawValue)",
        expected: advice)
    }
  }

  mutating func link(_ kind: Scenario.Step.Kind, _ step: Fields) -> Scenario.LinkExpectation {
    var link = Scenario.LinkExpectation()
    guard let expected = expectation(kind, step) else { return link }
    link.isConnected = flag(expected, .connected)
    link.phone = mention(expected, .seenPhone, of: devices, device)
    link.services = uuids(expected, .linkServices) ?? []
    link.missingServices = uuids(expected, .noServices) ?? []
    if link.isConnected == false {
      for key in [SchemaKey.seenPhone, .linkServices, .noServices] { contradiction(expected, key, .connected) }
    }
    return link
  }

  mutating func request(
    _ kind: Scenario.Step.Kind, _ step: Fields, _ request: () -> Scenario.Step.Request?
  ) -> Scenario.Step.Action? {
    let central = central(step)
    let uuid = characteristic(step)
    var answers: [Scenario.Answer] = []
    if let expected = expectation(kind, step) {
      if let value = bytes(expected, .value, orText: .text) { answers.append(.value(value)) }
      if let error = expected[.error].flatMap({ attError($0) }) { answers.append(.error(error)) }
      if only(true, expected, .missing) { answers.append(.missing) }
      if only(false, expected, .unconnected) { answers.append(.notConnected) }
      if answers.count > 1 {
        faults.error(
          at: expected.node.offset, expected.path, found: "\(answers.count) answers to one request",
          expected: "one of them")
      }
    }
    guard let central, let uuid, let request = request() else { return nil }
    return .request(request, central: central, uuid, answers.first ?? .done)
  }

  mutating func receive(_ step: Fields) -> Scenario.Step.Action? {
    let central = central(step)
    let uuid = characteristic(step)
    let within = within(step)
    var value: [UInt8]?
    var isExpected = true
    if let expected = expectation(.receive, step) {
      value = bytes(expected, .value, orText: .text)
      isExpected = flag(expected, .received) ?? true
    }
    guard let central, let uuid else { return nil }
    return .receive(central: central, uuid, within: within, value: value, isExpected: isExpected)
  }

  mutating func inspection(_ step: Fields) -> Scenario.AppExpectation {
    var app = Scenario.AppExpectation()
    guard let expected = expectation(.inspect, step) else { return app }
    app.state = choice(expected, .state)
    app.launches = integer(expected, .launches, in: 0...1_000_000)
    app.restoredServices = uuids(expected, .restoredServices)
    app.restoredSubscribers = names(expected, .restoredSubscribers, in: centrals, "a central")
    app.discovered = names(expected, .appDiscovered, in: devices, device)
    app.value = expected[.appValue].flatMap { bytes($0) }
    app.alerts = texts(expected, .alerts)?.map(\.text)
    return app
  }

  private mutating func names(
    _ fields: Fields, _ key: SchemaKey, in table: NameTable, _ noun: String
  ) -> [String]? {
    texts(fields, key)?.filter { check($0.text, at: $0.field, in: table, noun) }.map(\.text)
  }

  private mutating func texts(_ fields: Fields, _ key: SchemaKey) -> [(text: String, field: Field)]? {
    guard let field = fields[key] else { return nil }
    return elements(of: field, .string).compactMap { element in
      guard case .string(let text) = element.node.value else { return nil }
      return (text, element)
    }
  }

  /// Reports a key that contradicts another key.
  private mutating func contradiction(_ fields: Fields, _ key: SchemaKey, _ other: SchemaKey) {
    guard let field = fields[key] else { return }
    faults.error(
      at: field.node.offset, field.path, found: "\(key.name) as well as \(other.name)", expected: "one of them")
  }
}
