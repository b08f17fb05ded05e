/// What the radio can do, as far as apps are concerned.
package enum RadioPower: String, Hashable, Sendable {
  case on
  /// Advertising pauses, and comes back with the power.
  case off
  /// Below powered off: what was published and advertised is forgotten, and apps must publish and start again.
  case unavailable
}
