/// Which service UUIDs an iPhone moves to the overflow area when there is no room for all.
package enum OverflowOrder: String, Hashable, Sendable {
  /// Lists each UUID that still fits, in the requested order; one that does not fit leaves its room to shorter ones.
  case firstFit
}
