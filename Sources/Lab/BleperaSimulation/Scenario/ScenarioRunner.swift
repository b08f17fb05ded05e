package import BleperaAppLink
import BleperaBluetooth
import BleperaRecording
import Synchronization

/// Plays a scenario on an air, step by step, up to the first step that fails.
package struct ScenarioRunner {
  let scenario: Scenario
  package let air: Air
  let phones: [String: Phone]
  let accessories: [String: Accessory]
  let centrals: [String: Central]
  private let definitions: [String: (phone: Phone, definition: AppDefinition)]
  /// The apps that have been served.
  private var apps: [String: App] = [:]
  /// The device that each central has discovered last.
  var discovered: [String: any AirDevice] = [:]
  private let failures: FailureCollector

  /// The trace of a failed step: the number of lines before the step and of the step itself.
  private static let linesBefore = 10
  private static let linesDuring = 30

  /// - Parameters:
  ///   - record: Receives the events of the phones, as they are written to a trace.
  ///   - capture: Receives the packets on a virtual radio, as records after `AirCapture.fileHeader`.
  package init(
    _ scenario: Scenario, on radio: Radio = .virtual, record: (@Sendable (EventRecord) -> Void)? = nil,
    capture: (@Sendable ([UInt8]) -> Void)? = nil
  ) {
    let failures = FailureCollector()
    let air = Air(on: radio, seed: scenario.seed, record: record, capture: capture) { failures.record($0) }
    self.scenario = scenario
    self.failures = failures
    self.air = air
    var phones: [String: Phone] = [:]
    var definitions: [String: (phone: Phone, definition: AppDefinition)] = [:]
    for (number, description) in scenario.phones.enumerated() {
      let phone = Phone(on: air, named: description.name, description.settings)
      phones[description.name] = phone
      for (place, app) in description.apps.enumerated() {
        let seed = TraceHeader.seed(scenario.seed, phone: number, app: place)
        let definition = AppDefinition(profile: app.profile, fallbackName: app.fallbackName, seed: seed)
        definitions[app.name] = (phone, definition)
      }
    }
    self.phones = phones
    self.definitions = definitions
    var accessories: [String: Accessory] = [:]
    for (number, accessory) in scenario.accessories.enumerated() {
      let seed = TraceHeader.seed(scenario.seed, phone: scenario.phones.count + number, app: 0)
      accessories[accessory.name] = Accessory(on: air, named: accessory.name, accessory.description, seed: seed)
    }
    self.accessories = accessories
    centrals = Dictionary(uniqueKeysWithValues: scenario.centrals.map { ($0.name, Self.central($0, on: air)) })
  }

  /// The names of the centrals by the addresses that phones report.
  package var centralNames: [String: String] {
    Dictionary(centrals.map { ($1.address, $0) }, uniquingKeysWith: { first, _ in first })
  }

  private static func central(_ description: Scenario.Central, on air: Air) -> Central {
    let central = Central(
      on: air, named: description.name, as: description.kind == .iOS ? .iPhoneApp(iOS: description.ios.rawValue) : .any,
      mtu: description.mtu, like: description.measured)
    switch description.place {
    case .foreground: break
    case .background: central.moveToBackground()
    case .screenOff: central.switchScreen(on: false)
    }
    return central
  }

  /// - Parameters:
  ///   - file: The name of the scenario in the result.
  ///   - report: Called with each step that was played or skipped.
  package mutating func run(file: String, report: (StepResult) -> Void = { _ in }) async -> ScenarioResult {
    var results: [StepResult] = []
    var isOver = false
    for (number, step) in scenario.steps.enumerated() {
      let start = air.now
      let result: StepResult
      if isOver {
        result = StepResult(step, .skipped, start: start, end: start)
      } else {
        let mark = air.traceCount
        air.note("scenario", "step \(number + 1): \(step.text)")
        let outcome = await play(step)
        isOver = outcome != .passed
        result = StepResult(step, outcome, start: start, end: air.now, trace: isOver ? excerpt(from: mark) : [])
      }
      results.append(result)
      report(result)
    }
    return ScenarioResult(title: scenario.title, file: file, steps: results)
  }

  private func excerpt(from mark: Int) -> [String] {
    let trace = air.trace(last: air.traceCount - mark + Self.linesBefore)
    let during = trace.suffix(air.traceCount - mark)
    let before = trace.dropLast(during.count)
    let left = during.count - Self.linesDuring
    guard left > 0 else { return trace }
    return Array(before + during.prefix(1)) + ["... \(left) lines"] + Array(during.dropFirst(1 + left))
  }

  private mutating func play(_ step: Scenario.Step) async -> StepResult.Outcome {
    do throws(StoryFailure) {
      let difference = try await perform(step.action)
      try failures.throwIfAny()
      return difference.map { .failed($0) } ?? .passed
    } catch {
      return .broken(error.description)
    }
  }

  /// - Returns: How the outcome differs from the expectation; nil if equal.
  private mutating func perform(_ action: Scenario.Step.Action) async throws(StoryFailure) -> String? {
    try failures.throwIfAny()
    switch action {
    case .serve(let app): try serve(app)
    case .crash(let app): try self.app(app).crash()
    case .command(let command, let phone, let app):
      try self.phone(phone).perform(command, try app.map { name throws(StoryFailure) in try self.app(name) })
    case .forget(let device, let other): try forget(other, at: device)
    case .answer(let response, let phone): try self.phone(phone).pair(response)
    case .power(let accessory, let isOn): accessories[accessory]?.switchPower(on: isOn)
    case .wait(let virtual, let real): await air.advance(by: air.radio.isVirtual ? virtual : real)
    case .fault(let fault): try apply(fault)
    case .pair(let central): return try await pair(try self.central(central))
    case .disconnect(let central): await (try self.central(central)).disconnect()
    case .scan(let central, let filter, let limit, let expected):
      return try await scan(try self.central(central), filter, within: limit, expected)
    case .connect(let central, let phone, let limit, let expected):
      return try await connect(try self.central(central), to: phone, within: limit, expected)
    case .check(let central, let limit, let expected):
      return await check(try self.central(central), until: air.now + limit, expected)
    case .inspect(let app, let limit, let expected): return await inspect(apps[app], within: limit, expected)
    case .request(let request, let central, let uuid, let expected):
      return try await perform(request, by: try self.central(central), uuid, expected)
    case .receive(let central, let uuid, let limit, let value, let isExpected):
      return try await receive(
        value, isExpected: isExpected, by: try self.central(central), from: uuid, within: limit)
    }
    return nil
  }

  private mutating func serve(_ name: String) throws(StoryFailure) {
    guard let (phone, definition) = definitions[name] else { throw .phone("no such app: \(name)") }
    if let app = apps[name] { phone.launch(app) } else { apps[name] = phone.launch(definition) }
  }

  private func forget(_ other: String?, at device: String) throws(StoryFailure) {
    var address: String?
    if let other {
      address = if let central = centrals[other] { central.address } else { try self.device(other).identityAddress }
    }
    guard let accessory = accessories[device] else { return try phone(device).forgetBonds(with: address) }
    accessory.forgetBonds(with: address)
  }

  private func apply(_ fault: Scenario.Step.Fault) throws(StoryFailure) {
    if let loss = fault.loss { air.loss = loss }
    if let latency = fault.latency { air.latency = latency }
    if let answer = fault.answer { try app(answer.app).answerDelay = answer.delay }
    switch fault.event {
    case .link(let kind, let central, let device):
      let central = try self.central(central)
      try apply(
        kind, Link(air: air, central: (central.name, central.address), device: try self.device(device)))
    case .machine(let kind, let phone): try apply(kind, try self.phone(phone))
    case .defect(let defect, let phone, let isOn): try self.phone(phone).setDefect(defect, isOn: isOn)
    case nil: break
    }
  }

  private func apply(_ kind: Scenario.Step.Fault.FaultKind, _ link: Link) throws(StoryFailure) {
    switch kind {
    case .dropLink: try link.drop()
    case .stallLink: link.stall()
    case .resumeLink: link.resume()
    case .stopBluetoothd, .startBluetoothd, .unplugAdapter, .plugAdapter: break
    }
  }

  private func apply(_ kind: Scenario.Step.Fault.FaultKind, _ phone: Phone) throws(StoryFailure) {
    switch kind {
    case .stopBluetoothd: phone.stopBluetoothd()
    case .startBluetoothd: try phone.startBluetoothd()
    case .unplugAdapter: phone.unplugAdapter()
    case .plugAdapter: phone.plugAdapter()
    case .dropLink, .stallLink, .resumeLink: break
    }
  }

  // MARK: Names

  func phone(_ name: String) throws(StoryFailure) -> Phone {
    guard let phone = phones[name] else { throw .phone("no such phone: \(name)") }
    return phone
  }

  /// The phones and accessories.
  var devices: [String: any AirDevice] {
    accessories.reduce(into: phones.mapValues { $0 as any AirDevice }) { $0[$1.key] = $1.value }
  }

  func device(_ name: String) throws(StoryFailure) -> any AirDevice {
    if let accessory = accessories[name] { return accessory }
    return try phone(name)
  }

  private func central(_ name: String) throws(StoryFailure) -> Central {
    guard let central = centrals[name] else { throw .central("no such central: \(name)") }
    return central
  }

  private func app(_ name: String) throws(StoryFailure) -> App {
    guard let app = apps[name] else {
      throw .phone("the app \(name) was never served; a step serve has to come first")
    }
    return app
  }
}

/// Actions of a story that could not be performed.
private final class FailureCollector: Sendable {
  private let failures = Mutex<[StoryFailure]>([])

  func record(_ failure: StoryFailure) { failures.withLock { if !$0.contains(failure) { $0.append(failure) } } }

  /// Throws what has been recorded since the last call.
  func throwIfAny() throws(StoryFailure) {
    let recorded = failures.withLock { failures in
      defer { failures = [] }
      return failures
    }
    guard let first = recorded.first else { return }
    throw recorded.count == 1 ? first : .phone(recorded.map { "\($0)" }.joined(separator: "; "))
  }
}
