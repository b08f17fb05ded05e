/// Which of a rule set's two intervals is in force (R3).
package enum AdvertisingPace: String, Hashable, Sendable {
  case foreground
  case background
}
