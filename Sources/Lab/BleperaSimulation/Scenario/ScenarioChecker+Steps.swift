import BleperaAppLink
import BleperaBluetooth
import BleperaPropertyLists

/// Checks of steps, by kind.
extension ScenarioChecker {
  mutating func step(_ element: Field) -> Scenario.Step? {
    guard let kind = kind(of: element), let fields = fields(of: element.node, .step(kind), element.path) else {
      return nil
    }
    guard let action = action(kind, fields) else { return nil }
    let line = lines.position(of: element.node.offset).line
    return Scenario.Step(line: line, note: fields.string(.note), action: action)
  }

  /// The kind of step. Without a kind, only unknown keys are reported.
  private mutating func kind(of element: Field) -> Scenario.Step.Kind? {
    guard case .dictionary(let dictionary) = element.node.value,
      let entry = dictionary[SchemaKey.kind.name], case .string(let word) = entry.node.value
    else {
      _ = fields(of: element.node, .anyStep, element.path)
      return nil
    }
    if let kind = Scenario.Step.Kind(rawValue: word) { return kind }
    guard let fields = fields(of: element.node, .anyStep, element.path) else { return nil }
    let _: Scenario.Step.Kind? = choice(fields, .kind)
    return nil
  }

  private mutating func action(_ kind: Scenario.Step.Kind, _ fields: Fields) -> Scenario.Step.Action? {
    switch kind {
    case .serve: return app(fields).map { .serve(app: $0) }
    case .crash: return app(fields).map { .crash(app: $0) }
    case .foreground, .background, .suspend, .terminate, .quit, .lock, .unlock, .reboot:
      return ControlRequest.Command(rawValue: kind.rawValue).flatMap { command($0, fields) }
    case .bluetooth:
      guard let power: Power = choice(fields, .power) else { return nil }
      let only = devices.names.count == 1 ? devices.names[0] : nil
      if let name = fields.string(.device) ?? only, accessories.names.contains(name) {
        if power == .reset, let field = fields[.power] {
          error(field, found: "reset of \(name), an accessory", expected: "off or on")
        }
        return .power(accessory: name, isOn: power == .on)
      }
      switch power {
      case .off: return command(.bluetoothOff, fields)
      case .on: return command(.bluetoothOn, fields)
      case .reset: return command(.bluetoothReset, fields)
      }
    case .forget:
      let others = NameTable(
        names: devices.names + centrals.names, isComplete: devices.isComplete && centrals.isComplete)
      let other = mention(fields, .forgotten, of: others, "a phone, an accessory or a central")
      return reference(fields, .device, to: devices, device).map { .forget(device: $0, other: other) }
    case .answer:
      guard let phone = reference(fields, .phone, to: phones, "a phone"), let text = fields.string(.response) else {
        return nil
      }
      if let response = PairingResponse(rawValue: text) { return .answer(response, phone: phone) }
      if let field = fields[.response] { error(field, found: Quote.text(text), expected: "yes, no or six digits") }
      return nil
    case .scan: return scan(fields)
    case .connect:
      let central = central(fields)
      let phone = mention(fields, .heardPhone, of: devices, device)
      let (within, expected) = (within(fields), link(.connect, fields))
      return central.map { .connect(central: $0, phone: phone, within: within, expected) }
    case .pair: return central(fields).map { .pair(central: $0) }
    case .disconnect: return central(fields).map { .disconnect(central: $0) }
    case .read: return request(kind, fields) { .read }
    case .subscribe: return request(kind, fields) { .subscribe }
    case .unsubscribe: return request(kind, fields) { .unsubscribe }
    case .write:
      require(fields, .written, orText: .writtenText)
      let value = bytes(fields, .written, orText: .writtenText)
      return request(kind, fields) { value.map { .write($0) } }
    case .receive: return receive(fields)
    case .check:
      let central = central(fields)
      let (within, expected) = (within(fields), link(.check, fields))
      guard demand(expected == Scenario.LinkExpectation(), .check, fields) else { return nil }
      return central.map { .check(central: $0, within: within, expected) }
    case .inspect:
      let app = app(fields)
      let (within, expected) = (within(fields), inspection(fields))
      guard demand(expected == Scenario.AppExpectation(), .inspect, fields) else { return nil }
      return app.map { .inspect(app: $0, within: within, expected) }
    case .wait:
      let virtual = duration(fields, .seconds, in: 0.001...31_536_000)
      let real = duration(fields, .realSeconds, in: 0.001...86_400)
      return virtual.map { .wait($0, real: real ?? $0) }
    case .fault: return fault(fields)
    }
  }

  private enum Power: String, CaseIterable {
    case off, on, reset
  }

  /// For messages.
  var device: String { accessories.names.isEmpty ? "a phone" : "a phone or an accessory" }

  mutating func central(_ fields: Fields) -> String? { reference(fields, .central, to: centrals, "a central") }

  private mutating func app(_ fields: Fields) -> String? { reference(fields, .app, to: apps, "an app") }

  /// The phone defaults to the app's.
  private mutating func command(
    _ command: ControlRequest.Command, _ fields: Fields
  ) -> Scenario.Step.Action? {
    let app = mention(fields, .anyApp, of: apps, "an app")
    if let app, !fields.has(.phone) { return .command(command, phone: home[app] ?? "", app: app) }
    guard let phone = reference(fields, .phone, to: phones, "a phone") else { return nil }
    if let app, let home = home[app], home != phone, let field = fields[.anyApp] {
      error(field, found: "\(Quote.text(app)), which is on the phone \(home)", expected: "an app of the phone \(phone)")
    }
    return .command(command, phone: phone, app: app)
  }

  private mutating func fault(_ fields: Fields) -> Scenario.Step.Action? {
    var fault = Scenario.Step.Fault(
      loss: quantity(fields, .loss, of: "a probability", in: 0...1), latency: duration(fields, .latency, in: 0...5))
    let what: Scenario.Step.Fault.FaultKind? = choice(fields, .what)
    if let what {
      let central = what.isOfLink ? central(fields) : nil
      let table = what.isOfLink ? devices : phones
      guard let phone = reference(fields, .device, to: table, what.isOfLink ? device : "a phone") else { return nil }
      if !what.isOfLink {
        fault.event = .machine(what, phone: phone)
      } else if let central {
        fault.event = .link(what, central: central, phone: phone)
      }
    }
    let defect: PhoneDefect? = choice(fields, .defect)
    if let defect {
      guard let phone = reference(fields, .device, to: phones, "a phone") else { return nil }
      if what != nil, let field = fields[.defect] { error(field, found: "What and Defect", expected: "one of them") }
      fault.event = .defect(defect, phone: phone, isOn: flag(fields, .isOn) ?? true)
    }
    if let delay = duration(fields, .answerDelay, in: 0...60), let app = app(fields) {
      fault.answer = Scenario.Step.Fault.Answer(delay: delay, app: app)
    }
    let choices: [SchemaKey] = [.what, .defect, .loss, .latency, .answerDelay]
    if choices.allSatisfy({ fields.lacks($0) }) {
      faults.error(
        at: fields.node.offset, fields.path, found: "none of \(Quote.list(choices.map(\.name)))",
        expected: "a fault")
    }
    // An unknown fault has been reported.
    guard what != nil || fields.lacks(.what), defect != nil || fields.lacks(.defect) else { return nil }
    refuse(.central, fields, unless: what?.isOfLink ?? false, "a What of the link between a central and a phone")
    refuse(
      .phone, fields, unless: what != nil || defect != nil,
      "a What or a Defect; Loss and Latency apply to the whole air")
    refuse(.isOn, fields, unless: defect != nil, "a Defect")
    refuse(.app, fields, unless: !fields.lacks(.answerDelay), "an AnswerDelay")
    return .fault(fault)
  }

  /// Reports a key that has no effect.
  private mutating func refuse(_ key: SchemaKey, _ fields: Fields, unless isOfUse: Bool, _ wanted: String) {
    guard !isOfUse, let field = fields[key] else { return }
    error(field, found: key.name, expected: "\(key.name) only with \(wanted)")
  }

  /// Reports a step that expects nothing.
  private mutating func demand(_ isEmpty: Bool, _ kind: Scenario.Step.Kind, _ fields: Fields) -> Bool {
    guard isEmpty else { return true }
    // Faulty expectations have been reported.
    guard fields.lacks(.expect) || isPlainlyEmpty(fields) else { return false }
    let names = SchemaSection.expectation(kind)?.keys.map(\.name) ?? []
    faults.error(
      at: fields.node.offset, fields.path, found: "nothing that is expected",
      expected: "Expect with at least one of \(Quote.list(names))")
    return false
  }

  private func isPlainlyEmpty(_ fields: Fields) -> Bool {
    guard case .dictionary(let dictionary)? = fields[.expect]?.node.value else { return false }
    return dictionary.entries.isEmpty && dictionary.isComplete
  }
}
