import BleperaAir
import BleperaLoop
import Synchronization

/// The conditions of all later transmissions.
extension Air {
  /// The probability, 0 to 1, that a scanner misses an advertisement. In a connection, the probability that a packet is
  /// retransmitted 30 ms later; no packet is lost. At 1 no packet arrives: a connection that has been silent for its
  /// supervision timeout ends for both sides: 420 ms, or 720 ms with an app on an iPhone.
  public var loss: Double {
    get { conditions.loss }
    set { set(loss: newValue) }
  }

  /// How long after its connection event a packet of a connection arrives; packets in transit keep theirs.
  public var latency: Duration {
    get { conditions.latency }
    set { set(latency: newValue) }
  }

  /// The signal strength that receivers measure, in dBm.
  public var rssi: Int {
    get { conditions.rssi }
    set { set(rssi: newValue) }
  }

  /// Overrides the given conditions for a duration, then restores the previous values.
  public func set(loss: Double? = nil, latency: Duration? = nil, rssi: Int? = nil, for duration: Duration) {
    let before = conditions
    set(loss: loss, latency: latency, rssi: rssi)
    schedule(after: duration) { air in
      air.set(
        loss: loss.map { _ in before.loss }, latency: latency.map { _ in before.latency },
        rssi: rssi.map { _ in before.rssi })
    }
  }

  /// Performs an action after a delay, while the story waits for something else. The action itself cannot wait; create
  /// phones and centrals before.
  public func after(_ delay: Duration, _ body: @escaping @Sendable () -> Void) {
    schedule(after: delay) { _ in body() }
  }

  /// The link between a central and a phone, connected or not.
  public func link(_ central: Central, _ phone: Phone) -> Link {
    Link(air: self, central: (central.name, central.address), device: phone)
  }

  /// The link between a central and an accessory, connected or not.
  public func link(_ central: Central, _ accessory: Accessory) -> Link {
    Link(air: self, central: (central.name, central.address), device: accessory)
  }

  /// The link between two phones, connected or not.
  public func link(_ phone: Phone, _ other: Phone) -> Link {
    Link(air: self, central: (phone.name, phone.identityAddress), device: other)
  }

  /// The link between a phone and an accessory, connected or not.
  public func link(_ phone: Phone, _ accessory: Accessory) -> Link {
    Link(air: self, central: (phone.name, phone.identityAddress), device: accessory)
  }

  private static let feature = "the conditions of the air"

  private var conditions: AirConditions { virtualBackend(for: Self.feature)?.conditions ?? AirConditions() }

  private func set(loss: Double? = nil, latency: Duration? = nil, rssi: Int? = nil) {
    let text = Self.text(loss, latency, rssi)
    if !text.isEmpty { note("air", text) }
    guard let backend = virtualBackend(for: Self.feature) else { return }
    var conditions = backend.conditions
    if let loss { conditions.loss = loss }
    if let latency { conditions.latency = latency }
    if let rssi { conditions.rssi = rssi }
    backend.set(conditions)
  }

  /// The conditions as text for the trace.
  static func text(_ loss: Double?, _ latency: Duration?, _ rssi: Int?) -> String {
    [loss.map { "loss \($0)" }, latency.map { "latency \($0)" }, rssi.map { "\($0) dBm" }].compactMap(\.self)
      .joined(separator: ", ")
  }

  /// Runs `body` after a delay, if the air still exists.
  func schedule(after delay: Duration, _ body: @escaping @Sendable (Air) -> Void) {
    let number = timers.withLock { timers in
      timers.last += 1
      return timers.last
    }
    let timer = loop.schedule(after: delay) { [weak self] in
      guard let self else { return }
      // The timer must not be released by its own callback.
      let timer = timers.withLock { $0.running.removeValue(forKey: number) }
      body(self)
      withExtendedLifetime(timer) {}
    }
    timers.withLock { $0.running[number] = timer }
  }
}
