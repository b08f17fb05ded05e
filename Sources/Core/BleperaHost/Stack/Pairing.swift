/// Why two devices could not pair, with the cases of Device1.Pair.
package enum PairingFailure: Error, Hashable, Sendable {
  case failed, cancelled, rejected, inProgress, alreadyPaired
}
