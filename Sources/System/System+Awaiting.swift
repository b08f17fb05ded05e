import AppLink
import BlueZ
import EventLoop
import GATT
import Policy

/// Former subscribers, after the system was started anew.
extension System {
  /// A central has subscribed that the app takes for subscribed: it gets what was kept for it. False where it is new.
  func welcomeBack(_ device: RemoteDevice, _ found: Found, _ address: AttributeAddress) -> Bool {
    let subscription = AwaitingSubscribers.Subscription(
      app: found.app, characteristic: found.characteristic, central: CentralID(rawValue: device.address))
    guard let updates = awaiting.take(subscription) else { return false }
    preserve()
    guard !updates.isEmpty else { return true }
    // bluetoothd listens for updates once its call is answered.
    Task { for value in updates { send(value, address, to: [device], found) } }
    return true
  }

  /// Those that have left, while there was no system or now, are no subscribers any more.
  func lapse() {
    guard !awaiting.isEmpty, let peripheral else { return }
    let connected = peripheral.assumeIsolated { $0.connectedAddresses }
    for subscription in awaiting.lapse(unless: { connected.contains($0.rawValue) }) {
      let central = Central(id: subscription.central, maximumUpdateValueLength: 20)
      notify(subscription.app, .didUnsubscribe(central, from: subscription.characteristic), .unsubscribe)
    }
    preserve()
  }

  /// Gives those that are connected their time to subscribe again.
  func watchStale() {
    guard let staleLimit, let peripheral else { return }
    let connected = peripheral.assumeIsolated { $0.connectedAddresses }
    for central in awaiting.centrals where connected.contains(central.rawValue) && staleTimers[central] == nil {
      staleTimers[central] = loop.schedule(after: staleLimit) { [weak self] in
        self?.assumeIsolated { this in
          this.staleTimers[central] = nil
          guard this.awaiting.centrals.contains(central) else { return }
          this.peripheral?.assumeIsolated { $0.disconnect(address: central.rawValue) }
        }
      }
    }
  }
}
