import GATT
import Scenario

extension LinkView {
  /// What is wrong; nil where nothing is.
  func difference(from expected: Scenario.LinkExpectation) -> String? {
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
}

extension AppView {
  /// What is wrong; nil where nothing is.
  func difference(from expected: Scenario.AppExpectation) -> String? {
    if let wanted = expected.state, wanted != state {
      return "the app is \(state.rawValue); expected \(wanted.rawValue)"
    }
    if let wanted = expected.launches, wanted != launches {
      return "it was launched \(launches) times; expected \(wanted)"
    }
    if let wanted = expected.restoredServices, Set(wanted) != Set(restoredServices) {
      return "restored services: \(list(restoredServices)); expected \(list(wanted))"
    }
    if let wanted = expected.restoredSubscribers, Set(wanted) != Set(restoredSubscribers) {
      return "restored subscribers: \(list(restoredSubscribers)); expected \(list(wanted))"
    }
    return nil
  }

  private func list(_ items: [some Any]) -> String {
    items.isEmpty ? "none" : items.map { "\($0)" }.joined(separator: ", ")
  }
}

extension StageAnswer {
  /// What is wrong; nil where nothing is.
  func difference(from expected: Scenario.Answer, of request: Scenario.Step.Request) -> String? {
    switch (self, expected) {
    case (.value, .done): return nil
    case (.value(let value), .value(let wanted)) where value == wanted: return nil
    case (.error(let error), .error(let wanted)) where error == wanted: return nil
    case (.missing, .missing), (.notConnected, .notConnected): return nil
    case (_, _): return "\(text(of: request)); expected \(expected.text(of: request))"
    }
  }

  private func text(of request: Scenario.Step.Request) -> String {
    switch self {
    case .value(let value): request == .read ? "read \(value.text)" : "it was done"
    case .error(let error): "got the ATT error \(error)"
    case .missing: "found no such characteristic"
    case .notConnected: "not connected"
    case .nothing(let limit): "got no answer within \(limit.text)"
    }
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
