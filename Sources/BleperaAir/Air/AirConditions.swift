/// What the air does to what is sent over it.
package struct AirConditions: Hashable, Sendable {
  /// The chance, 0 to 1, that a scanner misses an advertisement. In a connection it is the chance that a packet has to
  /// be sent again, one connection interval later; of 1 nothing gets through, and the connection ends of that.
  package var loss: Double
  /// What a receiver measures where no pair of adapters has its own, in dBm.
  package var rssi: Int
  /// How far the measure strays from it, in dB either way.
  package var fading: Int
  /// From sending to receiving one packet of a connection.
  package var latency: Duration
  /// Of a connection.
  package var interval: Duration
  /// How long a connection lasts over which nothing gets through; the default is the kernel's for a central.
  package var supervisionTimeout: Duration

  package init(
    loss: Double = 0, rssi: Int = -50, fading: Int = 0, latency: Duration = .milliseconds(5),
    interval: Duration = .milliseconds(30), supervisionTimeout: Duration = .milliseconds(420)
  ) {
    self.loss = loss
    self.rssi = rssi
    self.fading = fading
    self.latency = latency
    self.interval = interval
    self.supervisionTimeout = supervisionTimeout
  }
}

/// What the air does between two adapters, where that differs from what it does everywhere.
package struct PairConditions: Hashable, Sendable {
  /// As in `AirConditions`; nil for the value there.
  package var loss: Double?
  package var latency: Duration?
  package var rssi: Int?
  /// Whether the central takes no packet of the connection: they wait at the peripheral, and the link stays.
  package var isStalled: Bool

  package init(loss: Double? = nil, latency: Duration? = nil, rssi: Int? = nil, isStalled: Bool = false) {
    self.loss = loss
    self.latency = latency
    self.rssi = rssi
    self.isStalled = isStalled
  }
}
