import AppLink
import Policy

/// What the policy says is done, one place for each action.
extension System {
  func perform(_ action: Policy.Action) {
    switch action {
    case .setState(let app, let state, let reason): setState(app, state, reason)
    case .terminate(let app, let cause): terminate(app, cause)
    case .deliver(let app, let event):
      guard let entry = messages.removeValue(forKey: event) else { return }
      apps[app]?.link.send(entry.message)
    case .queue(let app, let event):
      if let entry = messages[event], let kind = entry.message.eventKind { report(.queued(app: identifier(app), kind)) }
    case .refuse(_, let event, let error, let rule):
      let request = messages.removeValue(forKey: event)?.request
      refuse(event, error, rule, isOwed: request == nil)
    case .drop(let app, let event, let reason):
      guard let entry = messages.removeValue(forKey: event) else { return }
      if let request = entry.request { waiting[request] = nil }
      if reason == .queueFull, let kind = entry.message.eventKind { report(.dropped(app: identifier(app), kind)) }
    case .withholdAdvertising(let app, let rule):
      report(.advertisingWithheld(app: identifier(app), rule))
      answerAdvertising(of: app, error: nil)
    case .forget(let app): detach(app)
    // No app has a restoration identifier yet.
    case .relaunch, .restore, .giveUp: break
    case .clearDatabase: clearDatabase()
    case .air(let plan): air.isHeld ? air.held = plan : put(plan)
    case .schedule(let time): setDeadline(at: time)
    }
  }

  func identifier(_ id: AppID) -> String { apps[id]?.identity?.bundleIdentifier ?? "\(id.rawValue)" }

  private func setState(_ id: AppID, _ state: AppState, _ reason: StateReason) {
    // That it has ended is told as such.
    guard state != .notRunning, let app = apps[id] else { return }
    report(.state(app: identifier(id), state, reason))
    if let state = ExecutionState(rawValue: state.rawValue) { app.link.send(.didChangeState(state)) }
  }

  private func terminate(_ id: AppID, _ cause: TerminationCause) {
    guard let app = apps[id] else { return }
    report(.terminated(app: identifier(id), cause))
    app.link.close()
    detach(id)
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
