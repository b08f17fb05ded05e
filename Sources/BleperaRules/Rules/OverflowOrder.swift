/// Which service UUIDs an iPhone moves to the overflow area when there is no room for all.
package enum OverflowOrder: String, Hashable, Sendable {
  /// In the order asked for, each stays that still fits: one that does not leaves its room to shorter ones behind it.
  case firstFit
}
