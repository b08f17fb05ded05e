package import BleperaBluetooth

/// The queries of the shell and of `status`.
extension Policy {
  package var isScreenLocked: Bool { isLocked }

  /// Whether the phone was rebooted and has not been unlocked since (R15).
  package var awaitsFirstUnlock: Bool { isBeforeFirstUnlock }

  /// `notRunning` for a terminated and for an unknown app.
  package func state(of id: AppID) -> AppState { apps.index(of: id).map { apps[$0].state } ?? .notRunning }

  /// Whether the user sees the app, or will when the screen is unlocked.
  package func isFrontmost(_ id: AppID) -> Bool { apps.index(of: id).map { apps[$0].isFrontmost } ?? false }

  /// Whether the app is neither suspended nor terminated.
  package func isRunning(_ id: AppID) -> Bool {
    switch state(of: id) {
    case .inactive, .foreground, .background: true
    case .notRunning, .suspended: false
    }
  }

  /// How many background tasks the app has begun and not ended.
  package func backgroundTaskCount(of id: AppID) -> Int {
    apps.index(of: id).map { apps[$0].backgroundTasks.count } ?? 0
  }

  /// How many updates of the app may wait for each central (R13).
  package func transmitQueueLimit(of id: AppID) -> Int {
    // In place, because copies of apps cost.
    apps.index(of: id).map { apps[$0].rules.transmitQueue.value } ?? shared.transmitQueue.value
  }

  /// The advertisement that a manager of the app has started and not stopped, on the air or not.
  package func requested(by manager: ManagerID, of id: AppID) -> AdvertisementData? {
    app(id)?.managers.first { $0.id == manager }?.requested
  }

  /// The events that wait until a manager of the app is restored, in the order of their arrival.
  package func keptNotices(of id: AppID) -> [(event: EventID, kind: NoticeKind)] {
    apps.index(of: id).map { apps[$0].keptNotices } ?? []
  }

  /// The statuses of all apps, in the order of their numbers.
  package func statuses(at now: Duration) -> [AppStatus] { apps.compactMap { status(of: $0.id, at: now) } }

  /// Nil where there is no such app.
  package func status(of id: AppID, at now: Duration) -> AppStatus? {
    guard let app = app(id) else { return nil }
    func left(_ end: Duration?) -> Duration? { end.flatMap { $0 > now ? $0 - now : nil } }
    return AppStatus(
      app: id, identity: app.identity, state: app.state, budgetLeft: left(app.budgetEnd),
      throttledFor: left(app.throttledUntil), queueLength: app.queue.count, dropped: app.dropped,
      pendingRequests: app.pendingRequests.count, overruns: app.totalOverruns,
      requested: .joined(app.managers.compactMap(\.requested)),
      effective: .joined(app.managers.compactMap(\.effective)),
      advertisingWithheldBy: app.advertisingWithheldBy, terminationCause: app.termination?.cause,
      relaunch: relaunch(of: app, at: now),
      failedRelaunches: app.failedRelaunches)
  }

  private func relaunch(of app: AppModel, at now: Duration) -> RelaunchStatus? {
    guard let termination = app.termination else { return nil }
    guard app.hasBackgroundMode && termination.isRelaunchable || app.waitsAsCentral else { return .byUser }
    switch termination.relaunch {
    case .ready where isBeforeFirstUnlock: return .afterFirstUnlock
    case .ready(let time): return time > now ? .backingOff(time - now) : .ready
    case .inProgress: return .inProgress
    case .givenUp: return .givenUp
    }
  }

  /// The managers with a requested or effective advertisement, in order of start.
  package var advertisers: [Advertiser] { apps.advertisers }
}
