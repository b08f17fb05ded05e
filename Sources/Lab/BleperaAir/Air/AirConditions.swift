/// The transmission conditions of the air.
package struct AirConditions: Hashable, Sendable {
  /// The probability, 0 to 1, that a scanner misses an advertisement. In a connection, the probability that a packet is
  /// retransmitted one connection interval later; at 1 no packet arrives, and the connection times out.
  package var loss: Double
  /// The measured signal strength if a pair of adapters does not override it, in dBm.
  package var rssi: Int
  /// The maximum deviation of the measured signal strength, in dB in either direction.
  package var fading: Int
  /// The time from a packet's connection event to its arrival.
  package var latency: Duration
  /// The connection interval; zero for packets that are sent without connection events.
  package var interval: Duration
  /// Whether no device reads a passkey on the display of another device.
  package var hidesDisplays = false

  package init(
    loss: Double = 0, rssi: Int = -50, fading: Int = 0, latency: Duration = .zero,
    interval: Duration = .milliseconds(30)
  ) {
    self.loss = loss
    self.rssi = rssi
    self.fading = fading
    self.latency = latency
    self.interval = interval
  }
}

/// Conditions between two adapters that override the conditions of the air.
package struct PairConditions: Hashable, Sendable {
  /// The loss between the two adapters, as in `AirConditions`; nil for the loss of the air.
  package var loss: Double?
  package var latency: Duration?
  package var rssi: Int?
  /// Whether the central accepts no packets of the connection: they wait at the peripheral, and the link stays up.
  package var isStalled: Bool

  package init(loss: Double? = nil, latency: Duration? = nil, rssi: Int? = nil, isStalled: Bool = false) {
    self.loss = loss
    self.latency = latency
    self.rssi = rssi
    self.isStalled = isStalled
  }
}
