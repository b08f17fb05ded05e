/// The radio of a scene. To a system, the simulated radio has to behave as the bus does.
enum RadioKind: CaseIterable, Sendable {
  /// bluetoothd's interface on a bus, in real time.
  case bus
  /// An air without a bus, in virtual time.
  case simulated
}
