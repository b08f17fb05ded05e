/// What the air does between two adapters, where that differs from what it does everywhere.
package struct PairConditions: Hashable, Sendable {
  /// As of `AirConditions`; nil for what that says.
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
