/// An item that a phone advertises on its own account, without an app.
public enum PhoneItem: String, Hashable, CaseIterable, Sendable {
  /// Presence, lock and screen.
  case nearbyInfo = "nearby-info"
  /// What the user of an unlocked phone is doing, beside Nearby Info.
  case handoff
  /// In an advertising set and under an address of its own.
  case findMy = "find-my"
}
