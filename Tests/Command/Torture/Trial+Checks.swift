import BleperaAppLink
import BleperaBluetooth
import Synchronization

/// The checks after a kill.
extension Trial {
  func check(_ centrals: [TestedCentral], before: [TestedPhone.Preserved.Service]) async throws {
    if plan.victim != .app { try await recoverSystem(centrals) }
    for central in centrals {
      guard await perform(.readCached, by: central) else { throw TrialFailure("a cached value is not answered") }
    }
    if plan.victim == .app { try await checkAnswers(centrals) }
    try await checkSubscribers(centrals, before: before)
    if plan.victim != .app {
      try await subscribeAgain(centrals)
      try await checkAnswers(centrals)
    }
    try await checkNotifications(centrals)
  }

  /// Restarts the killed processes and waits for the same handles.
  private func recoverSystem(_ centrals: [TestedCentral]) async throws {
    if plan.recovery == .hand || plan.victim == .both {
      try await Task.sleep(for: plan.recoveryDelay)
      let isApp = plan.victim == .both && plan.recovery == .event
      let started = try isApp ? phone.startApp() : phone.startSystem()
      note(isApp ? "serve is started" : "system is started")
      shared.withLock { $0.others.append(started) }
    }
    try await Polling.wait(for: "running phone") { await self.phone.status()?.radio == .poweredOn }
    if plan.victim == .system {
      try await Polling.wait(for: "link of the app") {
        await self.phone.status()?.apps.contains { $0.state != .notRunning } == true
      }
    }
    for central in centrals {
      try await Polling.wait(for: "service at its former handle") {
        for service in TortureProfile.cached.indices {
          guard try await central.readCached(service) == TortureProfile.cachedValue else { return false }
        }
        return true
      }
    }
    note("the services are published again")
  }

  /// The app responds, relaunched if necessary.
  private func checkAnswers(_ centrals: [TestedCentral]) async throws {
    for central in centrals {
      let value: [UInt8] = [0xEE, UInt8(central.number)]
      guard await perform(.write(value), by: central) else { throw TrialFailure("a write is not answered") }
      let read = try await central.read()
      guard read == value else { throw TrialFailure("central \(central.number) wrote \(value) and reads \(read)") }
      let description = try await central.readDescription()
      let allowed = shared.withLock { $0.log.descriptions(of: central.number) }
      guard allowed.contains(description) else {
        shared.withLock { $0.lost += 1 }
        throw TrialFailure("the description of central \(central.number) is \(description), not of \(allowed)")
      }
    }
  }

  /// Compares the status with the state file.
  private func checkSubscribers(
    _ centrals: [TestedCentral], before: [TestedPhone.Preserved.Service]
  ) async throws {
    let expectations = shared.withLock { $0.log.expectations }
    let status = try await phone.reportedStatus()
    let preserved = try await phone.preserved()
    guard preserved.services == before else {
      throw TrialFailure("preserved services are \(preserved.services), were \(before)")
    }
    let numbers = Dictionary(uniqueKeysWithValues: centrals.map { ($0.address, $0.number) })
    func found(_ central: String, _ characteristic: String) throws -> OperationLog.Subscription {
      let topic = (0..<TortureProfile.topics).first { TortureProfile.topic($0) == characteristic }
      guard let topic, let number = numbers[central] else {
        throw TrialFailure("\(central) subscribed to \(characteristic)?")
      }
      return OperationLog.Subscription(central: number, topic: topic)
    }
    let shown = try status.subscribers.map { try found($0.central, $0.characteristic) }
    let kept = try preserved.subscribers.map { try found($0.central, $0.characteristic) }
    guard Set(shown).count == shown.count, Set(kept).count == kept.count else {
      throw TrialFailure("a subscription is there twice: \(shown), \(kept)")
    }
    guard Set(shown) == Set(kept) else {
      throw TrialFailure("status shows \(shown.map(Self.text)), preserved are \(kept.map(Self.text))")
    }
    let isAwaited = plan.victim != .app
    guard status.subscribers.allSatisfy({ $0.isAwaited == isAwaited }) else {
      throw TrialFailure("subscribers are\(isAwaited ? " not" : "") awaited: \(status.subscribers)")
    }
    var lost: [OperationLog.Subscription] = []
    var invented: [OperationLog.Subscription] = []
    for (subscription, expectation) in expectations {
      switch expectation {
      case .present: if !shown.contains(subscription) { lost.append(subscription) }
      case .absent: if shown.contains(subscription) { invented.append(subscription) }
      case .either: break
      }
    }
    let (lostCount, inventedCount) = (lost.count, invented.count)
    shared.withLock { shared in
      shared.lost += lostCount
      shared.invented += inventedCount
      if isAwaited { shared.subscribed = Set(shown) }
    }
    guard lost.isEmpty, invented.isEmpty else {
      throw TrialFailure(
        "lost: \(lost.map(Self.text)); invented: \(invented.map(Self.text)); there are: \(shown.map(Self.text))")
    }
    note("\(shown.count) subscriptions are as they have to be")
  }

  private static func text(_ subscription: OperationLog.Subscription) -> String {
    "central \(subscription.central) on \(subscription.topic)"
  }

  /// Awaited centrals write their CCCD; then no central is awaited.
  private func subscribeAgain(_ centrals: [TestedCentral]) async throws {
    for subscription in shared.withLock({ $0.subscribed }) {
      try await centrals[subscription.central].subscribeAgain(subscription.topic)
      guard await perform(.readCached, by: centrals[subscription.central]) else {
        throw TrialFailure("a cached value is not answered")
      }
    }
    let count = shared.withLock { $0.subscribed.count }
    let status = try await phone.reportedStatus()
    guard status.subscribers.count == count, !status.subscribers.contains(where: \.isAwaited) else {
      throw TrialFailure("\(count) have subscribed again, and the phone has \(status.subscribers)")
    }
  }

  /// Updates reach every subscriber.
  private func checkNotifications(_ centrals: [TestedCentral]) async throws {
    let subscribed = shared.withLock { $0.subscribed }
    let before = subscribed.map { centrals[$0.central].values(of: $0.topic) }
    try await Polling.wait(for: "update for each subscriber") {
      zip(subscribed, before).allSatisfy { subscription, count in
        centrals[subscription.central].values(of: subscription.topic) > count
      }
    }
  }
}
