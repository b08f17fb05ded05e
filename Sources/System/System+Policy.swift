import AppLink
import FoundationEssentials
import Policy
import Preservation

/// What the policy says is done, one place for each action.
extension System {
  func perform(_ action: Policy.Action) {
    switch action {
    case .setState(let app, let state, let reason): setState(app, state, reason)
    case .terminate(let app, let cause): terminate(app, cause)
    case .deliver(let app, let event):
      guard let entry = messages.removeValue(forKey: event) else { return }
      apps[app]?.link?.send(entry.message)
    case .queue(let app, let event):
      if let entry = messages[event], let kind = entry.message.eventKind {
        report(.queued(app: identifier(app), kind), of: app)
      }
    case .refuse(_, let event, let error, let rule):
      let request = messages.removeValue(forKey: event)?.request
      refuse(event, error, rule, isOwed: request == nil)
    case .drop(let app, let event, let reason):
      guard let entry = messages.removeValue(forKey: event) else { return }
      if reason == .queueFull, let kind = entry.message.eventKind { report(.dropped(app: identifier(app), kind)) }
    case .withholdAdvertising(let app, let rule):
      report(.advertisingWithheld(app: identifier(app), rule), of: app)
      answerAdvertising(of: app, error: nil)
    case .relaunch(let app, let reason): relaunch(app, reason)
    case .restore(let app): tellRestored(app)
    case .giveUp(let app): report(.relaunchGivenUp(app: identifier(app)), of: app)
    case .forget(let app): forget(app)
    case .clearDatabase: clearDatabase()
    case .air(let plan): air.isHeld ? air.held = plan : put(plan)
    case .schedule(let time): setDeadline(at: time)
    }
  }

  func identifier(_ id: AppID) -> String { apps[id]?.identity.bundleIdentifier ?? "\(id.rawValue)" }

  private func setState(_ id: AppID, _ state: AppState, _ reason: StateReason) {
    if case .ended(let cause) = reason { apps[id]?.ended = Ended(cause: cause, at: today) }
    guard let app = apps[id] else { return }
    guard state != .notRunning else {
      // That it is forgotten is told as such.
      guard policy.status(of: id, at: now) != nil, let ended = app.ended else { return }
      apps[id]?.awaitsAdvertising = false
      apps[id]?.isWaitingToUpdate = false
      preserve()
      return report(.preserved(app: identifier(id), ended.cause), of: id)
    }
    report(.state(app: identifier(id), state, reason), of: id)
    if let state = ExecutionState(rawValue: state.rawValue) { app.link?.send(.didChangeState(state)) }
  }
}

extension SystemMessage {
  /// What a person is told that waits; nil for callbacks that only an app cares for.
  fileprivate var eventKind: SystemEvent.Notice? {
    switch self {
    case .didSubscribe(let central, _): .subscribed(central.id.rawValue)
    case .didUnsubscribe(let central, _): .unsubscribed(central.id.rawValue)
    default: nil
    }
  }
}
