/// What a radio does with an update.
package enum UpdateOutcome: Hashable, Sendable {
  /// The update is on its way to the centrals named.
  case queued
  /// The transmit queue is full; `readyToUpdate` follows.
  case queueFull
  /// The radio cannot send the update to these centrals alone; a clause.
  case refused(String)
}
