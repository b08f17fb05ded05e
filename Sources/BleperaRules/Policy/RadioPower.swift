/// What the radio can do, as far as apps are concerned.
package enum RadioPower: String, Hashable, Sendable {
  case on
  /// Switched off, or gone for a while: advertising pauses, and all of it comes back by itself.
  case off
  /// Below powered off, as in a reset: what was published and advertised is forgotten, and apps must publish and start
  /// again. So it is before anything is known of the radio.
  case unavailable
}
