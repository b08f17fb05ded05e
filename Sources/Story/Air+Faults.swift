import EventLoop
import SimulatedRadio
import Synchronization
import VirtualBlueZ

/// What the air does to everything that is sent over it, from now on.
extension Air {
  /// The chance, 0 to 1, that a scanner misses an advertisement. In a connection it is the chance that a packet has to
  /// be sent again, 30 ms later, and none is lost. At 1 nothing gets through: a connection that has been silent for its
  /// supervision timeout, 420 ms, ends for both sides.
  public var loss: Double {
    get { conditions.loss }
    set { set(loss: newValue) }
  }

  /// From sending to receiving one packet of a connection; those that are on their way keep theirs.
  public var latency: Duration {
    get { conditions.latency }
    set { set(latency: newValue) }
  }

  /// What a receiver measures of a sender, in dBm.
  public var rssi: Int {
    get { conditions.rssi }
    set { set(rssi: newValue) }
  }

  /// Changes what is not nil for a while; then it is what it was before.
  public func set(loss: Double? = nil, latency: Duration? = nil, rssi: Int? = nil, for time: Duration) {
    let before = conditions
    set(loss: loss, latency: latency, rssi: rssi)
    later(after: time) { air in
      air.set(
        loss: loss.map { _ in before.loss }, latency: latency.map { _ in before.latency },
        rssi: rssi.map { _ in before.rssi })
    }
  }

  /// Does something that far in the future, while the story waits for something else. Nothing that waits itself can be
  /// done there: phones and centrals are made before.
  public func after(_ time: Duration, _ body: @escaping @Sendable () -> Void) { later(after: time) { _ in body() } }

  /// What is between these two alone, connected or not.
  public func link(_ central: Central, _ phone: Phone) -> Link { Link(air: self, central: central, phone: phone) }

  private var conditions: AirConditions {
    withSimulatedAir("what is lost or late", otherwise: AirConditions()) { $0.conditions }
  }

  private func set(loss: Double? = nil, latency: Duration? = nil, rssi: Int? = nil) {
    let said = Self.said(loss, latency, rssi)
    if !said.isEmpty { note("air", said) }
    withSimulatedAir("what is lost or late", otherwise: ()) { air in
      var conditions = air.conditions
      if let loss { conditions.loss = loss }
      if let latency { conditions.latency = latency }
      if let rssi { conditions.rssi = rssi }
      air.set(conditions)
    }
  }

  /// For the trace.
  static func said(_ loss: Double?, _ latency: Duration?, _ rssi: Int?) -> String {
    [loss.map { "loss \($0)" }, latency.map { "latency \($0)" }, rssi.map { "\($0) dBm" }].compactMap(\.self)
      .joined(separator: ", ")
  }

  /// Does it in that time, where the air is still there.
  func later(after time: Duration, _ body: @escaping @Sendable (Air) -> Void) {
    let number = timers.withLock { timers in
      timers.last += 1
      return timers.last
    }
    let timer = loop.schedule(after: time) { [weak self] in
      guard let self else { return }
      // One that is let go of while it runs is not to take what it runs in with it.
      let timer = timers.withLock { $0.running.removeValue(forKey: number) }
      body(self)
      withExtendedLifetime(timer) {}
    }
    timers.withLock { $0.running[number] = timer }
  }
}
