import BleperaAir
import BleperaVirtualBlueZ
import Synchronization

/// The operations of the centrals until the kill, and for a while after it where the phone runs.
extension Trial {
  func load(_ central: TestedCentral) async {
    var choices = plan.choices(of: central.number)
    var topics = TortureProfile.topics(of: central.number)
    var rest = plan.victim == .app ? plan.further : 0
    var written: UInt8 = 0
    while true {
      if shared.withLock({ $0.isKilled }) {
        guard rest > 0 else { return }
        rest -= 1
      }
      written &+= 1
      let operation: Operation
      switch Int.random(in: 0..<10, using: &choices) {
      case 0..<5:
        guard let topic = topics.randomElement(using: &choices) else { return }
        let subscription = OperationLog.Subscription(central: central.number, topic: topic)
        let isSubscribed = shared.withLock { $0.subscribed.contains(subscription) }
        // bluetoothd ignores an unsubscription before the phone has responded to the subscription.
        if isSubscribed { await perform(.readCached, by: central) }
        operation = isSubscribed ? .unsubscribe(topic) : .subscribe(topic)
      case 5: operation = .write([written])
      case 6: operation = .read
      case 7, 8: operation = .describe([UInt8(ascii: "c"), UInt8(ascii: "0") + UInt8(central.number), written])
      default: operation = .readCached
      }
      let isDone = await perform(operation, by: central)
      guard let topic = operation.topic else { continue }
      let subscription = OperationLog.Subscription(central: central.number, topic: topic)
      // The effect of a failed operation is unknown.
      if !isDone { topics.removeAll { $0 == topic } }
      shared.withLock { shared in
        if case .subscribe = operation, isDone {
          shared.subscribed.insert(subscription)
        } else {
          shared.subscribed.remove(subscription)
        }
      }
    }
  }

  /// The user launches the app again, unless it runs.
  func recoverApp() async throws {
    try await Polling.wait(for: "kill") { self.shared.withLock { $0.isKilled } }
    guard plan.recovery == .hand else { return }
    try await Task.sleep(for: plan.recoveryDelay)
    let app = try phone.startApp()
    note("serve is started")
    shared.withLock { $0.others.append(app) }
  }
}
