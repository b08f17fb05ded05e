/// A change of an adapter's state.
package enum AdapterSetting: Hashable, Sendable {
  case powered(Bool)
  case discoverable(Bool)
  case pairable(Bool)
  case alias(String)
  /// Nil where there is no pairing agent.
  case capability(PairingCapability?)
}
