/// The power state of the radio as far as apps are concerned.
package enum RadioPower: String, Hashable, Sendable {
  case on
  /// Switched off, or unavailable for a while: advertising pauses and is resumed automatically.
  case off
  /// Below powered off, as in a reset: services and advertisements are cleared, and apps must publish and start again.
  /// Also the state before the radio has reported one.
  case unavailable
}
