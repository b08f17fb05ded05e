import BleperaBluetooth

/// The parameters of a connection (Core Specification, Vol 6, Part B, 4.5.1 and 4.5.2).
package struct LinkParameters: Hashable, Sendable {
  /// A multiple of 1.25 ms.
  package let interval: Duration
  /// The number of connection events that the peripheral may skip. It listens to all of them.
  package let latency: UInt16
  /// A multiple of 10 ms.
  package let supervisionTimeout: Duration

  package init(interval: Duration, latency: UInt16 = 0, supervisionTimeout: Duration) {
    (self.interval, self.latency, self.supervisionTimeout) = (interval, latency, supervisionTimeout)
  }

  /// The interval in units of 1.25 ms, and the timeout in units of 10 ms.
  package var units: (interval: UInt16, timeout: UInt16) {
    (
      UInt16(clamping: Int(interval / .microseconds(1250))),
      UInt16(clamping: Int(supervisionTimeout / .milliseconds(10)))
    )
  }

  /// The interval in units of 1.25 ms, and the timeout in units of 10 ms.
  package init(interval: UInt16, latency: UInt16, timeout: UInt16) {
    self.init(
      interval: .microseconds(Int(interval) * 1250), latency: latency,
      supervisionTimeout: .milliseconds(Int(timeout) * 10))
  }

  /// As in CONNECT_IND and LL_CONNECTION_UPDATE_IND: interval, latency, timeout, two bytes each.
  package var bytes: [UInt8] { [units.interval, latency, units.timeout].flatMap { LittleEndian.bytes($0) } }
}

/// The parameters that a peripheral requests of its central: the interval in units of 1.25 ms, the timeout in units of
/// 10 ms (Core Specification, Vol 6, Part B, 2.4.2.16).
package struct LinkParameterRequest: Hashable, Sendable {
  package let intervals: ClosedRange<UInt16>
  package let latency: UInt16
  package let timeout: UInt16

  package init(intervals: ClosedRange<UInt16>, latency: UInt16, timeout: UInt16) {
    (self.intervals, self.latency, self.timeout) = (intervals, latency, timeout)
  }

  /// Nil for parameters outside the specification's ranges (Core Specification, Vol 4, Part E, 7.8.12).
  package init?(from least: UInt16, to most: UInt16, latency: UInt16, timeout: UInt16) {
    guard least <= most, least >= 6, most <= 3200, latency < 500, (10...3200).contains(timeout),
      Int(timeout) * 8 > (1 + Int(latency)) * Int(most) * 2
    else { return nil }
    self.init(intervals: least...most, latency: latency, timeout: timeout)
  }

  /// The parameters with the shortest of the intervals.
  package var parameters: LinkParameters {
    LinkParameters(interval: intervals.lowerBound, latency: latency, timeout: timeout)
  }
}
