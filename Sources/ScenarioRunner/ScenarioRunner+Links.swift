import GATT
import Scenario

extension ScenarioRunner {
  /// What is wrong; nil where nothing is.
  mutating func connect(
    _ central: String, to named: String?, within limit: Duration, _ expected: Scenario.LinkExpectation
  ) async throws(StageFailure) -> String? {
    let only = scenario.phones.count == 1 ? scenario.phones[0].name : nil
    guard let phone = named ?? heard[central] ?? only else {
      throw StageFailure("\(central) has not found a phone yet; say which with Phone, or scan before")
    }
    let deadline = stage.now + limit
    let isConnected = try await stage.connect(central, to: phone, within: limit)
    guard expected.isConnected != false else {
      return isConnected ? "connected to \(phone); expected no connection" : nil
    }
    guard isConnected else { return "no connection to \(phone); expected one within \(limit.text)" }
    var expected = expected
    expected.isConnected = true
    return await check(central, until: deadline, expected)
  }

  /// What is wrong with the link when the time is up; nil as soon as nothing is.
  func check(_ central: String, until deadline: Duration, _ expected: Scenario.LinkExpectation) async -> String? {
    await wait(until: deadline) { await stage.link(of: central).difference(from: expected) }
  }

  func inspect(_ app: String, within limit: Duration, _ expected: Scenario.AppExpectation) async -> String? {
    await wait(until: stage.now + limit) { await stage.look(at: app).difference(from: expected) }
  }

  /// What is wrong; nil where nothing is.
  func receive(
    _ central: String, _ uuid: BluetoothUUID, within limit: Duration, _ value: [UInt8]?, _ isExpected: Bool
  ) async throws(StageFailure) -> String? {
    let deadline = stage.now + limit
    var others: [[UInt8]] = []
    while stage.now <= deadline,
      let next = try await stage.value(of: uuid, at: central, within: deadline - stage.now)
    {
      guard value == nil || next == value else {
        others.append(next)
        continue
      }
      return isExpected
        ? nil : "received \(next.text); expected \(value?.text ?? "nothing")" + (value == nil ? "" : " not to come")
    }
    guard isExpected else { return nil }
    let received =
      others.isEmpty ? "received nothing" : "received " + others.suffix(5).map(\.text).joined(separator: ", ")
    return "\(received); expected \(value?.text ?? "a value") within \(limit.text)"
  }

  /// What is wrong, asked for again and again.
  private func wait(until deadline: Duration, for difference: () async -> String?) async -> String? {
    let pause = min(max((deadline - stage.now) / 200, .milliseconds(50)), .seconds(1))
    while let difference = await difference() {
      guard stage.now < deadline else { return difference }
      await stage.advance(by: min(pause, deadline - stage.now))
    }
    return nil
  }
}
