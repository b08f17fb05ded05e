/// Where a scene is played. The simulated radio is to be to a system what the bus is.
enum RadioKind: CaseIterable, Sendable {
  /// bluetoothd's interface on a bus, in real time.
  case bus
  /// An air without a bus, in virtual time.
  case simulated
}
