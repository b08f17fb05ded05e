/// The capture of the air, if there is one.
extension VirtualAir {
  /// Captures from now on the packets that devices receive.
  ///
  /// - Parameter origin: the time of day at the air's origin, since 1970 in UTC.
  package mutating func startCapture(origin: Duration) { capture = AirCapture(origin: origin) }

  /// Returns the records since the last call.
  package mutating func takeCapture() -> [UInt8] { capture?.take() ?? [] }
}
