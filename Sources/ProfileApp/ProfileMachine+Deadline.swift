package import AppLink

extension ProfileMachine {
  /// What the app is to do at a time; there is one such time for each at once.
  package enum Deadline: Hashable, Sendable {
    /// A generator has its next value.
    case generator(CharacteristicID)
    /// The app has taken its time over a request.
    case answer(RequestID)
  }
}
