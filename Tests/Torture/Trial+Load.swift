import BleperaAir
import BleperaVirtualBlueZ
import Synchronization

/// What centrals do until the kill, and for a while after it where the system lives.
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
        let subscription = Ledger.Subscription(central: central.number, topic: topic)
        let isSubscribed = shared.withLock { $0.subscribed.contains(subscription) }
        // bluetoothd overlooks an end that comes before the phone has answered for the beginning.
        if isSubscribed { await perform(.readCached, by: central) }
        operation = isSubscribed ? .unsubscribe(topic) : .subscribe(topic)
      case 5: operation = .write([written])
      case 6: operation = .read
      case 7, 8: operation = .describe([UInt8(ascii: "c"), UInt8(ascii: "0") + UInt8(central.number), written])
      default: operation = .readCached
      }
      let isDone = await perform(operation, by: central)
      guard let topic = operation.topic else { continue }
      let subscription = Ledger.Subscription(central: central.number, topic: topic)
      // Of what has failed nobody knows.
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

  /// The user starts the app again, if it is not back.
  func recoverApp() async throws {
    try await Patience.wait(for: "the kill") { self.shared.withLock { $0.isKilled } }
    guard plan.recovery == .hand else { return }
    try await Task.sleep(for: plan.recoveryDelay)
    let app = try phone.startApp()
    note("serve is started")
    shared.withLock { $0.others.append(app) }
  }
}
