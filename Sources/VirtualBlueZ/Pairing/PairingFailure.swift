/// Why two devices have not paired, as Device1.Pair says it.
package enum PairingFailure: Error, Hashable, Sendable {
  case failed, cancelled, rejected, inProgress, alreadyPaired
}
