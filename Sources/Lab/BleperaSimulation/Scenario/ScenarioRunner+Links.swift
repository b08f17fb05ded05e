import BleperaBluetooth

/// Steps that use a connection or inspect an app. Each returns how the outcome differs from the expectation; nil if
/// equal.
extension ScenarioRunner {
  func connect(
    _ central: Central, to named: String?, within limit: Duration, _ expected: Scenario.LinkExpectation
  ) async throws(StoryFailure) -> String? {
    var wanted = discovered[central.name] ?? (devices.count == 1 ? devices.values.first : nil)
    if let named { wanted = try device(named) }
    guard let device = wanted else {
      throw .central("\(central) has not discovered a phone yet; give Phone, or scan before")
    }
    let (name, deadline) = (device.name, air.now + limit)
    _ = try? await central.connect(toDevice: device, limit)
    guard expected.isConnected != false else {
      return central.isConnected ? "connected to \(name); expected no connection" : nil
    }
    guard central.isConnected else { return "no connection to \(name); expected one within \(limit.text)" }
    var expected = expected
    expected.isConnected = true
    return await check(central, until: deadline, expected)
  }

  func pair(_ central: Central) async throws(StoryFailure) -> String? {
    do {
      try await central.pair()
      return nil
    } catch {
      return "not paired; expected it to pair"
    }
  }

  /// Passes as soon as the link is as expected.
  func check(_ central: Central, until deadline: Duration, _ expected: Scenario.LinkExpectation) async -> String? {
    await wait(until: deadline) { difference(central, from: expected) }
  }

  /// - Parameter app: Nil for an app that was never served.
  func inspect(_ app: App?, within limit: Duration, _ expected: Scenario.AppExpectation) async -> String? {
    await wait(until: air.now + limit) { difference(app, from: expected) }
  }

  func perform(
    _ request: Scenario.Step.Request, by central: Central, _ uuid: BluetoothUUID, _ expected: Scenario.Answer
  ) async throws(StoryFailure) -> String? {
    let (answer, text): (Scenario.Answer, String)
    do {
      switch request {
      case .read:
        let value = try await central.read(uuid)
        (answer, text) = (expected == .done ? .done : .value(value), "read \(value.text)")
      case .write(let value):
        try await central.write(value, to: uuid)
        (answer, text) = (.done, "it was done")
      case .subscribe:
        try await central.subscribe(to: uuid)
        (answer, text) = (.done, "it was done")
      case .unsubscribe:
        try await central.unsubscribe(from: uuid)
        (answer, text) = (.done, "it was done")
      }
    } catch {
      switch error {
      case .refused(let error): (answer, text) = (.error(error), "got the ATT error \(error)")
      case .notPaired:
        let error = ATTError.insufficientAuthentication
        (answer, text) = (.error(error), "got the ATT error \(error)")
      case .noCharacteristic: (answer, text) = (.missing, "found no such characteristic")
      case .notConnected, .linkLost: (answer, text) = (.notConnected, "not connected")
      // The central has disconnected.
      case .timedOut(let limit): (answer, text) = (.notConnected, "got no response within \(limit.text)")
      case .faultyProfile, .radio, .phone, .accessory, .central, .noBus, .noChannel: throw error
      }
    }
    return answer == expected ? nil : "\(text); expected \(expected.text(of: request))"
  }

  func receive(
    _ value: [UInt8]?, isExpected: Bool, by central: Central, from uuid: BluetoothUUID, within limit: Duration
  ) async throws(StoryFailure) -> String? {
    let deadline = air.now + limit
    var others: [[UInt8]] = []
    while air.now <= deadline, let next = try await central.receives(from: uuid, within: deadline - air.now) {
      guard value == nil || next == value else {
        others.append(next)
        continue
      }
      return isExpected
        ? nil : "received \(next.text); expected \(value?.text ?? "nothing")" + (value == nil ? "" : " not to arrive")
    }
    guard isExpected else { return nil }
    let received =
      others.isEmpty ? "received nothing" : "received " + others.suffix(5).map(\.text).joined(separator: ", ")
    return "\(received); expected \(value?.text ?? "a value") within \(limit.text)"
  }

  /// Checks repeatedly until no difference remains or the deadline has passed.
  private func wait(until deadline: Duration, for difference: () -> String?) async -> String? {
    let pause = min(max((deadline - air.now) / 200, .milliseconds(50)), .seconds(1))
    while let difference = difference() {
      guard air.now < deadline else { return difference }
      await air.advance(by: min(pause, deadline - air.now))
    }
    return nil
  }

  private func difference(_ central: Central, from expected: Scenario.LinkExpectation) -> String? {
    let address = central.connectedAddress
    let phone = address.map { address in devices.first { $0.value.hasUsed(address) }?.key ?? address }
    let services = phone == nil ? [] : central.services
    let found = phone.map { "connected to \($0), with the services \(services.isEmpty ? "none" : services.text)" }
    guard expected.isConnected != false else { return found.map { "\($0); expected no connection" } }
    let needsLink =
      expected.isConnected == true || expected.phone != nil || !expected.services.isEmpty
      || !expected.missingServices.isEmpty
    guard let found else { return needsLink ? "not connected; expected a connection" : nil }
    if let wanted = expected.phone, wanted != phone { return "\(found); expected the phone \(wanted)" }
    let lacking = expected.services.filter { !services.contains($0) }
    if !lacking.isEmpty { return "\(found); expected \(lacking.text)" }
    let present = expected.missingServices.filter(services.contains)
    return present.isEmpty ? nil : "\(found); expected not to find \(present.text)"
  }

  private func difference(_ app: App?, from expected: Scenario.AppExpectation) -> String? {
    func list(_ items: [some Any]) -> String {
      items.isEmpty ? "none" : items.map { "\($0)" }.joined(separator: ", ")
    }
    let (state, launches) = (app?.state ?? .notRunning, app?.launches ?? 0)
    let services = app?.restored.services ?? []
    let subscribers = app?.restored.subscribers.map(\.name) ?? []
    if let wanted = expected.state, wanted != state {
      return "the app is \(state.rawValue); expected \(wanted.rawValue)"
    }
    if let wanted = expected.launches, wanted != launches {
      return "it was launched \(launches) times; expected \(wanted)"
    }
    if let wanted = expected.restoredServices, Set(wanted) != Set(services) {
      return "restored services: \(list(services)); expected \(list(wanted))"
    }
    if let wanted = expected.restoredSubscribers, Set(wanted) != Set(subscribers) {
      return "restored subscribers: \(list(subscribers)); expected \(list(wanted))"
    }
    if let wanted = expected.discovered {
      let devices = devices
      let discovered = (app?.receptions.discovered ?? []).map { address in
        devices.first { $0.value.hasUsed(address) }?.key ?? address
      }
      if wanted != discovered { return "discovered: \(list(discovered)); expected \(list(wanted))" }
    }
    if let wanted = expected.value, wanted != app?.receptions.value {
      return "the app has received \(app?.receptions.value?.text ?? "no value"); expected \(wanted.text)"
    }
    if let wanted = expected.alerts {
      let alerts = app?.alerts ?? []
      if wanted != alerts { return "alerts: \(list(alerts)); expected \(list(wanted))" }
    }
    return nil
  }
}

extension Scenario.Answer {
  fileprivate func text(of request: Scenario.Step.Request) -> String {
    switch self {
    case .done: request == .read ? "a value" : "it to be done"
    case .value(let value): value.text
    case .error(let error): "the ATT error \(error)"
    case .missing: "that there is no such characteristic"
    case .notConnected: "no connection"
    }
  }
}
