import BleperaBluetooth

/// R15: the cause of the termination, changes of Bluetooth since, and the version of iOS decide whether an app may be
/// relaunched (Apple QA1962, TN3115; the values are `RuleSet.relaunch`).
extension Policy {
  /// Preserves or removes a running app. Only a force quit and a reboot affect an app that is already terminated.
  mutating func end(_ id: AppID, _ cause: TerminationCause, isToBeTerminated: Bool = false) -> [Action] {
    guard let index = apps.index(of: id) else { return [] }
    if shared.relaunch[cause.trigger]?.value == .relaunchedAfterFirstUnlock { isBeforeFirstUnlock = true }
    let wasTerminated = apps[index].termination != nil
    if wasTerminated, cause != .forceQuit, cause != .reboot { return [] }
    guard apps[index].isPreserved(after: cause.trigger) else { return forget(index, cause, isToBeTerminated) }
    let termination: [Action] = isToBeTerminated ? [.terminate(id, cause)] : []
    let losses = cause == .reboot ? apps[index].forgetEvents() : []
    guard !wasTerminated else {
      apps[index].updateTermination(cause)
      return losses + termination
    }
    return losses + apps[index].preserve(cause, hasCentrals: hasCentrals, at: clock) + termination
  }

  /// Terminates every app and locks the screen; until the first unlock nothing is on the air and no app is relaunched.
  mutating func reboot() -> [Action] {
    isLocked = true
    isBeforeFirstUnlock = true
    return apps.map { ($0.id, $0.hasProcess) }.flatMap { id, hasProcess in
      end(id, .reboot, isToBeTerminated: hasProcess)
    }
  }

  /// Removes the terminated apps that are not preserved after the switch; other apps are not affected.
  mutating func switchBluetooth(by means: BluetoothSwitch) -> [Action] {
    let forgotten = apps.filter { $0.termination != nil && !$0.isPreserved(after: means.trigger) }.map(\.id)
    return forgotten.flatMap { id in
      apps.index(of: id).map { forget($0, nil, false) } ?? []
    }
  }

  /// Removes an app with its queued events and pending requests.
  private mutating func forget(_ index: Int, _ cause: TerminationCause?, _ isToBeTerminated: Bool) -> [Action] {
    var app = apps.remove(at: index)
    var actions = app.forgetEvents()
    if let cause, app.termination == nil {
      actions.append(.setState(app.id, .notRunning, .terminated(cause)))
      if isToBeTerminated { actions.append(.terminate(app.id, cause)) }
    }
    return actions + [.forget(app.id)]
  }
}

extension TerminationCause {
  var trigger: RelaunchTrigger {
    switch self {
    case .memoryPressure: .memoryPressure
    case .crash: .crash
    case .forceQuit: .forceQuit
    case .exceededLimits: .exceededLimits
    case .reboot, .shutDown: .reboot
    }
  }
}

extension BluetoothSwitch {
  fileprivate var trigger: RelaunchTrigger {
    switch self {
    case .settings: .bluetoothSwitchedInSettings
    case .controlCenter: .bluetoothToggledInControlCenter
    case .airplaneMode: .airplaneMode
    }
  }
}
