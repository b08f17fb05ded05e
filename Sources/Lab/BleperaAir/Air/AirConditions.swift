import BleperaBluetooth

/// The transmission conditions of the air: all that is modeled of radio.
///
/// An advertising event has a packet on each of the channels 37, 38 and 39; a packet takes its time on the air; a scanner
/// receives on one channel at a time, and a packet that does not lie whole in its window is lost; packets that overlap on
/// a channel are lost, requests and responses of scanners included.
package struct AirConditions: Hashable, Sendable {
  /// The probability, 0 to 1, that a packet on an advertising channel is lost, for each receiver. In a connection, the probability that a packet is
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
  /// The time from the start of a packet of an advertising event to the start of the next packet.
  package var spacing = Duration.microseconds(AirTime.spacing)
  /// Whether active scanners send fewer requests after requests that failed.
  package var hasBackoff = false
  /// By how many dB a packet has to be stronger than all that overlap to be received; nil where none is received.
  package var capture: Int?
  /// Whether packets that overlap are lost; false in comparisons with the model of one phone.
  package var collides = true
  /// Whether a scanner in an exchange receives nothing else; false in comparisons with the model of one phone.
  package var isExclusive = true
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
