import BleperaAppLink
import BleperaRecording
import BleperaRules
import BleperaSimulation

/// Converts events to the data of the page: phones, apps and centrals, the events, and the states between them.
struct ReportBuilder {
  private var run: ReportRun
  private let beginning: Duration
  private var texts = Interned<String>()
  private var kinds = Interned<String>()
  private var airs = Interned<EventRecord>()
  private var phones = Interned<String?>()
  private var centrals = Interned<String>()
  private let centralNames: [String: String]
  /// The spans of each lane, by its key.
  private var spans: [SpanKey: ReportSpans] = [:]
  /// The place of the simulated central, which does not report its own address.
  private var simulatedCentral: Int?

  private enum SpanKey: Hashable {
    case state(phone: Int, app: Int)
    case air(phone: Int)
    case off(phone: Int)
    case link(central: Int, phone: Int)
    case subscription(central: Int, phone: Int, attribute: String)
  }

  static func run(_ source: ReportSource) -> ReportRun {
    var builder = ReportBuilder(source)
    var others = source.centralLines[...]
    for line in source.lines {
      while let other = others.first, other.number < line.number {
        builder.add(other)
        others.removeFirst()
      }
      builder.add(line)
    }
    for other in others { builder.add(other) }
    for step in source.steps { builder.add(step) }
    return builder.finished
  }

  private init(_ source: ReportSource) {
    let begun = Timestamp(date: source.header.time) ?? source.lines.first?.time ?? .now
    beginning = min(begun, source.lines.first?.time ?? begun).sinceEpoch
    centralNames = source.centralNames
    run = ReportRun(
      title: source.title, source: source.source, ios: source.header.ios, radio: source.header.radio?.rawValue,
      begun: Timestamp(sinceEpoch: beginning).date, omitted: source.omitted)
    for phone in source.header.phones {
      let number = self.phone(phone.name)
      for app in phone.apps { _ = self.app(app, of: number) }
    }
    for (address, _) in source.centralNames.sorted(by: { $0.key < $1.key }) { _ = central(address) }
    guard !source.centralLines.isEmpty else { return }
    let addresses = Set(source.lines.compactMap { $0.record.text(.central) })
    let place = central(addresses.count == 1 ? addresses.first ?? "" : "")
    run.centrals[place].name = "central"
    simulatedCentral = place
  }

  // MARK: Phones, apps and centrals

  private mutating func phone(_ name: String?) -> Int {
    let (index, isNew) = phones.index(of: name)
    if isNew { run.phones.append(ReportRun.Phone(name: name ?? "phone")) }
    return index
  }

  private mutating func app(_ id: String, of phone: Int) -> Int {
    if let index = run.phones[phone].apps.firstIndex(where: { $0.id == id }) { return index }
    run.phones[phone].apps.append(ReportRun.App(id: id))
    return run.phones[phone].apps.count - 1
  }

  private mutating func central(_ address: String) -> Int {
    let (index, isNew) = centrals.index(of: address)
    if isNew {
      run.centrals.append(
        ReportRun.Central(name: centralNames[address] ?? address, address: address.isEmpty ? nil : address))
    }
    return index
  }

  private mutating func kind(_ kind: ReportRun.Kind) -> Int {
    let (index, isNew) = kinds.index(of: kind.id)
    if isNew { run.kinds.append(kind) }
    return index
  }

  private mutating func text(_ text: String) -> Int { texts.index(of: text).index }

  // MARK: Events

  private mutating func add(_ line: TraceFile.Line) {
    let record = line.record
    let phone = record.event.isOfHost ? nil : phone(record.phone)
    let app = record.app.flatMap { app in phone.map { self.app(app, of: $0) } }
    let kind = record.reportKind
    let text = EventText(record, at: line.time)
    let named = (record.text(.central).map { [$0] } ?? []) + (record.texts(.centrals) ?? [])
    add(
      line.number, line.time, phone: phone, app: app, kind, label: text.label, details: text.details,
      centrals: named.map { central($0) }, rules: record.rules.map(\.rawValue),
      fields: record.reportFields, isProblem: record.isRefused || kind.category == .problem)
    count(record, kind)
    if let phone { track(record, phone: phone, app: app, at: run.events.count - 1) }
  }

  private mutating func add(_ line: TraceFile.CentralLine) {
    let record = line.record
    add(
      line.number, line.time, phone: nil, app: nil,
      ReportRun.Kind(id: "central \(record.event)", category: record.category, meaning: "The central reports this."),
      label: record.event, details: record.details, centrals: simulatedCentral.map { [$0] } ?? [], rules: [],
      fields: record.reportFields, isProblem: record.category == .problem)
  }

  private mutating func add(
    _ line: Int, _ time: Timestamp, phone: Int?, app: Int?, _ kind: ReportRun.Kind, label: String, details: String,
    centrals: [Int], rules: [Int], fields: [(name: String, value: String)], isProblem: Bool
  ) {
    // Events keep their order also if the clock is set back.
    let milliseconds = max(run.length, Int((time.sinceEpoch - beginning) / .milliseconds(1)))
    run.length = milliseconds
    let fields = fields.flatMap { [text($0.name), text($0.value)] }
    run.events.append(
      ReportRun.Event(
        time: milliseconds, line: line, phone: phone, app: app, kind: self.kind(kind), label: text(label),
        details: text(details), centrals: centrals, rules: rules, fields: fields, isProblem: isProblem))
  }

  private mutating func count(_ record: EventRecord, _ kind: ReportRun.Kind) {
    switch record.event {
    case .read, .write: run.counts.requests += 1
    case .notified: run.counts.notifications += 1
    case .connected: run.counts.connections += 1
    case .terminated: run.counts.kills += 1
    case .relaunching: run.counts.restorations += 1
    case .restored: if record[.preservedSince] != nil { run.counts.restorations += 1 }
    default: break
    }
    if record.isRefused { run.counts.refused += 1 }
    if kind.category == .problem { run.counts.problems += 1 }
  }

  private mutating func add(_ step: ReportSource.Step) {
    let (result, outcome) = (step.result, step.result.outcome.name)
    let start = Int(result.start / .milliseconds(1))
    let end = Int(result.end / .milliseconds(1))
    run.length = max(run.length, end)
    run.steps.append(
      ReportRun.Step(
        first: step.first, start: start, end: end, line: result.line, text: result.text, note: result.note,
        outcome: outcome, reason: result.failure, trace: result.trace.isEmpty ? nil : result.trace))
  }

  // MARK: States

  private mutating func track(_ record: EventRecord, phone: Int, app: Int?, at index: Int) {
    switch record.event {
    case .state: if let app { set(.state(phone: phone, app: app), text(record.text(.state) ?? ""), at: index) }
    case .terminated: if let app { set(.state(phone: phone, app: app), text("notRunning"), at: index) }
    case .removed: if let app { set(.state(phone: phone, app: app), nil, at: index) }
    case .advertising: set(.air(phone: phone), air(record), at: index)
    case .advertisingStopped, .advertisingSuppressed, .advertisingLost, .advertisingFailed:
      set(.air(phone: phone), nil, at: index)
    case .poweredOn: set(.off(phone: phone), nil, at: index)
    case .poweredOff, .noAdapter, .noDaemon, .busLost:
      set(.off(phone: phone), text(record.event.format.label), at: index)
      set(.air(phone: phone), nil, at: index)
    case .connected:
      if let central = record.text(.central).map({ self.central($0) }) { link(central, phone, at: index) }
    case .disconnected:
      if let central = record.text(.central).map({ self.central($0) }) { unlink(central, phone, at: index) }
    case .subscribed, .unsubscribed:
      guard let central = record.text(.central).map({ self.central($0) }) else { return }
      let attribute = record.uuid(.characteristic).map(ReportText.uuid) ?? ""
      let value = record.event == .subscribed ? text("\(run.phones[phone].name)  \(attribute)") : nil
      let key = "\(record.uuid(.service).map { "\($0)" } ?? "") \(attribute)"
      set(.subscription(central: central, phone: phone, attribute: key), value, at: index)
    default: break
    }
  }

  private mutating func air(_ record: EventRecord) -> Int {
    var key = record
    (key.time, key.phone, key.side) = ("", nil, nil)
    let (index, isNew) = airs.index(of: key)
    if isNew { run.airs.append(ReportAir(record)) }
    return index
  }

  private mutating func link(_ central: Int, _ phone: Int, at index: Int) {
    set(.link(central: central, phone: phone), phone, at: index)
  }

  private mutating func unlink(_ central: Int, _ phone: Int, at index: Int) {
    set(.link(central: central, phone: phone), nil, at: index)
    let ended = spans.keys.filter { key in
      if case .subscription(central, phone, _) = key { true } else { false }
    }
    for key in ended { set(key, nil, at: index) }
  }

  private mutating func set(_ key: SpanKey, _ value: Int?, at index: Int) {
    spans[key, default: ReportSpans()].set(value, at: index)
  }

  private var finished: ReportRun {
    var run = run
    run.texts = texts.values
    for (key, spans) in spans {
      let list = spans.finished(at: run.events.count)
      switch key {
      case .state(let phone, let app): run.phones[phone].apps[app].states = list
      case .air(let phone): run.phones[phone].air = list
      case .off(let phone): run.phones[phone].off = list
      case .link(let central, _): run.centrals[central].links += list
      case .subscription(let central, _, _): run.centrals[central].subscriptions += list
      }
    }
    for index in run.centrals.indices {
      run.centrals[index].links.sort { $0.lexicographicallyPrecedes($1) }
      run.centrals[index].subscriptions.sort { $0.lexicographicallyPrecedes($1) }
    }
    return run
  }
}

/// Values that hold from one event to another.
struct ReportSpans {
  private var ended: [[Int]] = []
  private var current: (from: Int, value: Int)?

  /// - Parameter value: the value from the event on; nil ends the span.
  mutating func set(_ value: Int?, at index: Int) {
    if let current {
      if current.value == value { return }
      ended.append([current.from, index, current.value])
    }
    current = value.map { (index, $0) }
  }

  func finished(at end: Int) -> [[Int]] { ended + (current.map { [[$0.from, end, $0.value]] } ?? []) }
}

/// Distinct values, in the order of their first use.
private struct Interned<Value: Hashable> {
  private(set) var values: [Value] = []
  private var indices: [Value: Int] = [:]

  mutating func index(of value: Value) -> (index: Int, isNew: Bool) {
    if let index = indices[value] { return (index, false) }
    indices[value] = values.count
    values.append(value)
    return (values.count - 1, true)
  }
}
